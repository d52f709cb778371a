/** Offers *Fix with Kedge* and *Explain with Kedge* for problems, and the renames of the plan of the shown session. */
import * as vscode from 'vscode';
import type { Kedge } from '../kedge.ts';
import type { ProblemTarget } from './code-actions.ts';
import type { PlanRename } from './plan-renames.ts';

export function registerEditorActions(kedge: Kedge): vscode.Disposable {
  const kind = vscode.CodeActionKind.QuickFix;
  const problems: vscode.CodeActionProvider = {
    provideCodeActions({ uri }, range, { diagnostics }) {
      if (diagnostics.length === 0 || !kedge.fs.locate(uri)) return [];
      const target: ProblemTarget = { uri, range, problems: diagnostics };
      const action = (title: string, command: string) => {
        const each = new vscode.CodeAction(title, kind);
        each.command = { title, command, arguments: [target] };
        each.diagnostics = [...diagnostics];
        return each;
      };
      const explain = action('Explain with Kedge', 'kedge.explain');
      return vscode.workspace.isTrusted ? [action('Fix with Kedge', 'kedge.fix'), explain] : [explain];
    },
  };
  const renames: vscode.CodeActionProvider<PlanRename> = {
    async provideCodeActions(document, { start }) {
      // VS Code calls this each time the cursor moves, so no session is loaded here.
      if (kedge.sessions.shownId === undefined) return [];
      const { state } = await kedge.sessions.current();
      return state.plans.size > 0 ? (await import('./plan-renames.ts')).planRenames(state, document, start) : [];
    },
    resolveCodeAction: (action) => action.resolve(),
  };
  const files = { pattern: '**' };
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(files, problems, { providedCodeActionKinds: [kind] }),
    vscode.languages.registerCodeActionsProvider(files, renames, { providedCodeActionKinds: [vscode.CodeActionKind.RefactorRewrite] }),
  );
}
