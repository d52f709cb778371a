import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type PlanDraft, planNote } from '../../../src/core/plan/plan.ts';
import { fence } from '../../../src/core/words/markdown-code.ts';
import { isCall, standingOf } from '../../../src/offline/declarations.ts';
import { exactEdits, renamer } from '../../../src/offline/edits.ts';
import { pieces } from '../../../src/offline/markdown.ts';
import { parsePlan, splitMessage } from '../../../src/offline/message.ts';
import { leadOf, outlineOf } from '../../../src/offline/outline.ts';
import { contentAt, mask, quote, valueAt } from '../../../src/offline/quotes.ts';
import { parseDirectory, parseListing, parseRead, parseSearch } from '../../../src/offline/results.ts';
import { applyEdits } from './conversation.ts';

describe('parsed tool results', () => {
  it('a search, with the note that there are more results', () => {
    assert.deepEqual(
      parseSearch('src/a.ts\n  3: const x = 1;\n  12:   x: y\n\n[id]/b.ts\n  1: x\n\n[more than 3 hits; narrow the search]'),
      {
        files: [
          {
            path: 'src/a.ts',
            hits: [
              { line: 3, text: 'const x = 1;' },
              { line: 12, text: '  x: y' },
            ],
          },
          { path: '[id]/b.ts', hits: [{ line: 1, text: 'x' }] },
        ],
        more: 'more than 3 hits; narrow the search',
      },
    );
  });

  it('a list of files', () => {
    assert.deepEqual(parseListing('a.ts\nb/'), { entries: ['a.ts', 'b/'] });
    assert.deepEqual(parseListing('a.ts\n[5 more entries]'), { entries: ['a.ts'], more: '5 more entries' });
    assert.deepEqual(parseListing('No files match *.x.'), { entries: [] });
    assert.deepEqual(parseDirectory('[the directory is empty]'), { entries: [] });
    assert.deepEqual(parseDirectory('a.ts\nb/ (2 files)\n  c.ts\n  d.ts\ne/ (ignored)\nf (1).ts\n[5 more entries]\n[2 more ignored]'), {
      entries: ['a.ts', 'b/', 'e/', 'f (1).ts'],
      more: '5 more entries',
    });
    assert.deepEqual(parseDirectory('[id]/ (empty)\n[all of this is ignored, or empty]'), { entries: ['[id]/'] });
  });

  it('a file: complete, in part, empty, or missing', () => {
    assert.deepEqual(parseRead('1\ta\n2\t\n3\t\tb'), { lines: ['a', '', '\tb'], from: 1, total: 3, cut: new Set() });
    const part = parseRead('5\ta\n6\tb\n[lines 5-6 of 90; read on with from_line 7]');
    assert.deepEqual(part, { lines: ['a', 'b'], from: 5, total: 90, next: 7, cut: new Set() });
    assert.deepEqual(parseRead('[the file is empty]'), { lines: [], from: 1, total: 0, cut: new Set() });
    assert.deepEqual(parseRead('1\txx… [900 more characters]')?.cut, new Set([0]));
    assert.equal(parseRead('a.png is a binary file of 90 bytes.'), undefined);
  });
});

