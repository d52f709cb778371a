/**
 * Shows the session for which another window opened the folder of this one. Its id is in a file beside the sessions of the workspace, which is
 * read when the window starts or gets the focus.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Kedge } from './kedge.ts';

export const ASKED = 'show.json';
/** The time, in milliseconds, after which a request is ignored: a window that opens later was opened for another reason. */
const MAX_AGE_MS = 120_000;

/** Returns the id of the session that this window was asked to show, and deletes the request. */
export function takeAsked(storage: string, now = Date.now()): string | undefined {
  const file = join(storage, ASKED);
  try {
    const { id, at } = JSON.parse(readFileSync(file, 'utf8')) as { id?: unknown; at?: unknown };
    rmSync(file);
    return typeof id === 'string' && typeof at === 'number' && now - at < MAX_AGE_MS ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Shows the session for which another window opened this folder. */
export function showAsked(kedge: Kedge): vscode.Disposable {
  const look = () => {
    const id = takeAsked(kedge.storage);
    if (id !== undefined) void vscode.commands.executeCommand('kedge.showInPanel', id);
  };
  look();
  return vscode.window.onDidChangeWindowState(({ focused }) => focused && look());
}
