import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Lines } from '../../../src/tools/edit/replace/lines.ts';
import { linePlaces } from '../../../src/tools/edit/replace/match.ts';
import { replaceAll } from '../../../src/tools/edit/replace/replace.ts';

/** A line of a file as a model would copy it: without invisible characters, or with plain quotes. */
type Line = { indent: string; text: string; blanks: string; ending: string };

const line = fc.record({
  indent: fc.constantFrom('', '  ', '    ', '\t', '\t\t'),
  text: fc.constantFrom('“quoted” – text', 'it’s', 'plain()', 'a\u00a0b', '$& [x]*'),
  blanks: fc.constantFrom('', '', ' ', '\t'),
  ending: fc.constantFrom('\n', '\n', '\r\n'),
});
const plain = (text: string) =>
  text
    .replace(/[“”]/g, '"')
    .replace(/’/g, "'")
    .replace(/–/g, '-')
    .replace(/\u00a0/g, ' ');
const raw = ({ indent, text, blanks, ending }: Line) => indent + text + blanks + ending;

const places = fc.record({
  lines: fc.array(line, { minLength: 3, maxLength: 12 }),
  open: fc.boolean(),
  at: fc.nat(),
  height: fc.integer({ min: 1, max: 4 }),
  changed: fc.nat(),
  how: fc.constantFrom('as it is', 'blanks', 'indentation', 'typography', 'both'),
});

describe('a replacement, however loosely it was found', () => {
  it('changes only its line, and no byte of the others', () => {
    fc.assert(
      fc.property(places, ({ lines, open, at, height, changed, how }) => {
        // A number makes each line unique.
        const file = lines.map((each, index) => ({ ...each, text: `${each.text} ${index};` }));
        const last = file.at(-1) as Line;
        if (open) last.ending = '';
        const from = at % file.length;
        const meant = file.slice(from, from + height);
        const which = changed % meant.length;
        const seen = ({ indent, text, blanks }: Line) => {
          if (how === 'as it is') return indent + text + blanks;
          const shown = how === 'typography' || how === 'both' ? plain(text) : text;
          return (how === 'indentation' || how === 'both' ? `   ${indent}` : indent) + shown;
        };
        const old = meant.map(seen);
        const now = old.map((each, index) => (index === which ? each.replace(/\S.*$/, 'changed();') : each));
        const { text } = replaceAll(file.map(raw).join(''), [{ old_text: old.join('\n'), new_text: now.join('\n') }], 'a.txt');

        const expected = file.map((each, index) => (index === from + which ? { ...each, text: 'changed();' } : each)).map(raw);
        const actual = text.match(/[^\r\n]*(\r\n|\n|$)/g)?.filter((each) => each !== '') ?? [];
        assert.equal(actual.length, expected.length);
        for (const [index, each] of actual.entries()) {
          // Trailing blanks of a changed line may be removed.
          const same = index === from + which ? each.replace(/[ \t]+(?=\r?\n|$)/, '') : each;
          const wanted = index === from + which ? (expected[index] as string).replace(/[ \t]+(?=\r?\n|$)/, '') : expected[index];
          assert.equal(same, wanted);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('is refused when two passages look the same, whatever invisible differences they have', () => {
    fc.assert(
      fc.property(line, line, fc.constantFrom('x', '“x”', 'it’s'), (a, b, text) => {
        const [one, two] = [raw({ ...a, text: `${text};` }), raw({ ...b, text: `${text};` })];
        // Otherwise the passage could be an exact part of one of the lines.
        fc.pre(a.indent.length < 3 && b.indent.length < 3);
        assert.throws(
          () => replaceAll(`${one}between\n${two}`, [{ old_text: `   ${plain(text)};  `, new_text: 'y' }], 'a.txt'),
          /occurs 2 times in a\.txt.*at lines 1, 3/,
        );
      }),
    );
  });
});

describe('looking for a passage', () => {
  it('finds whole lines wherever they follow each other', () => {
    const few = fc.constantFrom('a', 'b', '');
    fc.assert(
      fc.property(fc.array(few, { maxLength: 14 }), fc.array(few, { minLength: 1, maxLength: 5 }), (file, wanted) => {
        fc.pre(wanted.some((line) => line !== ''));
        const lines = new Lines(file.map((line) => `${line}\n`).join(''));
        const found = linePlaces(lines, wanted, [{ from: 0, to: file.length }]).map(({ line }) => line);
        const expected = [...file.keys()].filter(
          (at) => at + wanted.length <= file.length && wanted.every((line, index) => line === file[at + index]),
        );
        assert.deepEqual(found, expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds whole lines within overlapping scopes', () => {
    const scope = fc.record({ from: fc.nat(6), to: fc.nat(7) });
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (scopes, height) => {
        const found = linePlaces(new Lines('a\n'.repeat(7)), Array(height).fill('a'), scopes).map(({ line }) => line);
        const expected = [...Array(8 - height).keys()].filter((line) => scopes.some(({ from, to }) => from <= line && line + height <= to));
        assert.deepEqual(found, expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('fails when whole lines occur too often', () => {
    const lines = new Lines('a\n'.repeat(100_001));
    assert.throws(() => linePlaces(lines, ['a'], [{ from: 0, to: lines.full }]), /more than 100,000 times/);
    assert.equal(linePlaces(lines, ['a'], [{ from: 1, to: lines.full }]).length, 100_000);
  });

  it('takes linear time, even if all lines are equal', () => {
    const spent = (count: number) => {
      const begun = process.cpuUsage();
      const passage = `${'    same();\n'.repeat(count / 2)}other();\n`;
      assert.throws(() => replaceAll('    same();\n'.repeat(count), [{ old_text: passage, new_text: 'x' }], 'a.txt'), /is not in a\.txt/);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1_000;
    };
    spent(2_000);
    const [short, long] = [spent(4_000), spent(32_000)];
    assert.ok(long < 200 + 24 * short, `${short} ms for 4,000 lines, ${long} ms for 32,000`);
  });
});
