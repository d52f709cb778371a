/** "Add to Kedge" in the menus of the editor, the explorer, source control and the terminal. */
import * as vscode from 'vscode';
import { MentionError } from '../../app/mentions/mention-error.ts';
import { SessionError } from '../../app/session/session-error.ts';
import type { MentionRef } from '../../core/model/messages.ts';
import type { Kedge } from './kedge.ts';
import { activeRef, refOfUri } from './mentions.ts';
import type { Panel } from './panel/panel.ts';

type Window = Pick<Kedge, 'assistant' | 'fs' | 'sessions'>;

/**
 * Adds the files or the selection for which a menu was opened. `args` are the arguments of VS Code: in the explorer the file and all
 * selected files, in the editor the file, in source control the resource states, and with a keyboard shortcut nothing.
 */
export async function addMentions(kedge: Window, panel: Pick<Panel, 'reveal'>, args: readonly unknown[]): Promise<void> {
  const { fs } = kedge;
  const uris = urisOf(args);
  const active = activeRef(fs);
  const document = vscode.window.activeTextEditor?.document.uri;
  // From the menu of the editor, the selection is added. The explorer also passes a list of files, which are added completely.
  const isEditor = uris.length === 0 || (args[0] instanceof vscode.Uri && !Array.isArray(args[1]) && String(uris[0]) === String(document));
  const refs = isEditor ? [active] : uris.map((uri) => refOfUri(fs, uri));
  const inside = refs.filter((ref) => ref !== undefined);
  if (inside.length === 0) throw new SessionError('Only files in the workspace can be added. Open the folder of this file first.');
  await addMention(kedge, panel, inside);
}

/**
 * Adds mentions to the message that is being written, and shows the panel. @throws SessionError that explains why a mention cannot be added
 */
export async function addMention(
  { assistant, sessions }: Window,
  panel: Pick<Panel, 'reveal'>,
  refs: readonly MentionRef[],
): Promise<void> {
  const mentions = await assistant.mentions(await sessions.current());
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

/** Returns the files and folders that a menu was opened on. */
export function urisOf(args: readonly unknown[]): vscode.Uri[] {
  const all: readonly unknown[] = Array.isArray(args[1]) && args[1].length > 0 ? args[1] : args;
  return all.flatMap((each) => {
    if (each instanceof vscode.Uri) return [each];
    const { resourceUri } = (each ?? {}) as { resourceUri?: unknown };
    return resourceUri instanceof vscode.Uri ? [resourceUri] : [];
  });
}
