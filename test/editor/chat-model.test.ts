import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answer } from '../../src/hosts/vscode/chat/chat.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { models, neutralMessages, toToolCallParts } from '../../src/hosts/vscode/models/model-provider.ts';

describe('the messages of another extension to a model of Kedge', () => {
  const { LanguageModelChatMessage: Wire, LanguageModelDataPart: Data, LanguageModelTextPart: Text } = vscode;
  const from = { provider: 'groq', model: 'one' };
  const bytes = new Uint8Array([1, 2, 3]);
  const image = { type: 'image', mediaType: 'image/png', data: 'AQID' };

  it('keep their images, also in tool results, and a result has the name of its call', () => {
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

describe('a call that a model of Kedge makes for another extension', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'look' } as const;
  const inputs = (...calls: Parameters<typeof toToolCallParts>) => toToolCallParts(...calls).map(({ input }) => input);

  it('has its arguments, or if they are not JSON, no arguments that could be executed', () => {
    assert.deepEqual(inputs({ ...call, input: { at: 'a' } }), [{ at: 'a' }]);
    assert.deepEqual(inputs({ ...call, malformed: '{"at"' }), [{ malformed_arguments: '{"at"' }]);
  });

  it('is not reported if the model may only have quoted it', () => {
    assert.deepEqual(toToolCallParts({ ...call, malformed: '{"at":"a"}', problem: 'Not executed.' }), []);
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

  /** Returns which model the participant used, and the buttons of its answer. The services cannot answer, because they have no key. */
  async function asked(
    picked: string,
    command = 'ask',
    previous: object = {},
  ): Promise<{ answered: string[]; told: string[]; metadata: object }> {
    const answered: string[] = [];
    const told: string[] = [];
    const stream = {
      markdown: (text: string | vscode.MarkdownString) => told.push(typeof text === 'string' ? text : text.value),
      button: ({ title, command, arguments: given }: vscode.Command) => told.push(`[${title}] ${command} ${given ?? ''}`),
      progress: (text: string) => answered.push(text),
    };
    const request = { command, prompt: 'Hello', references: [], model: { vendor: 'kedge', id: picked } };
    const { token } = new vscode.CancellationTokenSource();
    const history = 'sessionId' in previous ? [turnWith(previous)] : [];
    const { metadata } = await answer(
      kedge,
      request as unknown as vscode.ChatRequest,
      { history },
      stream as unknown as vscode.ChatResponseStream,
      token,
    );
    return { answered: answered.filter((text) => text.startsWith('Using ')), told, metadata: metadata as object };
  }
  function turnWith(metadata: object): vscode.ChatResponseTurn {
    const fields = { result: { metadata }, participant: 'kedge.agent' };
    const descriptors = Object.entries(fields).map(([name, value]) => [name, { value }]);
    return Object.create(vscode.ChatResponseTurn.prototype, Object.fromEntries(descriptors)) as vscode.ChatResponseTurn;
  }
  const offers = ({ told }: { told: string[] }) => told.filter((text) => text.startsWith('[Answer with'));

  it('is Offline if Offline is selected there, whatever the settings say; a button below the answer offers the other model', async () => {
    await set('model', 'groq/one');
    await set('modelFor.plan', 'groq/two');
    const first = await asked('offline');
    assert.deepEqual(first.answered, ['Using Offline']);
    assert.deepEqual(first.told.slice(-2), [
      '*Offline answered because it is selected in the Chat. It is not a language model. Your settings use groq\\/one.*\n\n',
      '[Answer with one] kedge.chat.answerWith groq/one',
    ]);
    const plan = await asked('offline', 'plan');
    assert.deepEqual([plan.answered, offers(plan)], [['Using Offline'], ['[Answer with two] kedge.chat.answerWith groq/two']]);
  });

  it('is mentioned once in a thread', async () => {
    await set('model', 'groq/one');
    const first = await asked('offline');
    assert.equal(offers(first).length, 1);
    const second = await asked('offline', 'ask', first.metadata);
    assert.deepEqual([second.answered, offers(second)], [['Using Offline'], []]);
    assert.deepEqual(offers(await asked('offline', 'ask', second.metadata)), []);
  });

  it('answers the last message again after it was selected', async () => {
    await set('model', 'groq/one');
    const first = await asked('offline');
    const { sessionId } = first.metadata as { sessionId: string };
    const again = await asked('groq/one', 'again', first.metadata);
    assert.deepEqual(again.answered, ['Using one']);
    const run = (await kedge.sessions.byId(sessionId)).state.lastRun;
    assert.deepEqual([run?.prompt, run?.model, run?.mode], ['Hello', { provider: 'groq', model: 'one' }, 'ask']);
  });

  it('is the model that was selected there', async () => {
    await set('model', 'groq/one');
    const { answered, told } = await asked('groq/two');
    assert.deepEqual([answered, offers({ told })], [['Using two'], []]);
  });

  it('is Offline without a remark if the settings select Offline', async () => {
    const { answered, told } = await asked('offline');
    assert.deepEqual([answered, offers({ told })], [['Using Offline'], []]);
  });

  it('can be selected there for each mode that has its own model in the settings', async () => {
    await set('modelFor.plan', 'groq/two');
    const all = await models(kedge, true, new vscode.CancellationTokenSource().token);
    assert.ok(all.some(({ id }) => id === 'groq/two'));
  });

  it('is suggested by VS Code after it was connected', async () => {
    const proposed = async () => {
      const all = await models(kedge, true, new vscode.CancellationTokenSource().token);
      return all.filter(({ isDefault }) => isDefault).map(({ id }) => id);
    };
    assert.deepEqual(await proposed(), ['offline']);
    await set('model', 'groq/one');
    assert.deepEqual(await proposed(), ['groq/one']);
  });
});
