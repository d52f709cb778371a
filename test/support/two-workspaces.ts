/** Pairs of workspaces that differ only in files that need approval to be read, and calls that try to distinguish them. */
import fc from 'fast-check';
import type { ToolCall } from '../../src/core/model/messages.ts';
import type { Mode } from '../../src/core/session/events.ts';
import { decide } from '../../src/policy/decide.ts';
import type { SourcedRule } from '../../src/policy/rules.ts';
import type { Files } from './harness.ts';

const OPEN = ['a.ts', 'big.txt', 'data.bin', 'docs/readme.md', 'notes.txt', 'src/b.ts', 'src/deep/c.ts', '.env.example', 'z.word'];
const GUARDED = [
  ...['.env', 'config/.env.local', 'prod.pem', 'secrets/db.txt'],
  ...['private/x.ts', 'private/deep/y.txt', 'docs/draft.md', 'src/own.key2', 'hidden/z.ts', 'src/h.hid'],
];
const PATHS = [...OPEN, ...GUARDED];
const DIRECTORIES = ['config', 'docs', 'hidden', 'private', 'private/deep', 'secrets', 'src', 'src/deep'];
const LINKS: Files = { 'to-env': '-> .env', 'to-private': '-> private', '.env.link': '-> notes.txt' };

const RULES: SourcedRule[] = [
  { effect: 'deny', path: 'private/**', from: 'user' },
  { effect: 'ask', path: 'private/**', from: 'user' },
  { effect: 'ask', path: 'docs/draft.md', from: 'workspace' },
  { effect: 'deny', path: '**/*.key2', from: 'user' },
  { effect: 'deny', tool: 'read_file', path: 'src/*', from: 'user' },
  { effect: 'ask', tool: 'search_text', path: 'docs', from: 'workspace' },
];
/** Lines of a `.kedgeignore` file, and the paths that each line excludes. */
const IGNORED: Record<string, (path: string) => boolean> = {
  'hidden/': (path) => path.startsWith('hidden/'),
  '*.hid': (path) => path.endsWith('.hid'),
  '/private/deep/': (path) => path.startsWith('private/deep/'),
  'docs/draft.md': (path) => path === 'docs/draft.md',
};

const word = fc.constantFrom(
  'API_KEY=k1',
  'API_KEY=k2',
  'needle',
  'one',
  'two',
  'def foo',
  '!error bad k1',
  '!warning odd',
  'const b = 1;',
);
const line = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const lines = fc.array(fc.oneof({ weight: 4, arbitrary: word }, line), { maxLength: 6 });
const content: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 12, arbitrary: lines.map((all) => all.map((each) => `${each}\n`).join('')) },
  { weight: 2, arbitrary: lines.map((all) => all.join('\r\n')) },
  { weight: 2, arbitrary: fc.tuple(word, fc.integer({ min: 150, max: 700 })).map(([each, count]) => `${each}\n`.repeat(count)) },
  { weight: 1, arbitrary: word.map((each) => `${each}\n\0\n`) },
  { weight: 1, arbitrary: word.map((each) => `${'x'.repeat(9_000)}${each}\n`) },
  { weight: 1, arbitrary: word.map((each) => new Uint8Array(Buffer.from(`\uFEFF${each}\n`, 'utf16le'))) },
);
/** A text on which a bad regular expression does not finish in time. */
const ENDLESS = `${'a'.repeat(36)}b\n`;

export type Pair = { one: Files; other: Files; rules: SourcedRule[] };

/** Two workspaces that must look the same without approvals. Files that are excluded by `.kedgeignore` may even have different names. */
export const pairs: fc.Arbitrary<Pair> = fc
  .record({
    files: fc.array(fc.option(content, { freq: 6 }), { minLength: PATHS.length, maxLength: PATHS.length }),
    others: fc.array(fc.option(fc.oneof({ weight: 20, arbitrary: content }, fc.constant(ENDLESS)), { freq: 6 }), {
      minLength: PATHS.length,
      maxLength: PATHS.length,
    }),
    rules: fc.subarray(RULES),
    ignored: fc.subarray(Object.keys(IGNORED)),
  })
  .map(({ files, others, rules, ignored }) => {
    const shared: Files = { ...Object.fromEntries(DIRECTORIES.map((path) => [`${path}/`, ''])), ...LINKS };
    if (ignored.length > 0) shared['.kedgeignore'] = `${ignored.join('\n')}\n`;
    const [one, other] = [{ ...shared }, { ...shared }];
    for (const [index, path] of PATHS.entries()) {
      const [own, changed] = [files[index], others[index]];
      const isHidden = ignored.some((each) => IGNORED[each]?.(path));
      if (own != null) one[path] = own;
      if (isHidden && changed != null) other[path] = changed;
      if (!isHidden && own != null) other[path] = needsLeave(path, rules) ? (changed ?? '') : own;
    }
    return { one, other, rules };
  });

