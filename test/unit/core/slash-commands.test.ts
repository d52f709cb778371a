import assert from 'node:assert/strict';
import { entryProblem, initPrompt, parseSlashCommand } from '../../../src/core/words/slash-commands.ts';

describe('commands in place of a message', () => {
  it('are recognized at the beginning only', () => {
    assert.deepEqual(parseSlashCommand('/remember Use  make.\n'), { name: 'remember', entry: 'Use make.', everywhere: false });
    assert.deepEqual(parseSlashCommand('/remember --all Be brief.'), { name: 'remember', entry: 'Be brief.', everywhere: true });
    assert.deepEqual(parseSlashCommand(' /remember'), { name: 'remember', entry: '', everywhere: false });
    assert.deepEqual(parseSlashCommand('/init in German'), { name: 'init', words: 'in German' });
    assert.deepEqual(parseSlashCommand('/compact the names'), { name: 'compact', words: 'the names' });
    for (const text of ['/initialize x', 'What does /init do?', '/rememberer', '/ init', 'init'])
      assert.equal(parseSlashCommand(text), undefined);
  });

  it('do not shorten the text to remember', () => {
    const entry = 'x'.repeat(2_000);
    assert.deepEqual(parseSlashCommand(`/remember ${entry}`), { name: 'remember', entry, everywhere: false });
    assert.equal(entryProblem('Use make.'), undefined);
    assert.match(entryProblem('') ?? '', /^There is nothing to remember\./);
    assert.match(entryProblem(entry) ?? '', /^The text was not stored, because it has 2,000 characters\. .* at most 1,000\./);
  });

  it('create a prompt with the instructions of the user', () => {
    assert.match(initPrompt(''), /^Write AGENTS\.md [\s\S]*not sure about\.$/);
    assert.match(initPrompt('in German'), /\n\nThe user adds: in German$/);
  });
});
