/** Commits a change and kills itself before an operation: `node writer-child.ts root journal operation < changes.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import type { FileChange } from '../../src/workspace/types.ts';
import { watchedFs } from './failing-fs.ts';

const [root = '', journal = '', at = '0'] = process.argv.slice(2);
const wire = JSON.parse(readFileSync(0, 'utf8')) as (Omit<FileChange, 'before' | 'after'> & { before?: string; after?: string })[];
const bytes = (text: string | undefined) => (text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64')));
const changes = wire.map(({ before, after, ...rest }): FileChange => ({ ...rest, before: bytes(before), after: bytes(after) }));
const fs = watchedFs((index, _, call) => {
  if (index === Number(at)) process.kill(process.pid, 'SIGKILL');
  return call();
});
await new NodeWriter({ absolute: ({ path }) => join(root, path) }, { journal, fs }).commit(changes);