describe('exact edits', () => {
  const edit = (text: string, change: (line: string) => string) => {
    const lines = text.split('\n');
    const changed = new Map(lines.map((line, index) => [index, change(line)] as const).filter(([index, line]) => line !== lines[index]));
    return exactEdits(lines, changed);
  };

  it('consist of the line alone if it occurs once', () => {
    assert.deepEqual(
      edit('a\nlet x;\nb', (line) => line.replace('x', 'y')),
      [{ old_text: 'let x;', new_text: 'let y;' }],
    );
  });

  it('change equal lines together if nothing else contains them', () => {
    assert.deepEqual(
      edit('go(x);\na\ngo(x);', (line) => line.replace('x', 'y')),
      [{ old_text: 'go(x);', new_text: 'go(y);', all: true }],
    );
  });

  it('include more lines if the line is a part of another', () => {
    const edits = edit('x\nmax\na\nx', (line) => (line === 'x' ? 'y' : line));
    assert.equal(applyEdits('x\nmax\na\nx', edits), 'y\nmax\na\ny');
    assert.ok(edits.every((each) => !each.all));
  });

  it('leave out changes that need a line whose end is unknown', () => {
    assert.deepEqual(exactEdits(['x', 'cut', 'x'], new Map([[0, 'y']]), new Set([1])), []);
  });

  it('always create exactly the requested text', () => {
    const line = fc.constantFrom('x', 'xx', 'a', 'b', '', 'a x', ' x', 'x b');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 14 }), fc.constantFrom(/x/g, /\bx\b/g, /x b|^x$/), (lines, pattern) => {
        const change = (each: string) => each.replace(pattern, 'Y');
        const text = lines.join('\n');
        const edits = edit(text, change);
        assert.equal(edits.length === 0 ? text : applyEdits(text, edits), lines.map(change).join('\n'));
      }),
      { numRuns: 500 },
    );
  });

  it('rename whole identifiers only', () => {
    const rename = renamer('tide', 'water');
    assert.equal(rename('tide(tides, tide_x, atide, x.tide, "tide")', 'a.py'), 'water(tides, tide_x, atide, x.water, "water")');
    assert.equal(rename('$tide tide$', 'a.ts'), '$tide tide$');
    assert.equal(rename('echo $tide', 'a.sh'), 'echo $water');
    assert.equal(rename('tidé', 'a.ts'), 'tidé');
    assert.equal(renamer('a', '$&')('a', 'a.py'), '$&');
  });
});

describe('declarations', () => {
  const rows: [string, string, string, string][] = [
    ['export function tide(at: Date) {', 'tide', 'a.ts', 'strong'],
    ['export const tide = 1;', 'tide', 'a.ts', 'strong'],
    ['  async tide(at: Date): Promise<void> {', 'tide', 'a.ts', 'strong'],
    ['  private tide = 1;', 'tide', 'a.ts', 'strong'],
    ['  tide: (at) => 1,', 'tide', 'a.ts', 'strong'],
    ['  tide: number;', 'tide', 'a.ts', 'weak'],
    ["import { tide } from './tide.ts';", 'tide', 'a.ts', 'use'],
    ['export { tide };', 'tide', 'a.ts', 'use'],
    ['  return tide(at);', 'tide', 'a.ts', 'use'],
    ['  if (tide(at)) {', 'tide', 'a.ts', 'use'],
    ['// const tide = 1', 'tide', 'a.ts', 'use'],
    ['const x = tide(1);', 'tide', 'a.ts', 'use'],
    ['function tides() {', 'tide', 'a.ts', 'use'],
    ['export interface Tide {', 'Tide', 'a.ts', 'strong'],
    ['def tide(at):', 'tide', 'a.py', 'strong'],
    ['TIDE = 3', 'TIDE', 'a.py', 'strong'],
    ['func Tide(at int) int {', 'Tide', 'a.go', 'strong'],
    ['func (t *Table) Tide() int {', 'Tide', 'a.go', 'strong'],
    ['pub fn tide() -> u8 {', 'tide', 'a.rs', 'strong'],
    ['    let mut tide = 1;', 'tide', 'a.rs', 'strong'],
    ['pub(crate) struct Tide {', 'Tide', 'a.rs', 'strong'],
    ['  public static int tide(Date at) {', 'tide', 'A.java', 'strong'],
    ['int tide(int at)', 'tide', 'a.c', 'strong'],
    ['  tide(3);', 'tide', 'a.c', 'use'],
    ['#define TIDE 3', 'TIDE', 'a.h', 'strong'],
    ['def tide', 'tide', 'a.rb', 'strong'],
    ['create table if not exists tide (', 'tide', 'a.sql', 'strong'],
    ['.tide { color: blue; }', 'tide', 'a.css', 'strong'],
    ['tide: 3', 'tide', 'a.yaml', 'strong'],
    ['tide() {', 'tide', 'a.sh', 'strong'],
  ];
  for (const [line, name, path, standing] of rows) it(`${path}: ${line}`, () => assert.equal(standingOf(line, name, path), standing));

  it('distinguish a call from a name', () => {
    assert.ok(isCall('x = tide(3)', 'tide') && isCall('tide<number>(3)', 'tide'));
    assert.ok(!isCall('map(tide)', 'tide') && !isCall('tides(3)', 'tide'));
  });
});

