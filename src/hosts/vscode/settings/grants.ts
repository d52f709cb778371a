/** What the user allowed for good in this workspace. It is kept by VS Code, never in the workspace. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import { isSamePermission, type Permission, permissionText } from '../../../core/session/grant-scope.ts';

const GRANTS_KEY = 'kedge.grants';
/** From before anything but edits could be granted. */
const EDITS_KEY = 'kedge.editsGranted';
const REVOKED_KEY = 'kedge.grantsRevokedAt';

export class WorkspaceGrants {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  list(): readonly Permission[] {
    const kept = this.#state.get<Permission[]>(GRANTS_KEY, []);
    return this.#state.get(EDITS_KEY, false) ? [{ kind: 'edits' }, ...kept] : kept;
  }

  add(covers: Permission): void {
    if (this.list().some((known) => isSamePermission(known, covers))) return;
    void this.#state.update(GRANTS_KEY, [...this.#state.get<Permission[]>(GRANTS_KEY, []), covers]);
  }

  revokedAt(): number {
    return this.#state.get(REVOKED_KEY, 0);
  }

  async revoke(covers?: Permission): Promise<void> {
    const kept = covers ? this.list().filter((known) => !isSamePermission(known, covers)) : [];
    if (!covers) await this.#state.update(REVOKED_KEY, Date.now());
    await this.#state.update(EDITS_KEY, undefined);
    await this.#state.update(GRANTS_KEY, kept.length > 0 ? kept : undefined);
  }
}

const SCOPE = {
  turn: 'for the calls of one answer',
  run: 'for its run',
  session: 'for this session',
  workspace: 'in this workspace, always',
};

type GrantsOwner = { grants: WorkspaceGrants; sessions: { current(): Promise<Session> }; revokeGrants(covers?: Permission): Promise<void> };

/** Lists what is allowed without asking; what is chosen is asked for again. */
export async function manageGrants(kedge: GrantsOwner): Promise<void> {
  for (;;) {
    const { grants } = (await kedge.sessions.current()).state;
    const all = [...kedge.grants.list().map((covers) => ({ covers, scope: 'workspace' as const })), ...grants];
    if (all.length === 0) {
      void vscode.window.showInformationMessage(
        'Nothing is allowed without asking in this workspace, but for what kedge.policy.rules says.',
      );
      return;
    }
    const items = all.map(({ covers, scope }) => ({
      label: `$(pass) ${sentence(permissionText(covers))}`,
      description: SCOPE[scope],
      covers,
    }));
    const everything = { label: '$(clear-all) Ask for everything again', covers: undefined };
    const chosen = await vscode.window.showQuickPick([...items, everything], {
      title: 'Kedge: What Is Allowed Without Asking',
      placeHolder: 'Choose what to be asked for again',
    });
    if (!chosen) return;
    await kedge.revokeGrants(chosen.covers);
    if (!chosen.covers) return;
  }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
