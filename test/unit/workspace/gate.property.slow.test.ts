import assert from 'node:assert/strict';
import fc from 'fast-check';
import { breakingWriter, type Edits, gateOn } from '../../support/workspace.ts';

/** There are few paths, so that changes conflict. Some are both a file and a directory above another one. */
const path = fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a', 'a/x', 'd');
const content = fc.oneof(fc.constantFrom('', 'same', 'x\r\ny\n', '\uFEFFbom'), fc.string({ unit: 'binary', maxLength: 30 }));
const files = fc.dictionary(fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a'), content);

const write = fc.record({ path, content: fc.option(content, { nil: undefined }) });
const move = fc.record({ from: path, to: path });
/** One call: some files are written or deleted, or one is moved. */
const change = fc.oneof({ weight: 3, arbitrary: fc.array(write, { minLength: 1, maxLength: 4 }) }, move);

async function editsOf(
  what: typeof change extends fc.Arbitrary<infer T> ? T : never,
  read: (path: string) => Promise<string | undefined>,
): Promise<[Edits, Record<string, string>]> {
  const edits: Edits = {};
  if (!Array.isArray(what)) {
    const moved = await read(what.from);
    if (moved === undefined || what.from === what.to) return [{}, {}];
    return [{ [what.to]: moved, [what.from]: undefined }, { [what.to]: what.from }];
  }
  for (const { path, content } of what) {
    // No tool deletes a missing file, or makes one path both a file and a directory in the same call.
    const meets = Object.keys(edits).some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    if (!meets && (content !== undefined || (await read(path)) !== undefined)) edits[path] = content;
  }
  return [edits, {}];
}

describe('any changes at all', () => {
  it('followed by undo restore every byte, file and directory', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.array(change, { maxLength: 6 }), async (initial, changes) => {
        await using disk = await gateOn(initial);
        const before = await disk.snapshot();
        for (const each of changes) {
          const [edits, moves] = await editsOf(each, disk.read);
          await disk.apply(edits, moves).catch(() => undefined);
        }
        const results = await disk.undo();
        assert.deepEqual(
          results.filter(({ outcome }) => outcome === 'refused'),
          [],
        );
        assert.deepEqual(await disk.snapshot(), before);
      }),
      { numRuns: 100 },
    );
  });

  it('are written completely or not at all, wherever writing fails', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(6), async (initial, changes, fails) => {
        let at = fails;
        await using disk = await gateOn(
          initial,
          breakingWriter(() => at),
        );
        const first = await disk.snapshot();
        for (const each of changes) {
          const before = await disk.snapshot();
          const [edits, moves] = await editsOf(each, disk.read);
          try {
            await disk.apply(edits, moves);
          } catch (error) {
            // If another write fails while the change is rolled back, the error says so, and undo restores the files.
            if (!/could not be restored/.test(String(error))) assert.deepEqual(await disk.snapshot(), before);
            continue;
          }
          const after = await disk.snapshot();
          for (const [at, text] of Object.entries(edits))
            assert.equal(after[at], text === undefined ? undefined : Buffer.from(text).toString('latin1'));
        }
        at = -1;
        await disk.undo();
        assert.deepEqual(await disk.snapshot(), first);
      }),
      { numRuns: 50 },
    );
  });

  it('that the user made since survive the undo', async () => {
    const pair = fc.record({ path: fc.constantFrom('a', 'b', 'd/a'), content });
    await fc.assert(
      fc.asyncProperty(files, fc.array(change, { maxLength: 4 }), fc.array(pair, { maxLength: 2 }), async (initial, changes, theirs) => {
        await using disk = await gateOn(initial);
        for (const each of changes) {
          const [edits, moves] = await editsOf(each, disk.read);
          await disk.apply(edits, moves).catch(() => undefined);
        }
        const written = new Map<string, string>();
        for (const { path, content } of theirs) {
          const ours = await disk.read(path);
          const wrote = await disk.write(path, content).then(
            () => true,
            () => false,
          );
          if (wrote && ours !== content) written.set(path, content);
        }
        await disk.undo();
        const after = await disk.snapshot();
        for (const [path, content] of written) {
          const lasting = after[path];
          // The other program happened to write the same content as Kedge, so undo restores the earlier content.
          const same = disk.staged().some((each) => each.path === path) && lasting === (await initialOf(initial, path));
          if (!same) assert.equal(lasting, Buffer.from(content).toString('latin1'));
        }
      }),
      { numRuns: 40 },
    );
  });
});

async function initialOf(initial: Record<string, string>, path: string): Promise<string | undefined> {
  const text = initial[path];
  return text === undefined ? undefined : Buffer.from(text).toString('latin1');
}