describe('outlines', () => {
  const rows: [string, string, string[]][] = [
    [
      'a.ts',
      'import x;\nexport class A {\n  b(c: number) {\n    if (c) {\n    }\n  }\n}\nconst d = {\n',
      ['2 export class A', '3 b(c: number)', '8 const d'],
    ],
    ['a.py', 'X_Y = 1\nclass A:\n    def b(self):\n        pass\n', ['1 X_Y = 1', '2 class A', '3 def b(self)']],
    ['a.go', 'package a\nfunc B() {\n\tvar c\n}\n', ['1 package a', '2 func B()']],
    ['a.rs', 'pub struct A {\n}\nimpl A {\n    pub fn b() {\n', ['1 pub struct A', '3 impl A', '4 pub fn b()']],
    ['A.java', 'public class A {\n    public int b(int c) {\n        d(c);\n', ['1 public class A', '2 public int b(int c)']],
    ['a.c', '#define A 1\nstatic int b(void)\n{\n  c();\n}\n', ['1 #define A 1', '2 static int b(void)']],
    ['a.md', '# A\n```\n# no\n```\n## B\n', ['1 A', '5 B']],
    ['a.json', '{\n  "a": {\n    "b": [\n      {"c": 1}\n    ]\n  },\n  "d": 2\n}', ['2 a', '3 b', '7 d: 2']],
  ];
  for (const [path, text, expected] of rows) {
    it(path, () =>
      assert.deepEqual(
        outlineOf(path, text.split('\n')).map(({ line, text: shown }) => `${line} ${shown}`),
        expected,
      ),
    );
  }

  it('begin with the first comment or paragraph', () => {
    assert.equal(leadOf('a.ts', ["import './b.ts';", '', '/**', ' * The tide.', ' * It rises.', ' */', 'x()']), 'The tide. It rises.');
    assert.equal(leadOf('a.ts', ['/** One line. */', 'x()', '/* no */']), 'One line.');
    assert.equal(leadOf('a.py', ['#!/usr/bin/python', '"""The tide."""', 'x = 1']), 'The tide.');
    assert.equal(leadOf('a.py', ['# The tide.', '# It rises.', 'x = 1']), 'The tide. It rises.');
    assert.equal(leadOf('a.md', ['# A', '', '[![x](y)](z)', '', 'The tide', 'rises.', '', 'More.']), 'The tide rises.');
  });
});

describe('words', () => {
  it('are quoted so that the grammar reads them back', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '`', '\\', '\n', 'n', '.', ',', 'é', ')'), maxLength: 12 });
    fc.assert(
      fc.property(piece, (text) => {
        const masked = mask(`append ${quote(text)} to a.md`);
        assert.equal(masked.text.length, 'append x to a.md'.length);
        if (!text.includes('\n')) assert.equal(valueAt(masked.text.charAt(7), masked), text);
        assert.equal(contentAt(masked.text.charAt(7), masked), text);
      }),
      { numRuns: 2000 },
    );
  });

  it('in pieces can be joined to the original text', () => {
    const text = '  One two three four\n\n- five `six`\n';
    assert.equal(pieces(text).join(''), text);
    assert.ok(pieces(text).length > 2);
    assert.deepEqual(pieces(''), []);
  });

  it('in a code fence never close it', () => {
    assert.equal(fence('a\n```\nb', 'md'), '````md\na\n```\nb\n````');
  });
});

describe('messages', () => {
  it('are split into request and references', () => {
    const { request, references } = splitMessage(
      'explain this\n\n<file path="a.ts" lines="3-9">\n<b>\n</file>\n<file path="b.ts">x</file>',
    );
    assert.equal(request, 'explain this');
    assert.deepEqual(references, [{ path: 'a.ts', from: 3, to: 9 }, { path: 'b.ts' }]);
  });

  it('contain a confirmed plan', () => {
    const draft: PlanDraft = {
      goal: 'Two things.\nMore of them.',
      steps: [
        { title: 'Rename a to b in x.ts', files: ['x.ts', 'y/z.ts'], tools: ['replace_in_file'], check: 'No a is left' },
        { title: 'Create n.md containing:\n```\n2. not a step\n   files: none\n```', files: ['n.md'] },
        { title: 'Nothing in particular', files: [] },
      ],
      checks: ['No whole-word a is left'],
    };
    assert.deepEqual(parsePlan(planNote({ ...draft, id: 'p', revision: 1 }).text), draft);
  });
});
