/** Offers the renames that a confirmed plan names, on the symbol in the editor. VS Code's own rename makes the change. */
import * as vscode from 'vscode';
import { renamesIn } from '../../../core/plan/renames.ts';
import type { SessionState } from '../../../core/session/session-state.ts';

export class PlanRename extends vscode.CodeAction {
  readonly #rename: { uri: vscode.Uri; at: vscode.Position; to: string };

  constructor(rename: { uri: vscode.Uri; at: vscode.Position; to: string }) {
    super(`Rename to '${rename.to}' (from the plan)`, vscode.CodeActionKind.RefactorRewrite.append('rename'));
    this.#rename = rename;
  }

  /** Asks the language of the file for the change, which VS Code then applies. */
  async resolve(): Promise<this> {
    const { uri, at, to } = this.#rename;
    this.edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit>('vscode.executeDocumentRenameProvider', uri, at, to);
    return this;
  }
}

export function planRenames({ plans }: Pick<SessionState, 'plans'>, document: vscode.TextDocument, at: vscode.Position): PlanRename[] {
  const word = document.getWordRangeAtPosition(at);
  if (!word) return [];
  const name = document.getText(word);
  const names = [...plans.values()]
    .filter(({ status }) => status === 'confirmed')
    .flatMap(({ plan }) => renamesIn(plan))
    .flatMap(({ from, to }) => (from === name ? [to] : []));
  return [...new Set(names)].map((to) => new PlanRename({ uri: document.uri, at, to }));
}
