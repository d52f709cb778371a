import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolError } from '../../../../src/core/run/tool.ts';
import { delimiterOf, numberIn, rowsOf } from '../../../../src/tools/data/csv.ts';
import { evaluate, numberText } from '../../../../src/tools/data/expression.ts';
import { FUNCTIONS } from '../../../../src/tools/data/functions.ts';

describe('calculate', () => {
  for (const [expression, expected] of [
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['0.1 + 0.2', '0.3'],
    ['-2^2', '-4'],
    ['2^3^2', '512'],
    ['2 ** -1', '0.5'],
    ['10 - 4 - 3', '3'],
    ['7 % 4 / 2', '1.5'],
    ['1e3 + .5', '1000.5'],
    ['sum(1, 2, 3.5)', '6.5'],
    ['mean(1, 2, 3, 4)', '2.5'],
    ['median(5, 1, 9)', '5'],
    ['median(4, 1, 2, 3)', '2.5'],
    ['stdev(2, 4, 4, 4, 5, 5, 7, 9)', '2.1380899352994'],
    ['round(2.345, 2)', '2.35'],
    ['round(-1.5)', '-2'],
    ['round(1234.5, -2)', '1200'],
    ['ROUND(2 * pi, 4)', '6.2832'],
    ['max(1, -min(3, 2), sqrt(16))', '4'],
  ] as const)
    it(`${expression} is ${expected}`, () => assert.equal(numberText(evaluate(expression)), expected));

  it('refuses everything that is not arithmetic', () => {
    for (const expression of [
      ...[
        '',
        '1 +',
        '(1',
        '1)',
        '1 2',
        'x',
        'x = 1',
        '"a"',
        '1; 2',
        'a.b',
        '[1]',
        '1,2',
        '1..2',
        'sum()',
        'round(1, 2, 3)',
        'round(1, 99)',
      ],
      ...['constructor', 'constructor("x")', '__proto__', 'toString()', 'process.exit()', 'import("fs")', 'eval(1)', 'sum(1).constructor'],
      ...['1/0', '2^99999', 'sqrt(-1)', 'ln(0)', '0/0', `${'('.repeat(60)}1${')'.repeat(60)}`, `${'-'.repeat(60)}1`, '1+'.repeat(20_000)],
    ])
      assert.throws(() => evaluate(expression), ToolError, expression.slice(0, 40));
  });

  it('has the value of JavaScript for random arithmetic', () => {
    const number = fc.integer({ min: 0, max: 1000 }).map(String);
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4 },
        number,
        fc
          .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%'), tie('expression'))
          .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        tie('expression').map((each) => `-(${each})`),
      ),
    }));
    fc.assert(
      fc.property(expression, (text) => {
        const expected: unknown = new Function(`return ${text}`)();
        if (Number.isFinite(expected) && !text.includes('/')) assert.equal(evaluate(text), expected);
      }),
    );
  });

  it('ends for any text, and either has a finite value or says why not', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom(...FUNCTIONS.keys(), '(', ')', ',', '-', '^', '1', '1e308'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        try {
          return Number.isFinite(evaluate(words.join('')));
        } catch (error) {
          return error instanceof ToolError;
        }
      }),
    );
  });
});

describe('the rows of a table', () => {
  it('may have quotation marks, delimiters and line breaks in their fields', () => {
    const text = 'a,b\r\n"x, y","1\n2"\r\n"say ""hi""",\n\nlast,"open';
    assert.deepEqual(
      [...rowsOf(text, delimiterOf(text))],
      [
        ['a', 'b'],
        ['x, y', '1\n2'],
        ['say "hi"', ''],
        ['last', 'open'],
      ],
    );
  });

  it('are those that were written, whatever they contain', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '1') });
    const quoted = (row: string[]) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',');
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
        assert.deepEqual([...rowsOf(rows.map(quoted).join('\n'), ',')], rows);
      }),
    );
  });

  it('have a decimal comma only if the comma is not the delimiter', () => {
    assert.deepEqual(
      [
        numberIn('1,5', ';'),
        numberIn('1,5', ','),
        numberIn('1.000,5', ';'),
        numberIn('-.5e2', ';'),
        numberIn('5 EUR', ';'),
        numberIn('', ';'),
      ],
      [1.5, undefined, undefined, -50, undefined, undefined],
    );
  });
});
