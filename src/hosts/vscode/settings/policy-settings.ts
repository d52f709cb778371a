/** What the user's settings allow, ask for and deny, and how a workspace's tighten that. */
import * as vscode from 'vscode';
import type { PolicySettings } from '../../../app/ports.ts';
import { joinRules, readRules } from '../../../policy/rules.ts';

const RULES = 'policy.rules';

/** Of the workspace and its folders only what asks or denies counts, in an untrusted one too. */
export function readPolicy(): PolicySettings {
  const configuration = vscode.workspace.getConfiguration('kedge');
  const set = configuration.inspect<unknown>(RULES);
  const folders = vscode.workspace.workspaceFolders ?? [];
  // Of a single folder the editor says the same twice.
  const ofFolders = folders
    .map(({ uri }) => vscode.workspace.getConfiguration('kedge', uri).inspect<unknown>(RULES)?.workspaceFolderValue)
    .filter((value) => JSON.stringify(value) !== JSON.stringify(set?.workspaceValue));
  const place = `kedge.${RULES}`;
  const rules = joinRules(
    readRules(set?.globalValue, 'user', `${place} of your settings`),
    ...[set?.workspaceValue, ...ofFolders].map((value) => readRules(value, 'workspace', `${place} of this workspace`)),
  );
  return { ...rules, readOnlyCommands: configuration.inspect<boolean>('policy.allowReadOnlyCommands')?.globalValue === true };
}
