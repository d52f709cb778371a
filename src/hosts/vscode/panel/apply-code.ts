/** Finds the lines of a file that code from an answer replaces, and proposes the change. Nothing is written before the user approves it. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import type { AppliedCode } from '../../../core/session/effects.ts';
import type { ToPanel } from '../../../protocol/panel.ts';
import { type LineRange, wholeFile } from '../../../tools/edit/line-range.ts';
import { placeCode } from '../../../tools/edit/place-code.ts';
import { decodeText, hashOf } from '../../../workspace/content.ts';
import { formatPath, parsePath } from '../../../workspace/paths.ts';
import { Workspace } from '../../../workspace/workspace.ts';
import type { Kedge } from '../kedge.ts';
import { linesOf, openPaths } from '../mentions.ts';

type Code = { code: string; language: string; path?: string | undefined };
type Parts = { kedge: Kedge; post: (message: ToPanel) => void };

/** Resolves when the user has answered. @throws SessionError if the code cannot be applied */
export async function applyCode(message: Code, { kedge, post }: Parts): Promise<void> {
  if (!vscode.workspace.isTrusted)
    throw new SessionError('The workspace is in Restricted Mode, so Kedge cannot change its files. Trust the workspace first.');
  const session = await kedge.sessions.current();
  const path = await targetOf(message.path, kedge);
  if (path === undefined) return;
  const change = await changeOf(path, message, kedge);
  if (change === 'agent') return post({ type: 'compose', mode: 'agent', text: agentPrompt(path, message) });
  if (change) await session.apply(change);
}

/** Returns the file that the answer names, or else the file of the active editor, or else a file that the user chooses. */
async function targetOf(named: string | undefined, { fs }: Kedge): Promise<string | undefined> {
  if (named !== undefined) return formatPath(parsePath(named, fs.folders), fs.folders);
  const active = vscode.window.activeTextEditor;
  const at = active && fs.locate(active.document.uri);
  if (at) return formatPath(at, fs.folders);
  const other = { label: '$(new-file) Another file…', path: undefined };
  const items = openPaths(fs).map((path) => ({ label: path, path }));
  const chosen = await vscode.window.showQuickPick([...items, other], { placeHolder: 'Apply the code to which file?' });
  if (!chosen || chosen.path !== undefined) return chosen?.path;
  const typed = await vscode.window.showInputBox({ title: 'Kedge: Apply Code', prompt: 'Path of the file, such as src/main.ts' });
  return typed?.trim() ? formatPath(parsePath(typed.trim(), fs.folders), fs.folders) : undefined;
}

/** Returns the change, or undefined if the user has cancelled, or `agent` if a model has to find the lines. */
async function changeOf(path: string, { code, language }: Code, { fs }: Kedge): Promise<AppliedCode | 'agent' | undefined> {
  const workspace = new Workspace(fs);
  const { at } = await workspace.resolve(path);
  const file = await workspace.snapshot(at);
  if (!file) {
    if (/^(?:diff|patch)$/.test(language)) throw new SessionError(`There is no file ${path} that the diff could change.`);
    return { path, code };
  }
  const text = decodeText(file.bytes);
  if (text === undefined) throw new SessionError(`${path} is not a text file.`);
  const before = await hashOf(file.bytes);
  const placement = placeCode(text, code, language);
  // The log gets the diff and not its result, because the policy may not allow reading the content of the file.
  if (placement.kind === 'patch') return { path, code, at: { ...wholeFile(text), before, patch: true } };
  if (placement.kind === 'lines') return { path, code, at: { ...placement.range, before } };
  const chosen = await chooseLines(path, text, placement.kind, fs);
  return typeof chosen === 'object' ? { path, code, at: { ...chosen, before } } : chosen;
}

const WHY = {
  elided: 'The code leaves out parts of the file',
  misfit: 'The diff does not apply to the current file',
  unknown: 'The code does not match specific lines',
} as const;

type Item = vscode.QuickPickItem & { lines: LineRange | 'agent' };

async function chooseLines(path: string, text: string, why: keyof typeof WHY, fs: Kedge['fs']): Promise<Item['lines'] | undefined> {
  const editor = vscode.window.visibleTextEditors.find(({ document }) => {
    const at = fs.locate(document.uri);
    return at !== undefined && formatPath(at, fs.folders) === path;
  });
  const agent: Item = { label: '$(rocket) Let Agent apply it', description: 'A model finds the lines', lines: 'agent' };
  const items: Item[] = [];
  if (editor && why === 'unknown') {
    const { from, to } = linesOf(editor.selection);
    if (editor.selection.isEmpty)
      items.push({ label: '$(insert) Insert at the cursor', description: `above line ${from}`, lines: { line: from, removes: 0 } });
    else
      items.push({
        label: '$(list-selection) Replace the selection',
        description: `lines ${from} to ${to}`,
        lines: { line: from, removes: to - from + 1 },
      });
  }
  const whole: Item = { label: '$(file) Replace the whole file', lines: wholeFile(text) };
  items.push(...(why === 'unknown' ? [whole, agent] : why === 'elided' ? [agent, whole] : [agent]));
  const placeHolder = `${WHY[why]}. Where does it belong in ${path}? You can review the change before it is made.`;
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.lines;
}

function agentPrompt(path: string, { code, language }: Code): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `Apply this code to ${path}:\n\n${fence}${language}\n${code}\n${fence}`;
}
