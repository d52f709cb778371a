// The help fits into a terminal of the usual width.
import assert from 'node:assert/strict';
import { helpOn } from '../../../../src/hosts/cli/options/help.ts';
import { wrapHelp } from '../../../../src/hosts/cli/options/wrap-help.ts';
import { SESSION_HELP } from '../../../../src/hosts/cli/sessions/help.ts';

/** The commands in the general help, and the topics of commands that it does not name by themselves. */
const TOPICS = [...new Set([...helpOn().matchAll(/^ {2}kedge (\w+)/gm)].map(([, topic = '']) => topic)), ...Object.keys(SESSION_HELP)];

describe('the help of the terminal', () => {
  for (const topic of ['', ...TOPICS])
    it(`has lines of at most 80 characters: kedge ${topic} --help`, () => {
      assert.deepEqual(
        helpOn(topic)
          .split('\n')
          .filter((line) => line.length > 80),
        [],
      );
    });

  it('keeps a description in its column, and fills the lines that continue it', () => {
    const words = 'word '.repeat(14).trim();
    assert.equal(
      wrapHelp(`  --flag  ${words} ${words}\n          and this\n  --next  short\n`),
      `  --flag  ${words}\n          ${words}\n          and this\n  --next  short\n`,
    );
    const long = `Paste ${'this '.repeat(15)}line:`;
    assert.equal(wrapHelp(`  ${long}\n  {"a": 1}`).split('\n').at(-1), '  {"a": 1}');
    assert.equal(wrapHelp(`${'x'.repeat(200)}`), 'x'.repeat(200));
  });

  it('has every word of the texts', () => {
    assert.match(helpOn('worktree'), /your lines\s+stay and the file is named/);
    assert.match(helpOn(), /kedge sessions {11}list this folder's sessions/);
  });
});
