import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answer } from '../../src/hosts/vscode/chat.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { models, neutralMessages, reported } from '../../src/hosts/vscode/model-provider.ts';

describe("another extension's messages to a model of Kedge's", () => {
  const { LanguageModelChatMessage: Wire, LanguageModelDataPart: Data, LanguageModelTextPart: Text } = vscode;
  const from = { provider: 'groq', model: 'one' };
  const bytes = new Uint8Array([1, 2, 3]);
  const image = { type: 'image', mediaType: 'image/png', data: 'AQID' };

  it('keep their images, also those of tool results, and a result has the name of its call', () => {
    const call = new vscode.LanguageModelToolCallPart('c1', 'look', { at: 'a' });
    const result = new vscode.LanguageModelToolResultPart('c1', [new Text('Seen:'), Data.image(bytes, 'image/png')]);
    const messages = [
      Wire.User([new Text('What is this?'), Data.image(bytes, 'image/png'), Data.text('{}', 'application/vnd.cache')]),
      Wire.Assistant([new Text('I look.'), call]),
      Wire.User([result, Data.text('{"a":1}', 'application/json'), Data.text('b', 'text/plain')]),
    ];
    assert.deepEqual(neutralMessages(messages as unknown as vscode.LanguageModelChatRequestMessage[], from), [
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_call', id: 'c1', name: 'look', input: { at: 'a' } },
        ],
        from,
        stop: 'tool_use',
      },
      { role: 'tool', content: [{ type: 'tool_result', callId: 'c1', name: 'look', content: [{ type: 'text', text: 'Seen:' }, image] }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '{"a":1}' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });
});

describe("a call of a model of Kedge's, for another extension", () => {
  const call = { type: 'tool_call', id: 'c1', name: 'look' } as const;
  const inputs = (...calls: Parameters<typeof reported>) => reported(...calls).map(({ input }) => input);

  it('has its arguments, and where they are not JSON, none that could be executed', () => {
    assert.deepEqual(inputs({ ...call, input: { at: 'a' } }), [{ at: 'a' }]);
    assert.deepEqual(inputs({ ...call, malformed: '{"at"' }), [{ malformed_arguments: '{"at"' }]);
  });

  it('is none where the model may only have quoted it', () => {
    assert.deepEqual(reported({ ...call, malformed: '{"at":"a"}', problem: 'Not executed.' }), []);
  });
});

describe('the model of the native Chat', () => {
  let kedge: Kedge;
  const set = (key: string, value: unknown) =>
    vscode.workspace.getConfiguration('kedge').update(key, value, vscode.ConfigurationTarget.Global);
  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
  });
  afterEach(async () => {
    for (const key of ['model', 'modelFor.plan']) await set(key, undefined);
  });

  /** The models cannot answer, for they have no key: it is told which one was asked. */
  async function asked(picked: string, command = 'ask'): Promise<string[]> {
    const told: string[] = [];
    const stream = { markdown: () => undefined, button: () => undefined, progress: (text: string) => told.push(text) };
    const request = { command, prompt: 'Hello', references: [], model: { vendor: 'kedge', id: picked } };
    const { token } = new vscode.CancellationTokenSource();
    await answer(kedge, request as unknown as vscode.ChatRequest, { history: [] }, stream as unknown as vscode.ChatResponseStream, token);
    return told.filter((text) => text.endsWith(' answers'));
  }

  it('is the connected one where VS Code still has Offline picked', async () => {
    await set('model', 'groq/one');
    await set('modelFor.plan', 'groq/two');
    assert.deepEqual(await asked('offline'), ['one answers']);
    assert.deepEqual(await asked('offline', 'plan'), ['two answers']);
  });

  it('is the one that was picked there', async () => {
    await set('model', 'groq/one');
    assert.deepEqual(await asked('groq/two'), ['two answers']);
  });

  it('is Offline where that is chosen in the settings', async () => {
    assert.deepEqual(await asked('offline'), ['Offline answers']);
  });

  it('is proposed by VS Code once it is connected', async () => {
    const proposed = async () => {
      const all = await models(kedge, true, new vscode.CancellationTokenSource().token);
      return all.filter(({ isDefault }) => isDefault).map(({ id }) => id);
    };
    assert.deepEqual(await proposed(), ['offline']);
    await set('model', 'groq/one');
    assert.deepEqual(await proposed(), ['groq/one']);
  });
});
