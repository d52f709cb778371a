import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answer } from '../../src/hosts/vscode/chat.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { models } from '../../src/hosts/vscode/model-provider.ts';

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
