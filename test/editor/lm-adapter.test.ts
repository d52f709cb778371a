import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type Message, user } from '../../src/core/model/messages.ts';
import { ModelError, type ModelEvent } from '../../src/core/model/model.ts';
import { systemPrompt } from '../../src/core/words/prompts.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { createEditorAdapter, editorModelRef, editorModels } from '../../src/hosts/vscode/models/lm-adapter.ts';

/** A PNG with one red pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const never = new AbortController().signal;
const properties = { path: { type: 'string' } };
const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties, required: ['path'] } }];

/** The only models of this editor are Kedge's own, so the offline model answers through VS Code. */
describe('the lm adapter', () => {
  const ask = async (messages: Message[], model = 'kedge/offline', signal = never, system = systemPrompt('ask', ['workspace'])) => {
    const events: ModelEvent[] = [];
    for await (const event of createEditorAdapter(new Map()).stream({ model, system, messages, tools }, signal)) events.push(event);
    return events;
  };
  const fails = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => assert.fail('It did not fail.'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ModelError, String(error));
    return error;
  };

  before(async () => {
    await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate();
  });

  it('finds the models of a vendor, and gives them the same names as the setting', async () => {
    const models = await editorModels('kedge');
    const offline = models.find(({ id }) => id === 'offline');
    assert.ok(offline);
    assert.deepEqual(editorModelRef(offline, new Map()), { provider: 'vscode', model: 'kedge/offline' });
  });

  it('streams text, and ends with a reason', async () => {
    const events = await ask([user('help')]);
    const shown = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
    assert.notEqual(shown, '');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'part' ? [event.part] : [])),
      [{ type: 'text', text: shown }],
    );
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'end_turn' });
  });

  it('receives calls as parts, and returns their results', async () => {
    const question = user('What is in README.md?');
    const first = await ask([question]);
    const [call] = first.flatMap((event) => (event.type === 'part' && event.part.type === 'tool_call' ? [event.part] : []));
    assert.ok(call);
    assert.deepEqual([call.name, (call.input as { path: string }).path], ['read_file', 'README.md']);
    assert.deepEqual(first.at(-1), { type: 'stop', reason: 'tool_use' });
    const from = { provider: 'anthropic', model: 'another' };
    const reasoning = { type: 'reasoning' as const, text: 'Hm.', replay: { signature: 'foreign' } };
    const events = await ask([
      question,
      { role: 'assistant', content: [reasoning, call], from, stop: 'tool_use' },
      {
        role: 'tool',
        content: [
          { type: 'tool_result', callId: call.id, name: call.name, content: [{ type: 'text', text: '1\t# A heading of the test' }] },
        ],
      },
    ]);
    assert.match(JSON.stringify(events), /A heading of the test/);
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'end_turn' });
  });

  it('sends images', async () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: DOT };
    const events = await ask([{ role: 'user', content: [{ type: 'text', text: 'help' }, image] }]);
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'end_turn' });
  });

  it('lists the existing models if it does not find the model', async () => {
    const error = await fails(ask([user('help')], 'kedge/nothing'));
    assert.equal(error.kind, 'unknown_model');
    assert.match(error.message, /kedge offers .*offline/);
  });

  it('reports that a vendor has no models', async () => {
    assert.equal((await fails(ask([user('help')], 'nobody/nothing'))).kind, 'unknown_model');
  });

  it('says to another assistant that Offline works only with Kedge', async () => {
    const events = await ask([user('What is in README.md?')], 'kedge/offline', never, 'You are an expert AI programming assistant.');
    const shown = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
    assert.match(shown, /^Offline is not a language model.*Begin the message with `@kedge`/);
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'end_turn' });
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);
    const asked = (async () => {
      for (;;) await ask([user('help')], 'kedge/offline', controller.signal);
    })();
    await assert.rejects(asked, { name: 'AbortError' });
  });

  it('can be used for a run of a session', async () => {
    const kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge;
    const session = await kedge?.assistant.newSession();
    await session?.prompt({ text: 'What is in README.md?', mode: 'ask', model: { provider: 'vscode', model: 'kedge/offline' } });
    assert.equal(session?.state.lastRun?.outcome, 'answered', JSON.stringify(session?.events.at(-1)));
    assert.equal([...(session?.state.callIds ?? [])].length > 0, true);
  });
});
