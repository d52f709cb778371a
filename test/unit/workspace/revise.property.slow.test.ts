import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Revision } from '../../../src/core/session/effects.ts';
import { encodeText, hashOf } from '../../../src/workspace/content.ts';
import { hunksOf, linesOf, withoutHunks } from '../../../src/workspace/hunks.ts';
import type { FileChange } from '../../../src/workspace/types.ts';
import { gateOn } from '../../support/workspace.ts';

const PATHS = ['a', 'b', 'd/a', 'd/b', 'c'];
const text = fc.array(fc.constantFrom('a\n', 'b\r\n', 'c\n', '\n', 'd\n', 'e\n', 'last'), { maxLength: 40 }).map((lines) => lines.join(''));
const files = fc.dictionary(fc.constantFrom(...PATHS), text);
/** Edits that replace, remove or insert lines. Each inserted line is unique. */
const edits = fc.array(fc.record({ at: fc.nat(45), removes: fc.nat(2), adds: fc.nat(2) }), { minLength: 1, maxLength: 4 });

function edited(base: string, by: string, what: { at: number; removes: number; adds: number }[]): string {
  const all = linesOf(base);
  let count = 0;
  for (const { at, removes, adds } of what)
    all.splice(at % (all.length + 1), removes, ...Array.from({ length: adds }, () => `${by}${count++}\n`));
  return all.join('');
}

type Choice = 'refused' | { without: number[] } | { content: string };

/** Drops choices that the displayed diff does not offer. */
function shown(made: Choice, old: string | undefined, now: string | undefined): Choice {
  if (made === 'refused' || 'content' in made) return made;
  const count = old === undefined || now === undefined ? 1 : (hunksOf(old, now)?.length ?? 1);
  return { without: made.without.filter((index) => index < count) };
}

const choice: fc.Arbitrary<Choice> = fc.oneof(
  fc.constant('refused' as const),
  fc.array(fc.nat(5), { maxLength: 4 }).map((without) => ({ without })),
  text.map((content) => ({ content })),
);

describe('a change that the user accepts in part', () => {
  it('is applied as exactly that part, bound to its digest, and the rest is unchanged', async () => {
    const after = fc.dictionary(fc.constantFrom(...PATHS), fc.option(fc.oneof(text, edits), { nil: undefined }));
    await fc.assert(
      fc.asyncProperty(files, after, fc.dictionary(fc.constantFrom(...PATHS), choice), async (initial, wanted, choices) => {
        await using disk = await gateOn(initial);
        const before = await disk.snapshot();
        const changes: FileChange[] = [];
        for (const [path, what] of Object.entries(wanted)) {
          const old = initial[path];
          const now = Array.isArray(what) ? edited(old ?? '', 'kedge', what) : what;
          if (now !== old) changes.push({ ...(await disk.workspace.resolve(path)), before: bytes(old), after: bytes(now) });
        }
        const revision: Revision = {};
        const expected: Record<string, string | undefined> = { ...initial };
        for (const { path } of changes) {
          const [old, now] = [initial[path], contentAfter(changes, path)];
          expected[path] = now;
          const made = choices[path] && shown(choices[path], old, now);
          if (made === undefined) continue;
          const isContent = typeof made === 'object' && 'content' in made;
          revision[path] = isContent ? { content: await disk.blobs.put(encodeText(made.content)) } : made;
          if (made === 'refused') expected[path] = old;
          else if (isContent) expected[path] = now === undefined ? undefined : made.content;
          else if (old === undefined || now === undefined) expected[path] = made.without.includes(0) ? old : now;
          else expected[path] = withoutHunks(old, now, made.without);
        }
        const set = await disk.gate.prepare(changes);
        const kept = await disk.gate.revise(set, revision);
        const digest = await disk.gate.revisedDigest(set.summaries, revision);
        assert.equal(digest, kept.changes.length === 0 ? undefined : kept.digest);
        const signal = new AbortController().signal;
        await disk.gate.apply(kept, { callId: 'c', signal, record: (event) => void disk.recorded.push(event) });
        for (const path of PATHS) assert.equal(await disk.read(path), expected[path], path);
        assert.ok((await disk.undo()).every(({ outcome }) => outcome !== 'refused'));
        assert.deepEqual(await disk.snapshot(), before);
      }),
      { numRuns: 100 },
    );
  });

  it('has another digest for every other outcome', async () => {
    await fc.assert(
      fc.asyncProperty(text, edits, choice, choice, async (old, what, one, other) => {
        await using disk = await gateOn({ a: old });
        const now = edited(old, 'kedge', what);
        const change: FileChange = { ...(await disk.workspace.resolve('a')), before: bytes(old), after: bytes(now) };
        const { summaries } = await disk.gate.prepare([change]);
        const outcome = async (chosen: Choice) => {
          const made = shown(chosen, old, now);
          const revision: Revision = {
            a: typeof made === 'object' && 'content' in made ? { content: await disk.blobs.put(encodeText(made.content)) } : made,
          };
          const [kept] = (await disk.gate.revise(await disk.gate.prepare([change]), revision)).changes;
          return { lands: kept?.after && (await hashOf(kept.after)), digest: await disk.gate.revisedDigest(summaries, revision) };
        };
        const [first, second] = [await outcome(one), await outcome(other)];
        assert.equal(first.digest === second.digest, first.lands === second.lands);
      }),
      { numRuns: 60 },
    );
  });
});

describe('later changes of the user', () => {
  it('survive an undo line by line; the undo restores all other lines or leaves the file alone', async () => {
    const seen = { merged: 0, refused: 0, restored: 0, unchanged: 0 };
    const steps = fc.array(edits, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(text, steps, edits, fc.boolean(), async (initial, changes, mine, amid) => {
        await using disk = await gateOn({ a: initial });
        let now = initial;
        let theirs: string[] = [];
        const goOn = async () => {
          now = edited(now, 'mine', mine);
          theirs = startingWith(now, 'mine');
          await disk.write('a', now);
        };
        for (const [index, change] of changes.entries()) {
          // In the middle, a later change may remove the inserted lines again. Undo must restore those too.
          if (amid && index === 1) await goOn();
          now = edited(now, `kedge${index}-`, change);
          await disk.apply({ a: now });
        }
        if (!amid) await goOn();
        const [result] = await disk.undo();
        const after = (await disk.read('a')) ?? '';
        seen[result?.outcome ?? 'unchanged']++;
        if (result?.outcome === 'refused') return assert.equal(after, now);
        assert.deepEqual(startingWith(after, 'mine'), theirs);
        assert.deepEqual(startingWith(after, 'kedge'), []);
      }),
      { numRuns: 150 },
    );
    // Without this, the property could hold trivially.
    assert.ok(seen.merged > 20 && seen.refused > 10, JSON.stringify(seen));
  });
});

function startingWith(whole: string, by: string): string[] {
  return linesOf(whole)
    .filter((line) => line.startsWith(by))
    .sort();
}

function bytes(content: string | undefined): Uint8Array | undefined {
  return content === undefined ? undefined : encodeText(content);
}

function contentAfter(changes: readonly FileChange[], path: string): string | undefined {
  const after = changes.find((change) => change.path === path)?.after;
  return after && new TextDecoder('utf-8', { ignoreBOM: true }).decode(after);
}
