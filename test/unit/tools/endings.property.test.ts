import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyHunks } from '../../../src/tools/edit/patch/hunks.ts';
import { opsOf } from '../../../src/tools/edit/replace/render.ts';
import { replaceAll } from '../../../src/tools/edit/replace/replace.ts';

const line = fc.constantFrom('', '', '  ', 'x', '\ty', 'def f():', '    return 1', '}', 'z ');
/** The block contains a unique line, so that it occurs only once. */
const edit = fc.record({
  above: fc.array(line, { maxLength: 4 }),
  old: fc.tuple(fc.array(line, { maxLength: 4 }), fc.array(line, { maxLength: 4 })).map(([before, after]) => [...before, 'here', ...after]),
  now: fc.array(fc.oneof(line, fc.constantFrom('here', 'new', 'def g():')), { maxLength: 7 }),
  below: fc.array(line, { maxLength: 4 }),
  ending: fc.constantFrom('\n', '\r\n', '\r'),
  /** Whether the file lacks a line break at its end. */
  isOpen: fc.boolean(),
});
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

const whole = (lines: readonly string[], ending: string) => lines.map((each) => each + ending).join('');
const fileOf = ({ above, below, ending, isOpen }: Edit, block: readonly string[]) => {
  const text = whole([...above, ...block, ...below], ending);
  return isOpen ? text.slice(0, text.length - ending.length) : text;
};
/** A file without any line break does not show which one it uses. */
const isChange = (each: Edit) =>
  fileOf(each, each.old) !== fileOf(each, each.now) && (each.ending === '\n' || fileOf(each, each.old).includes(each.ending));

describe('an edit of whole lines', () => {
  it('with its own line endings comes out as a plain replacement of the text would', () => {
    fc.assert(
      fc.property(edit, fc.boolean(), (each, isBroken) => {
        const { old, now, below, ending, isOpen } = each;
        const last = isBroken ? ending : '';
        const [old_text, new_text] = [old.join(ending) + last, now.join(ending) + (now.length > 0 ? last : '')];
        const file = fileOf(each, old);
        fc.pre(file.includes(old_text) && old_text !== new_text && !(isOpen && below.length === 0 && isBroken));
        assert.equal(
          replaceAll(file, [{ old_text, new_text }], 'a').text,
          file.replace(old_text, () => new_text),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('with a last line break that the file does not have changes nothing but these lines', () => {
    fc.assert(
      fc.property(edit, fc.constantFrom('\n', '\r\n'), (each, sent) => {
        const { old, now } = each;
        const atEnd: Edit = { ...each, below: [], isOpen: true };
        // A text that ends with an empty line does have the line break before it.
        fc.pre(isChange(atEnd) && old.at(-1) !== '' && now.length > 0);
        const edits = [{ old_text: whole(old, sent), new_text: whole(now, sent) }];
        assert.equal(replaceAll(fileOf(atEnd, old), edits, 'a').text, fileOf(atEnd, now));
      }),
      { numRuns: 2_000 },
    );
  });

  it('sent with other line endings changes nothing but these lines', () => {
    fc.assert(
      fc.property(edit, fc.constantFrom('\n', '\r\n'), fc.constantFrom('\n', '\r\n'), (each, sent, sentNew) => {
        const { old, now, ending } = each;
        fc.pre(isChange(each) && now.length > 0 && !(each.isOpen && each.below.length === 0));
        // When only the line endings differ, the edit is one of line endings.
        fc.pre(old.join('\n') !== now.join('\n') && (sentNew === '\n' || sentNew === sent || sent !== ending));
        const edits = [{ old_text: whole(old, sent), new_text: whole(now, sentNew) }];
        assert.equal(replaceAll(fileOf(each, old), edits, 'a').text, fileOf(each, now));
      }),
      { numRuns: 2_000 },
    );
  });

  it('comes out the same as a patch', () => {
    fc.assert(
      fc.property(edit, (each) => {
        const { old, now } = each;
        fc.pre(isChange(each) && fileOf(each, old) !== '');
        const ops = opsOf(old.join('\n'), now.length > 0 ? now.join('\n') : '\u0000').filter(({ text }) => text !== '\u0000');
        const rest = [...each.above, ...now, ...each.below];
        fc.pre(!each.isOpen || (old.at(-1) !== '' && rest.at(-1) !== '' && rest.length > 0));
        assert.equal(applyHunks(fileOf(each, old), [{ headers: [], ops, endOfFile: false }], 'a').text, fileOf(each, now));
      }),
      { numRuns: 2_000 },
    );
  });
});