/** Returns true if a read needs approval or is denied. This is an independent implementation of the promise. */
function needsLeave(path: string, rules: readonly SourcedRule[]): boolean {
  const tool = { name: 'read_file', effect: 'readonly' as const, source: 'builtin' };
  return decide({ mode: 'ask', tool, name: tool.name, targets: [{ path, access: 'read' }], trusted: true, rules }).kind !== 'allow';
}

const path = fc.constantFrom(...PATHS, ...GUARDED, ...Object.keys(LINKS), './src/../.env', '.ENV', 'to-private/x.ts', 'new.txt');
const directory = fc.constantFrom('.', ...DIRECTORIES, 'to-private');
const glob = fc.oneof(path, fc.constantFrom('**', '*.ts', '**/.env*', 'private/**', '{.env,notes.txt}', 'src', 'src/*', '*.pem'));
const phrase = fc.oneof(word, fc.constantFrom('k1', 'k2', 'API', 'b', 'oo', 'zzz'));
const pattern = fc.oneof(
  phrase.map((each) => ({ pattern: each })),
  fc
    .constantFrom('API_KEY=.[1]', '^needle$', 'e', '.', '', '(', '(?=n)needle', '(a+)+$', '(?<=k)2', '\\d', '^$')
    .map((each) => ({ pattern: each, regex: true })),
);
const edits = fc.array(fc.record({ old_text: phrase, new_text: fc.constantFrom('one', 'three'), all: fc.boolean() }), {
  minLength: 1,
  maxLength: 2,
});
const section = fc.oneof(
  fc.tuple(path, phrase).map(([at, old]) => `*** Update File: ${at}\n@@\n-${old}\n+three\n`),
  fc.tuple(path, path).map(([at, to]) => `*** Update File: ${at}\n*** Move to: ${to}\n@@\n-one\n+1\n`),
  path.map((at) => `*** Delete File: ${at}\n`),
  path.map((at) => `*** Add File: ${at}\n+x\n`),
);
const patch = fc.array(section, { minLength: 1, maxLength: 3 }).map((all) => `*** Begin Patch\n${all.join('')}*** End Patch\n`);
const place = fc.record({ path, line: fc.integer({ min: 1, max: 3 }), symbol: fc.constantFrom('needle', 'one', 'foo') });
const check = fc
  .tuple(pattern, fc.option(glob, { nil: undefined }))
  .map(([{ pattern: each }, only]) => ({ search_empty: { pattern: each, ...(only && { glob: only }) } }));

const READING: Record<string, fc.Arbitrary<unknown>> = {
  read_file: fc.record({ path, from_line: fc.integer({ min: 1, max: 5 }) }, { requiredKeys: ['path'] }),
  list_directory: fc.record({ path: directory, depth: fc.integer({ min: 1, max: 4 }) }, { requiredKeys: [] }),
  find_files: fc.record({ glob }),
  search_text: fc
    .tuple(pattern, fc.record({ glob, case_sensitive: fc.boolean(), whole_word: fc.boolean() }, { requiredKeys: [] }))
    .map((all) => ({ ...all[0], ...all[1] })),
  get_diagnostics: fc.record({ path }, { requiredKeys: [] }),
  document_symbols: fc.record({ path }),
  workspace_symbols: fc.record({ query: phrase }),
  go_to_definition: place,
  find_references: place,
};
const PLANNING = {
  propose_plan: fc.record({
    goal: fc.constant('go'),
    steps: fc.array(fc.record({ title: word, files: fc.constant(['a.ts']), check }), { minLength: 1, maxLength: 2 }),
  }),
};
const CHANGING: Record<string, fc.Arbitrary<unknown>> = {
  create_file: fc.record({ path, content: word }),
  replace_in_file: fc.record({ path, edits }),
  apply_patch: fc.record({ input: patch }),
  create_directory: fc.record({ path: directory }),
  move_file: fc.record({ from: path, to: path }),
  delete_file: fc.record({ path }),
};
const TOOLS: Record<Mode, Record<string, fc.Arbitrary<unknown>>> = {
  ask: READING,
  plan: { ...READING, ...PLANNING },
  agent: { ...READING, ...CHANGING },
};

export type Asked = Pick<ToolCall, 'name' | 'input'>;

/** Generates tool calls of a mode. Searches and edits are more frequent than other calls. */
export const callsOf = (mode: Mode): fc.Arbitrary<Asked[]> => {
  const names = Object.keys(TOOLS[mode]);
  const name = fc.constantFrom(
    ...names,
    'search_text',
    'search_text',
    ...(mode === 'agent' ? ['replace_in_file', 'apply_patch', 'apply_patch'] : []),
  );
  const one = name.chain((each) => (TOOLS[mode][each] as fc.Arbitrary<unknown>).map((input): Asked => ({ name: each, input })));
  return fc.array(one, { minLength: 10, maxLength: 10 });
};
