/** "Add to Kedge" in the menus of the editor, the explorer, source control and the terminal. */
import * as vscode from 'vscode';
import { MentionError } from '../../app/mentions/mention-error.ts';
import { SessionError } from '../../app/session/session-error.ts';
import type { MentionRef } from '../../core/model/messages.ts';
import type { Kedge } from './kedge.ts';
import { activeRef, refOfUri } from './mentions.ts';
import type { Panel } from './panel/panel.ts';

type Window = Pick<Kedge, 'assistant' | 'fs'>;

/**
 * Adds what a menu was opened on. `args` are those that VS Code passes: the file and all selected files in the explorer, the file in the
 * editor, resource states in source control, nothing with a key.
 */
export async function addMentions(kedge: Window, panel: Pick<Panel, 'reveal'>, args: readonly unknown[]): Promise<void> {
  const { fs } = kedge;
  const uris = urisOf(args);
  const active = activeRef(fs);
  const document = vscode.window.activeTextEditor?.document.uri;
  // The menu of the editor adds its selection. The explorer passes a list, and means the file.
  const isEditor = uris.length === 0 || (args[0] instanceof vscode.Uri && !Array.isArray(args[1]) && String(uris[0]) === String(document));
  const refs = isEditor ? [active] : uris.map((uri) => refOfUri(fs, uri));
  const inside = refs.filter((ref) => ref !== undefined);
  if (inside.length === 0) throw new SessionError('Only files in the workspace can be added. Open the folder of this file first.');
  await addMention(kedge, panel, inside);
}

/** Adds mentions to the message that is being written, and shows the panel. @throws SessionError that says why one cannot be added */
export async function addMention({ assistant }: Window, panel: Pick<Panel, 'reveal'>, refs: readonly MentionRef[]): Promise<void> {
  const mentions = await assistant.mentions();
  const problems: string[] = [];
  for (const ref of refs) {
    try {
      await panel.reveal({ type: 'add_mention', ...(await mentions.check(ref)) });
    } catch (error) {
      if (!(error instanceof MentionError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new SessionError(problems.join('\n'));
}

function urisOf(args: readonly unknown[]): vscode.Uri[] {
  const all: readonly unknown[] = Array.isArray(args[1]) && args[1].length > 0 ? args[1] : args;
  return all.flatMap((each) => {
    if (each instanceof vscode.Uri) return [each];
    const { resourceUri } = (each ?? {}) as { resourceUri?: unknown };
    return resourceUri instanceof vscode.Uri ? [resourceUri] : [];
  });
}
