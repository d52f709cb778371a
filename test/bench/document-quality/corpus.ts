/**
 * A corpus of real documents: the Markdown, HTML and declaration files of the packages in node_modules. The lock file determines their versions,
 * so the same documents are found on every machine. A few of them are converted to PDF and docx.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asDocx, asPdf } from './conversions.ts';

/** `key` is the path of the document below node_modules. */
export type CorpusFile = { key: string; bytes: Buffer };

const MAX_BYTES = 300_000;
/** Declaration files with fewer characters of documentation are left out. */
const MIN_COMMENTS = 1_500;

const CONVERTED: Readonly<Record<string, { extension: string; convert(markdown: string): Promise<Buffer> }>> = {
  'chokidar/README.md': { extension: 'docx', convert: asDocx },
  'cockatiel/readme.md': { extension: 'pdf', convert: asPdf },
  'cors/README.md': { extension: 'pdf', convert: asPdf },
  'jsonwebtoken/README.md': { extension: 'docx', convert: asDocx },
  'semver/README.md': { extension: 'docx', convert: asDocx },
  'yauzl/README.md': { extension: 'pdf', convert: asPdf },
};

/** @param root the directory that contains node_modules and the lock file */
export async function corpusIn(root: string): Promise<CorpusFile[]> {
  const modules = join(root, 'node_modules');
  const files: CorpusFile[] = [];
  const digests = new Set<string>();
  for (const key of packagesOf(root)
    .flatMap((name) => filesBelow(modules, name))
    .toSorted(compared)) {
    const path = join(modules, key);
    const { size } = statSync(path);
    if (size === 0 || size > MAX_BYTES) continue;
    const bytes = readFileSync(path);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digests.has(digest) || (key.endsWith('.d.ts') && commentsIn(bytes.toString()) < MIN_COMMENTS)) continue;
    digests.add(digest);
    const conversion = CONVERTED[key];
    if (!conversion) files.push({ key, bytes });
    else files.push({ key: key.replace(/md$/, conversion.extension), bytes: await conversion.convert(bytes.toString()) });
  }
  return files;
}

type Locked = { optional?: boolean; devOptional?: boolean; os?: string[]; cpu?: string[] };

/** Returns the paths below node_modules of the packages that are installed on every platform. */
function packagesOf(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([path, { optional, devOptional, os, cpu }]) => path.startsWith('node_modules/') && !(optional || devOptional || os || cpu))
    .map(([path]) => path.slice('node_modules/'.length));
}

function filesBelow(modules: string, directory: string): string[] {
  return readdirSync(join(modules, directory), { withFileTypes: true }).flatMap((entry) => {
    const key = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(modules, key);
    return /\.(md|markdown|html|d\.ts)$/i.test(entry.name) ? [key] : [];
  });
}

/** Counts the characters in documentation comments. */
function commentsIn(text: string): number {
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].reduce((sum, [, comment = '']) => sum + comment.replace(/\s+\*?\s*/g, ' ').length, 0);
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
