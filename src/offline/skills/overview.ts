/** Describes the project: README, manifests, scripts, directories and entry points. */
import { bullets, count, inlineCode, paragraphs } from '../markdown.ts';
import { firstParagraph } from '../outline.ts';
import { parseListing, parseRead } from '../results.ts';
import { ask, type Outcome, type Reply, type Skill } from '../script.ts';
import { findCall, list, readCall } from './lookup.ts';

const MANIFESTS = [
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Makefile',
  'CMakeLists.txt',
  'composer.json',
  'Gemfile',
];
const ENTRY = '**/{main,index,app,server,cli,extension,__main__,lib,mod}.{ts,tsx,js,mjs,cjs,jsx,py,go,rs,java,kt,c,cpp,rb,php,swift,cs}';

export function* overview(): Skill<Outcome> {
  const top = yield* list('Listing the workspace folder.', '');
  if ('problem' in top) return { text: top.problem, failed: top.problem };
  const directories = top.entries.filter((entry) => entry.endsWith('/')).map((entry) => entry.slice(0, -1));
  const readme = top.entries.find((entry) => /^readme(?:\.\w+)?$/i.test(entry));
  const manifests = MANIFESTS.filter((name) => top.entries.includes(name)).slice(0, 4);
  const counted = directories.filter((name) => !name.startsWith('.') && name !== 'node_modules').slice(0, 12);
  const texts = [...(readme ? [readme] : []), ...manifests];
  const calls = [...texts.map((path) => readCall(path)), findCall(ENTRY), ...counted.map((name) => findCall(`${name}/**`))];
  const replies = yield* ask('Reading the README and the manifests.', calls);
  const linesOf = (path: string) => lines(replies[texts.indexOf(path)]);
  const sizes = counted.flatMap((name, index) => sizeOf(name, replies[texts.length + 1 + index]));
  const others = directories.filter((name) => !counted.includes(name) && name !== '.git');
  const plain = top.entries.filter((entry) => !entry.endsWith('/'));
  const about = readme ? firstParagraph(linesOf(readme)) : '';
  return {
    text: paragraphs(
      about ? `${readme} says: “${about.slice(0, 500)}”` : 'The workspace folder has no README with a description.',
      ...manifests.map((path) => manifestText(path, linesOf(path))),
      sizes.length > 0 ? `Top-level directories:\n\n${bullets(sizes, 12)}` : '',
      others.length > 0 ? `Other directories: ${some(others.map((name) => `${name}/`))}.` : '',
      entryText(replies[texts.length]),
      plain.length > 0 ? `${count(plain.length, 'top-level file')}: ${some(plain)}.` : '',
    ),
  };
}

function lines(reply: Reply | undefined): string[] {
  return reply && !reply.isError ? (parseRead(reply.text)?.lines ?? []) : [];
}

function sizeOf(name: string, reply: Reply | undefined): string[] {
  if (!reply || reply.isError) return [];
  const { entries, more } = parseListing(reply.text);
  if (entries.length === 0) return [`${name}/`];
  const kinds = new Map<string, number>();
  for (const entry of entries) {
    const kind = /[^/.]\.([^./]+)$/.exec(entry)?.[1] ?? 'other';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const main = [...kinds].sort((a, b) => b[1] - a[1])[0]?.[0];
  return [`${name}/ ${more ? 'at least ' : ''}${count(entries.length, 'file')}${main && main !== 'other' ? `, mostly .${main}` : ''}`];
}

function manifestText(path: string, text: readonly string[]): string {
  if (path === 'package.json') return packageText(text);
  const keep: Record<string, RegExp> = {
    'pyproject.toml': /^(?:name|description|requires-python)\s*=|^\[(?:project|tool)[\w.-]*\]/,
    'Cargo.toml': /^(?:name|description|edition)\s*=|^\[(?:workspace|package|lib|\[bin)/,
    'go.mod': /^(?:module|go)\s/,
    Makefile: /^[\w-]+\s*:(?!=)/,
  };
  const excerpts = text.flatMap((line, index) => (keep[path]?.test(line) ? [`${path}:${index + 1} ${inlineCode(line)}`] : []));
  return excerpts.length > 0 ? `From ${path}:\n\n${bullets(excerpts, 8)}` : `There is a ${path}.`;
}

function packageText(text: readonly string[]): string {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text.join('\n'));
  } catch {
    return 'package.json could not be read as JSON.';
  }
  const words = (key: string) => (typeof parsed[key] === 'string' ? (parsed[key] as string) : undefined);
  const scripts = Object.entries(typeof parsed.scripts === 'object' && parsed.scripts ? parsed.scripts : {});
  const lineOf = (name: string) => text.findIndex((line) => line.includes(`"${name}":`)) + 1;
  const start = [...['main', 'module'].flatMap((key) => (words(key) ? [`${key} ${words(key)}`] : [])), ...bins(parsed.bin)];
  const name = [words('name') ?? 'a package without a name', words('version')].filter((each) => each).join(' ');
  const about = words('description') ? `: ${words('description')}` : '';
  return paragraphs(
    `package.json describes ${name}${about}${start.length > 0 ? ` (${start.join(', ')})` : ''}`,
    scripts.length > 0
      ? `Scripts:\n\n${bullets(
          scripts.map(([name, script]) => `package.json:${lineOf(name)} ${name}: ${inlineCode(String(script), 80)}`),
          10,
        )}`
      : '',
  );
}

function some(names: readonly string[], max = 12): string {
  return `${names.slice(0, max).join(', ')}${names.length > max ? `, and ${names.length - max} more` : ''}`;
}

function bins(bin: unknown): string[] {
  if (typeof bin === 'string') return [`bin ${bin}`];
  return typeof bin === 'object' && bin ? Object.values(bin).map((path) => `bin ${path}`) : [];
}

function entryText(reply: Reply | undefined): string {
  const entries = reply && !reply.isError ? parseListing(reply.text).entries : [];
  const depth = (path: string) => path.split('/').length;
  const entryPoints = entries
    .filter((path) => !/(?:^|\/)(?:tests?|fixtures|examples?|dist|vendor)\//.test(path))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  return entryPoints.length > 0 ? `Possible entry points:\n\n${bullets(entryPoints, 6)}` : '';
}
