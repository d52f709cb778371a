import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolError } from '../../../src/core/run/tool.ts';
import { applyHunks } from '../../../src/tools/edit/patch/hunks.ts';
import { opsOf } from '../../../src/tools/edit/replace/render.ts';
import { replaceAll } from '../../../src/tools/edit/replace/replace.ts';
import { SLIPS, type Slip, sources, type TrueEdit, trueEdits } from '../../support/mutated-edits.ts';

type Use = (file: string, old: readonly string[], now: readonly string[]) => string;
type Outcome = 'right' | 'refused' | 'untold';

const byReplacing: Use = (file, old, now) => replaceAll(file, [{ old_text: old.join('\n'), new_text: now.join('\n') }], 'a').text;
const byPatching: Use = (file, old, now) =>
  applyHunks(file, [{ headers: [], ops: opsOf(old.join('\n'), now.join('\n')), endOfFile: false }], 'a').text;

/** The share of edits with this mistake that may be refused. Edits that lost all indentation are usually refused, others hardly ever. */
const MOST_REFUSED: Readonly<Record<string, number>> = {
  'the whole is dedented': 0.09,
  'old is dedented alone': 0.55,
  'all indentation is gone': 0.8,
  'all indentation of old is gone': 0.25,
  'the whole is dedented and the unit is a tab': 0.12,
  'the whole is dedented and the unit is 2 blanks': 0.3,
  'the whole is dedented and the unit is 4 blanks': 0.25,
  none: 0,
};
const MOST = 0.08;

describe('an edit with other indentation, blanks or quotes than the file has', () => {
  const files = sources();
  for (const slip of SLIPS) {
    it(`is applied correctly or refused: ${slip.name}`, () => {
      const count = { right: 0, refused: 0, untold: 0 };
      fc.assert(
        fc.property(trueEdits(files), (edit) => {
          for (const use of [byReplacing, byPatching]) count[outcomeOf(use, edit, slip)]++;
        }),
        { numRuns: 500 },
      );
      const refused = count.refused / (count.refused + count.right);
      assert.ok(refused <= (MOST_REFUSED[slip.name] ?? MOST), `${JSON.stringify(count)}: ${Math.round(100 * refused)} % are refused`);
    });
  }
});

/** @throws when the result is neither the correct text nor an error. */
function outcomeOf(use: Use, edit: TrueEdit, slip: Slip): Outcome {
  const { source, from, old, now, what } = edit;
  const written = slip.apply(edit);
  const file = `${source.lines.join('\n')}\n`;
  const right = `${source.lines.toSpliced(from, old.length, ...now).join('\n')}\n`;
  if (!written || file === right) return 'untold';
  let result: string;
  try {
    result = use(file, written.old, written.now);
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error));
    return /occurs \d+ times/.test(error.message) ? 'untold' : 'refused';
  }
  // A passage that matches exactly is replaced exactly, wherever the mistake came from.
  const letters = written.old.map((line) => line.trimEnd());
  // The patch line ` x` is the context line `x`. If its sign was forgotten, it is the line ` x` of the file.
  const isUnsigned = use === byPatching && old[0] === ` ${letters[0]}`;
  const isExact = file.includes(letters.join('\n')) && (old.length > 1 || letters[0] === old[0] || isUnsigned);
  if (result !== right && isExact && slip.name !== 'none') return 'untold';
  const around = (text: string) =>
    text
      .split('\n')
      .slice(from, from + now.length + 1)
      .join('\n');
  const parts = {
    file: old.join('\n'),
    old: written.old.join('\n'),
    new: written.now.join('\n'),
    result: around(result),
    right: around(right),
  };
  const shown = Object.entries(parts).map(([name, text]) => `--- ${name}\n${text.replaceAll('\t', '→')}`);
  assert.ok(result === right, [`${source.name}: ${what}, ${slip.name}`, ...shown].join('\n'));
  return 'right';
}
