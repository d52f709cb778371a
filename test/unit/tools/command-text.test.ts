import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TerminalText } from '../../../src/tools/commands/command-text.ts';

function shown(...chunks: string[]): string {
  let text = '';
  const terminal = new TerminalText((settled) => {
    text += settled;
  });
  for (const chunk of chunks) terminal.write(chunk);
  terminal.end();
  return text;
}

describe('the text of a terminal', () => {
  const cases: [string, string, string][] = [
    ['plain lines', 'one\ntwo\n', 'one\ntwo\n'],
    ['lines as a terminal ends them', 'one\r\ntwo\r\r\n', 'one\ntwo\n'],
    ['colours', '\u001b[1;31mred\u001b[0m and \u001b[38;2;1;2;3mmore\u001b[m', 'red and more'],
    ['colours with colons', '\u001b[4:3mcurly\u001b[0m', 'curly'],
    ['titles and links', '\u001b]0;title\u0007a \u001b]8;;https://x.org\u001b\\link\u001b]8;;\u001b\\', 'a link'],
    ['the marks of shell integration', '\u001b]633;C\u0007out\n\u001b]633;D;0\u0007\u001b]133;A\u001b\\', 'out\n'],
    ['device control', '\u001bP1$r0m\u001b\\x\u001b_apc\u001b\\y', 'xy'],
    ['character sets and modes', '\u001b(B\u001b=\u001b[?25la\u001b[?25h\u001b>', 'a'],
    ['a progress bar', 'working\n 10%\r 55%\r100%\ndone\n', 'working\n100%\ndone\n'],
    ['a shorter line over a longer one', 'downloading\rdone\n', 'doneloading\n'],
    ['a line that is erased first', 'downloading\r\u001b[Kdone\n', 'done\n'],
    ['one that is erased whole', 'downloading\u001b[2K\rdone\n', 'done\n'],
    ['backspaces', 'abc\b\bX\n', 'aXc\n'],
    ['a spinner', '|\b/\b-\b\\\bok\n', 'ok\n'],
    ['bars below each other', 'a 1%\nb 1%\n\u001b[2Aa 99%\nb 50%\n', 'a 99%\nb 50%\n'],
    ['the same, erased', 'a 1%\nb 1%\n\u001b[2A\u001b[Jdone\n', 'done\n'],
    ['a screen that is cleared', 'before\n\u001b[H\u001b[2J\u001b[3Jafter\n', 'before\n\nafter\n'],
    ['columns', 'x\u001b[10Gy\u001b[3Dz\n', 'x      z y\n'],
    ['tabs and letters of all kinds', '\tä 日本 👍🏽\n', '\tä 日本 👍🏽\n'],
    ['bells', 'a\u0007b\n', 'ab\n'],
    ['what is no text', 'a\0b', 'a\ufffdb'],
    ['an escape that leads nowhere', 'a\u001b\nb', 'a\nb'],
  ];
  for (const [what, input, output] of cases) {
    it(`keeps or leaves out: ${what}`, () => assert.equal(shown(input), output));
  }

  it('does not depend on how the output is cut in pieces', () => {
    const inputs = cases.map(([, input]) => input).join('');
    fc.assert(
      fc.property(fc.array(fc.nat(inputs.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), inputs.length];
        const chunks = places.slice(1).map((end, index) => inputs.slice(places[index], end));
        assert.equal(shown(...chunks), shown(inputs));
      }),
      { examples: [[[265, 265]]] },
    );
  });

  it('never lets a control character through', () => {
    const piece = fc.oneof(
      fc.constantFrom('\u001b', '[', ']', '\u0007', '\r', '\n', '\b', '\0', 'H', 'J', '2', ';', 'A', 'K', '\u009b', 'P', '\\'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        assert.doesNotMatch(shown(...pieces), /[^\P{Cc}\n\t]/u);
      }),
      { numRuns: 1_000 },
    );
  });

  it('passes on a very long line in parts', () => {
    let longest = 0;
    let total = 0;
    const terminal = new TerminalText((settled) => {
      longest = Math.max(longest, settled.length);
      total += settled.length;
    });
    for (let count = 0; count < 1_000; count++) terminal.write('x'.repeat(10_000));
    terminal.end();
    assert.equal(total, 10_000_000);
    assert.ok(longest < 100_000, `${longest}`);
  });
});
