/** Random files and random changes to them, for property tests of writers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FileChange } from '../../src/workspace/types.ts';

/** There are few paths, so that changes conflict. */
const PATHS = ['a.txt', 'b.bin', 'd/c.txt', 'd/e/f.txt', 'new.txt', 'n/e/w.txt', 'd/x.txt'];

const bytes = fc.oneof(
  fc.constant(new Uint8Array()),
  fc.uint8Array({ minLength: 1, maxLength: 40 }),
  fc.uint8Array({ minLength: 500, maxLength: 900 }),
);

export const files = fc.dictionary(fc.constantFrom(...PATHS), bytes);

const intent = fc.record({
  path: fc.constantFrom(...PATHS),
  what: fc.constantFrom('write', 'write', 'delete', 'move', 'directory'),
  bytes,
  to: fc.constantFrom(...PATHS),
});
export const intents = fc.array(intent, { minLength: 1, maxLength: 5 });

/** Builds the change set of these intents for the current files. */
export function changesOn(root: string, wanted: typeof intents extends fc.Arbitrary<infer T> ? T : never): FileChange[] {
  const changes = new Map<string, FileChange>();
  const now = (path: string) => (existsSync(join(root, path)) ? new Uint8Array(readFileSync(join(root, path))) : undefined);
  const add = (path: string, after: Uint8Array | undefined, movedFrom?: string) =>
    changes.set(path, { path, at: { folder: 0, path }, before: now(path), after, ...(movedFrom && { movedFrom }) });
  for (const { path, what, bytes, to } of wanted) {
    const before = now(path);
    if (what === 'directory') {
      if (!existsSync(join(root, 'empty')))
        changes.set('empty/', { path: 'empty/', at: { folder: 0, path: 'empty' }, before: undefined, after: new Uint8Array() });
    } else if (changes.has(path)) continue;
    else if (what === 'write') add(path, bytes);
    else if (before && what === 'delete') add(path, undefined);
    else if (before && what === 'move' && !changes.has(to) && !now(to)) {
      add(to, before, path);
      add(path, undefined);
    }
  }
  return [...changes.values()].filter(({ path, before, after }) => path.endsWith('/') || !same(before, after));
}

function same(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a && b ? Buffer.from(a).equals(b) : a === b;
}

/** Returns the expected snapshot after the changes, without directories. */
export function expectedAfter(before: Record<string, string>, changes: readonly FileChange[]): Record<string, string> {
  const expected = filesOf(before);
  for (const { path, after } of changes) {
    if (path.endsWith('/')) continue;
    if (after) expected[path] = Buffer.from(after).toString('latin1');
    else delete expected[path];
  }
  return expected;
}

export function filesOf(snapshot: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(snapshot).filter(([path]) => !path.endsWith('/')));
}
