import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { wholeFile, withLines } from '../../../src/tools/edit/line-range.ts';
import { placeCode, withPatch } from '../../../src/tools/edit/place-code.ts';

const FILE = `import { EPOCH } from './epoch.ts';

export function tideAt(at) {
  if (at) {
    return 1;
  }
  return 0;
}

export function other() {
  return 1;
}
`;

/** Returns the text after the code was placed, or why it was not. */
function placed(text: string, code: string, language = 'ts'): string {
  const placement = placeCode(text, code, language);
  if (placement.kind === 'lines') return withLines(text, placement.range, code);
  return placement.kind === 'patch' ? (withPatch(text, code) ?? 'misfit') : placement.kind;
}

describe('placing code of an answer', () => {
  it('replaces the lines from the first line of the code to its last', () => {
    const code = 'export function tideAt(at) {\n  return at.height;\n}';
    const expected = FILE.replace(/export function tideAt[\s\S]*?\n}\n/, `${code}\n`);
    assert.equal(placed(FILE, code), expected);
    assert.equal(placed(FILE.replaceAll('\n', '\r\n'), code), expected.replaceAll('\n', '\r\n'));
  });

  it('replaces an indented block, and never reads past its parent', () => {
    assert.equal(placed(FILE, '  if (at) {\n    return 2;\n  }'), FILE.replace('return 1;\n  }', 'return 2;\n  }'));
    assert.equal(placed('class A {\n  one() {\n    1\n}\nx() {\n  }\n', '  one() {\n  }'), 'unknown');
  });

  it('does not guess', () => {
    assert.equal(placed(FILE, 'export function third() {\n}'), 'unknown');
    assert.equal(placed(`${FILE}\nexport function tideAt(at) {\n}\n`, 'export function tideAt(at) {\n}'), 'unknown');
    assert.equal(placed(FILE, '}'), 'unknown');
    for (const left of [
      '// ... existing code ...',
      '# ... rest of the file',
      '/* existing code */',
      '    ...',
      '// rest of the function unchanged',
    ])
      assert.equal(placed(FILE, `export function tideAt(at) {\n${left}\n}`), 'elided', left);
  });

  it('fills an empty file, and applies a diff that fits exactly', () => {
    assert.equal(placed('', 'one\ntwo'), 'one\ntwo\n');
    const diff = '--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@\n   if (at) {\n-    return 1;\n+    return 3;\n   }';
    assert.equal(placed(FILE, diff, 'diff'), FILE.replace('    return 1;', '    return 3;'));
    assert.equal(placed(FILE.replace('if (at)', 'if (now)'), diff, 'diff'), 'misfit');
  });

  it('keeps every other line, its end, and how the file ends', async () => {
    const line = fc.constantFrom('a', '  b', 'c d', '');
    await fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.nat(9),
        fc.nat(4),
        (lines, end, isClosed, at, removes) => {
          const text = lines.join(end) + (isClosed && lines.length > 0 ? end : '');
          const from = Math.min(at, wholeFile(text).removes);
          const count = Math.min(removes, wholeFile(text).removes - from);
          const result = withLines(text, { line: from + 1, removes: count }, 'new\ncode');
          const all = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
          assert.deepEqual(
            result.replace(/\r?\n$/, '').split(text.includes('\r') ? '\r\n' : '\n'),
            all.toSpliced(from, count, 'new', 'code'),
          );
          assert.equal(result.endsWith('\n'), text === '' || text.endsWith('\n'));
        },
      ),
    );
  });
});
