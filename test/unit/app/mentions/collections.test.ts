import assert from 'node:assert/strict';
import type { MentionRef } from '../../../../src/core/model/messages.ts';
import { resultText } from '../../../../src/core/model/messages.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { keptCollections } from '../../../support/documents/kept-collections.ts';
import { assistantOn, type Harness } from '../../../support/harness.ts';

const HANDBOOK: MentionRef = { kind: 'collection', path: 'handbook' };
const COLLECTIONS = {
  handbook: { 'guide.md': '# Deploy\n\nRun the rollback twice.\n' },
  manuals: { 'pump.md': '# Pump\n\nThe rollback valve is red.\n' },
};

async function read({ assistant, session }: Harness, refs: MentionRef[]) {
  return (await assistant.mentions(session)).read(refs, () => true, new AbortController().signal);
}

describe('a collection of documents is mentioned', () => {
  it('by its name, while a folder of the same name is written with a slash', async () => {
    await using kept = await keptCollections(COLLECTIONS);
    await using kedge = await assistantOn({ 'handbook/a.ts': '' }, [], { documents: async () => ({ collections: kept.store }) });
    const mentions = await kedge.assistant.mentions(kedge.session);
    const { refs, unknown } = await mentions.inText('Look in @handbook, @handbook/ and @other');
    assert.deepEqual(refs, [HANDBOOK, { kind: 'folder', path: 'handbook/' }]);
    assert.deepEqual(
      unknown.map(({ target }) => target),
      ['other'],
    );
    let choices: string[] = [];
    for await (const list of mentions.find('hand', { open: [] })) choices = list.map(({ label, detail }) => `${label} | ${detail ?? ''}`);
    assert.deepEqual(choices, ['handbook | Collection of 1 document', 'handbook/ | ', 'a.ts | handbook']);
  });

  it('and the run searches it alone', async () => {
    await using kept = await keptCollections(COLLECTIONS);
    const search = () => turn(call('documents_search', { query: 'rollback' }));
    const script = [search(), turn(say('Twice.')), search(), turn(say('Red.'))];
    await using kedge = await assistantOn({}, script, { documents: async () => ({ collections: kept.store }) });
    const { parts, refused } = await read(kedge, [HANDBOOK]);
    assert.deepEqual(refused, []);
    assert.match(parts.flatMap((part) => (part.type === 'note' ? [part.text] : [])).join(), /handbook \(1 document\)/);
    await kedge.session.prompt({ text: 'How do I roll back?', mode: 'ask', attachments: parts });
    await kedge.session.prompt({ text: 'And the valve?', mode: 'ask' });
    const results = kedge.session.events.ofType('tool_finished').map(({ result }) => resultText(result));
    assert.equal(results.length, 2);
    assert.match(results[0] ?? '', /\[handbook\/guide\.md:/);
    assert.doesNotMatch(results[0] ?? '', /manuals/);
    assert.match(results[1] ?? '', /\[manuals\/pump\.md:/, 'the next message searches all collections again');
  });

  it('and refused if it does not exist', async () => {
    await using kept = await keptCollections(COLLECTIONS);
    await using kedge = await assistantOn({}, [], { documents: async () => ({ collections: kept.store }) });
    const { refused } = await read(kedge, [{ kind: 'collection', path: 'gone' }]);
    assert.match(refused[0]?.reason ?? '', /There is no collection gone/);
  });
});
