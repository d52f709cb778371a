import assert from 'node:assert/strict';
import fc from 'fast-check';
import { diffOf } from '../../../src/workspace/changes.ts';
import { encodeText } from '../../../src/workspace/content.ts';

const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd', 'a\r\n'), { maxLength: 25 }).map((lines) => lines.join(''));
const linesOf = (whole: string) => whole.match(/[^\n]*\n|[^\n]+/g) ?? [];
const bare = (line: string | undefined) => line?.replace(/\n$/, '');

describe('a diff', () => {
  it('applied to the old text gives the new one', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, old, now, tail) => {
        const [before, after] = [head + old + tail, head + now + tail];
        const { diff, added, removed } = diffOf(encodeText(before), encodeText(after));
        const from = linesOf(before);
        const out: string[] = [];
        let at = 0;
        let counts = 0;
        for (const line of diff === '' ? [] : diff.split('\n')) {
          const start = /^@@ -(\d+),/.exec(line)?.[1];
          if (start !== undefined) while (at < Number(start) - 1) out.push(from[at++] as string);
          else if (line.startsWith('+')) out.push(`${line.slice(1)}\n`);
          else if (!line.startsWith('\\')) {
            assert.equal(bare(from[at]), line.slice(1));
            if (line.startsWith(' ')) out.push(from[at] as string);
            at++;
          }
          if (/^[+-]/.test(line)) counts++;
        }
        out.push(...from.slice(at));
        assert.equal(bare(out.join('')), bare(after));
        assert.equal(added + removed, counts);
      }),
      { numRuns: 1_000 },
    );
  });
});
