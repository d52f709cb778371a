/** Reads the policy rules from the user's and the workspace's settings. */
import * as vscode from 'vscode';
import type { PolicySettings } from '../../../app/ports.ts';
import { joinRules, readRules } from '../../../policy/rules.ts';

const RULES = 'policy.rules';

/** Rules of the workspace and its folders can only ask or deny, so they apply in an untrusted workspace too. */
export function readPolicy(): PolicySettings {
  const configuration = vscode.workspace.getConfiguration('kedge');
  const values = configuration.inspect<unknown>(RULES);
  const folders = vscode.workspace.workspaceFolders ?? [];
  // In a single-folder workspace, VS Code returns the same value for the workspace and the folder.
  const ofFolders = folders
    .map(({ uri }) => vscode.workspace.getConfiguration('kedge', uri).inspect<unknown>(RULES)?.workspaceFolderValue)
    .filter((value) => JSON.stringify(value) !== JSON.stringify(values?.workspaceValue));
  const place = `kedge.${RULES}`;
  const rules = joinRules(
    readRules(values?.globalValue, 'user', `${place} of your settings`),
    ...[values?.workspaceValue, ...ofFolders].map((value) => readRules(value, 'workspace', `${place} of this workspace`)),
  );
  return { ...rules, readOnlyCommands: configuration.inspect<boolean>('policy.allowReadOnlyCommands')?.globalValue === true };
}
