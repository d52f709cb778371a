/** Users can change to a model of VS Code and back without an error, with the model of another extension, and with all wires over real HTTP. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ModelRef } from '../../src/core/model/messages.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { createEditorAdapter } from '../../src/hosts/vscode/models/lm-adapter.ts';
import { EDITOR } from '../../src/providers/catalog.ts';
import { assistantOn } from '../support/harness.ts';
import { answer, check, count, DOT, FILE, type Served, serve, TOKEN } from '../support/switching.ts';
import { WIRES } from '../support/wires.ts';

type Received = readonly vscode.LanguageModelChatRequestMessage[];

const MODEL: ModelRef = { provider: EDITOR, model: 'kedge-test/strict' };
// At run time, this file is in out/editor/.
const FIXTURES = join(__dirname, '..', '..', 'test', 'fixtures');

describe('a session that changes to a model of the editor', () => {
  let received: Received[];
  before(async () => {
    await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate();
    const models = await vscode.extensions.getExtension<{ received: Received[] }>('kedge.test-models')?.activate();
    assert.ok(models, 'The extension with the test’s models is missing.');
    received = models.received;
  });
  beforeEach(() => {
    received.length = 0;
  });

  /** Uses one wire, then the editor, and then all other wires, in one session. */
  async function converse(first: string, others: readonly string[]): Promise<{ one: Served; after: Served[] }> {
    const one = await serve(first, 'one', FIXTURES);
    const after = await Promise.all(others.map((name) => serve(name, 'two', FIXTURES)));
    const served = new Map([one, ...after].map((server) => [`${server.model.provider} ${server.model.model}`, server]));
    const connect = async ({ provider, model }: ModelRef) =>
      provider === EDITOR ? createEditorAdapter(new Map()) : (served.get(`${provider} ${model}`) as Served).adapter();
    await using kedge = await assistantOn({ [FILE]: Buffer.from(DOT, 'base64') }, [], { connect });
    try {
      await answer(kedge, 'What is this?', one.model);
      await answer(kedge, 'Are you sure?', MODEL);
      for (const { model } of after) await answer(kedge, 'And you?', model);
      await answer(kedge, 'And you again?', MODEL);
      return { one, after };
    } finally {
      await Promise.all([one, ...after].map((server) => server.close()));
    }
  }

  const shown = (messages: Received | undefined) => (messages ?? []).flatMap(({ content }) => [...content]);
  const images = (parts: readonly unknown[]): Uint8Array[] =>
    parts.flatMap((part) => {
      if (part instanceof vscode.LanguageModelToolResultPart) return images(part.content);
      return part instanceof vscode.LanguageModelDataPart ? [part.data] : [];
    });

  for (const first of Object.keys(WIRES)) {
    it(`continues from ${first}, and then on every wire`, async () => {
      const others = Object.keys(WIRES);
      const { one, after } = await converse(first, others);
      check(one, 2);
      // There are two runs with this model, and it is called twice in each.
      assert.equal(received.length, 4);
      for (const messages of received) expectAccepted(messages);
      const [before] = received;
      assert.equal(images(shown(before)).length, 3, 'two prompts with an image, and one that was read');
      assert.deepEqual(Buffer.from(images(shown(before))[0] as Uint8Array).toString('base64'), DOT);
      assert.match(JSON.stringify(before), /So it is\./);
      for (const [index, server] of after.entries()) {
        check(server, 2);
        assert.equal(count(server, 'So says the editor.'), 1);
        assert.equal(count(server, 'So it is.'), index + 1);
        // The image is sent with a prompt and as a file, for each model so far.
        assert.equal(count(server, DOT), 2 * (index + 3));
      }
      assert.equal(shown(received.at(-1)).filter((part) => part instanceof vscode.LanguageModelToolCallPart).length, others.length + 3);
    });
  }
});

/**
 * Checks the rules of the models behind VS Code: each call is answered once and in the next message, ids are plain, nothing is empty, and no token
 * of another model is sent.
 */
function expectAccepted(messages: Received): void {
  const { Assistant, User } = vscode.LanguageModelChatMessageRole;
  const seen = new Set<string>();
  let open: string[] = [];
  for (const { role, content } of messages) {
    assert.ok(content.length > 0, 'an empty message');
    const results = content.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
    assert.deepEqual(results.map(({ callId }) => callId).sort(), open.sort(), 'the results are not those that were asked for');
    open = [];
    for (const part of content) {
      if (part instanceof vscode.LanguageModelToolCallPart) {
        assert.equal(role, Assistant);
        assert.match(part.callId, /^[\w-]{1,64}$/);
        assert.ok(!seen.has(part.callId), `the id ${part.callId} is there twice`);
        assert.ok(part.input !== null && typeof part.input === 'object' && !Array.isArray(part.input));
        seen.add(part.callId);
        open.push(part.callId);
      } else if (part instanceof vscode.LanguageModelTextPart) assert.notEqual(part.value, '');
      else assert.equal(role, User, 'only words and calls are a model’s');
    }
  }
  assert.deepEqual(open, [], 'not every call is answered');
  assert.equal(messages.at(-1)?.role, User);
  assert.doesNotMatch(JSON.stringify(messages), TOKEN);
}
