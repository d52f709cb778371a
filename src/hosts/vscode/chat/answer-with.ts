/** The buttons of the Chat that answer the last message again with another model. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import { EDITOR, parseModelRef } from '../../../providers/catalog.ts';
import { VENDOR } from '../models/model-provider.ts';

/** Selects the model in the Chat, and sends the last message of the thread again. */
export async function answerWith(name: string): Promise<void> {
  const { provider, model } = parseModelRef(name);
  const [vendor = '', ...rest] = model.split('/');
  const modelSelector = provider === EDITOR ? { vendor, id: rest.join('/') } : { vendor: VENDOR, id: name };
  if ((await vscode.lm.selectChatModels(modelSelector)).length === 0)
    throw new SessionError(`${name} is not available in the Chat. Select another model in the model picker of the Chat.`);
  await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@kedge /again Answer again', modelSelector });
}
