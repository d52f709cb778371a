/** The permissions that the user granted permanently in this workspace. VS Code stores them outside the workspace. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import { isSamePermission, type Permission, permissionText } from '../../../core/session/grant-scope.ts';

const GRANTS_KEY = 'kedge.grants';
/** The key of older versions, in which only edits could be granted. */
const EDITS_KEY = 'kedge.editsGranted';
const REVOKED_KEY = 'kedge.grantsRevokedAt';

export class WorkspaceGrants {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  list(): readonly Permission[] {
    const stored = this.#state.get<Permission[]>(GRANTS_KEY, []);
    return this.#state.get(EDITS_KEY, false) ? [{ kind: 'edits' }, ...stored] : stored;
  }

  add(covers: Permission): void {
    if (this.list().some((each) => isSamePermission(each, covers))) return;
    void this.#state.update(GRANTS_KEY, [...this.#state.get<Permission[]>(GRANTS_KEY, []), covers]);
  }

  revokedAt(): number {
    return this.#state.get(REVOKED_KEY, 0);
  }

  async revoke(covers?: Permission): Promise<void> {
    const remaining = covers ? this.list().filter((each) => !isSamePermission(each, covers)) : [];
    if (!covers) await this.#state.update(REVOKED_KEY, Date.now());
    await this.#state.update(EDITS_KEY, undefined);
    await this.#state.update(GRANTS_KEY, remaining.length > 0 ? remaining : undefined);
  }
}

const SCOPE = {
  turn: 'for the tool calls of one response',
  run: 'for the current run',
  session: 'for this session',
  workspace: 'always in this workspace',
};

type GrantsOwner = { grants: WorkspaceGrants; sessions: { current(): Promise<Session> }; revokeGrants(covers?: Permission): Promise<void> };

/** Lists the permissions and removes the permissions that the user selects. */
export async function manageGrants(kedge: GrantsOwner): Promise<void> {
  for (;;) {
    const { grants } = (await kedge.sessions.current()).state;
    const all = [...kedge.grants.list().map((covers) => ({ covers, scope: 'workspace' as const })), ...grants];
    if (all.length === 0) {
      void vscode.window.showInformationMessage(
        'You have not granted any permissions in this workspace. Rules in kedge.policy.rules still apply.',
      );
      return;
    }
    const items = all.map(({ covers, scope }) => ({
      label: `$(pass) ${sentence(permissionText(covers))}`,
      description: SCOPE[scope],
      covers,
    }));
    const allItem = { label: '$(clear-all) Reset all permissions', covers: undefined };
    const chosen = await vscode.window.showQuickPick([...items, allItem], {
      title: 'Kedge: Manage Permissions',
      placeHolder: 'Select a permission to remove',
    });
    if (!chosen) return;
    await kedge.revokeGrants(chosen.covers);
    if (!chosen.covers) return;
  }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
