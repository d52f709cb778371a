import assert from 'node:assert/strict';
import { readCommand, readMessage } from '../../../../src/app/reading/command.ts';
import { templateText } from '../../../../src/app/reading/templates.ts';

describe('/read', () => {
  it('names documents and collections in its first line, and the task below', () => {
    assert.deepEqual(readCommand('/read handbook manuals/my.pdf "manuals/my pump.pdf"\nCompare them.\n\nIn French.'), {
      names: ['handbook', 'manuals/my.pdf', 'manuals/my pump.pdf'],
      task: 'Compare them.\n\nIn French.',
    });
    assert.deepEqual(readCommand(readMessage(['a/b c.md', 'a/d.md'], 'Do it.')), { names: ['a/b c.md', 'a/d.md'], task: 'Do it.' });
  });

  it('can be one line, and summarizes without a task', () => {
    assert.deepEqual(readCommand('/read handbook/a.md handbook/b.md What and/or who?'), {
      names: ['handbook/a.md', 'handbook/b.md'],
      task: 'What and/or who?',
    });
    assert.deepEqual(readCommand(' /read handbook  List the valves.')?.task, 'List the valves.');
    assert.match(readCommand('/read handbook/a.md')?.task ?? '', /^Summarize/);
  });

  it('is only this command', () => {
    for (const text of ['/read', '/read ', '/reader a', 'Please /read handbook', 'read handbook', '/read\nhandbook'])
      assert.equal(readCommand(text), undefined);
  });

  it('begins the prompts about documents', () => {
    const documents = ['handbook/a.md', 'handbook/b c.md'];
    for (const template of ['summarize', 'worksheet'] as const) {
      assert.deepEqual(readCommand(templateText(template, { collection: 'handbook', documents: [] }))?.names, ['handbook']);
      assert.deepEqual(readCommand(templateText(template, { collection: 'handbook', documents: ['handbook/a.md'] }))?.names, [
        'handbook/a.md',
      ]);
    }
    const compare = readCommand(templateText('compare', { collection: 'handbook', documents }));
    assert.deepEqual(compare?.names, documents);
    assert.match(compare?.task ?? '', /columns Topic, a\.md and b c\.md/);
  });
});
