import assert from 'node:assert/strict';
import fc from 'fast-check';
import { promptCommand, promptOf } from '../../../src/mcp/prompt-uri.ts';

describe('the address of a prompt', () => {
  it('keeps the name and the words that the user has typed', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !/[\s:]/.test(text));
    fc.assert(
      fc.property(name, fc.string(), (prompt, words) => {
        const command = promptCommand(`/server:${prompt} ${words}`);
        assert.ok(command);
        assert.ok(URL.canParse(command.uri));
        assert.deepEqual(promptOf(command.uri), { name: prompt.toWellFormed(), words: words.trim().toWellFormed() });
      }),
    );
  });

  it('is none for other texts and resources', () => {
    for (const text of ['/init', '/a/b:c', 'x /a:b', '/a:', '/:b', '']) assert.equal(promptCommand(text), undefined, text);
    for (const uri of ['file:///x', 'mcp-prompt:%zz', 'mcp-prompts:x']) assert.equal(promptOf(uri), undefined, uri);
  });
});
