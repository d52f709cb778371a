/** The permissions that the user granted permanently in this workspace. VS Code stores them outside the workspace. */
import type * as vscode from 'vscode';
import { isSamePermission, type Permission, permissionKey } from '../../../core/session/grant-scope.ts';
import type { GrantOrigin } from '../../../core/view/permissions.ts';

const GRANTS_KEY = 'kedge.grants';
/** The key of older versions, in which only edits could be granted. */
const EDITS_KEY = 'kedge.editsGranted';
/** The key for the origins: when each permission was granted, and the call whose approval granted it. */
const ORIGINS_KEY = 'kedge.grantOrigins';
const REVOKED_KEY = 'kedge.grantsRevokedAt';

export class WorkspaceGrants {
  readonly #state: vscode.Memento;
  readonly #changed: () => void;

  /** @param changed is called when a permission was added or revoked */
  constructor(state: vscode.Memento, changed: () => void = () => undefined) {
    this.#state = state;
    this.#changed = changed;
  }

  list(): readonly Permission[] {
    const stored = this.#state.get<Permission[]>(GRANTS_KEY, []);
    return this.#state.get(EDITS_KEY, false) ? [{ kind: 'edits' }, ...stored] : stored;
  }

  /** Lists the permissions with their origins. Permissions that an older version stored have no origin. */
  withOrigins(): (GrantOrigin & { covers: Permission })[] {
    const origins = this.#origins;
    return this.list().map((covers) => ({ covers, ...origins[permissionKey(covers)] }));
  }

  get #origins(): Record<string, GrantOrigin> {
    return this.#state.get<Record<string, GrantOrigin>>(ORIGINS_KEY, {});
  }

  add(covers: Permission, title?: string): void {
    if (this.list().some((each) => isSamePermission(each, covers))) return;
    const origin = { at: Date.now(), ...(title !== undefined && { title }) };
    void this.#state.update(ORIGINS_KEY, { ...this.#origins, [permissionKey(covers)]: origin });
    void this.#state.update(GRANTS_KEY, [...this.#state.get<Permission[]>(GRANTS_KEY, []), covers]);
    this.#changed();
  }

  revokedAt(): number {
    return this.#state.get(REVOKED_KEY, 0);
  }

  async revoke(covers?: Permission): Promise<void> {
    const remaining = covers ? this.list().filter((each) => !isSamePermission(each, covers)) : [];
    if (!covers) await this.#state.update(REVOKED_KEY, Date.now());
    await this.#state.update(EDITS_KEY, undefined);
    const keys = new Set(remaining.map(permissionKey));
    await this.#state.update(ORIGINS_KEY, Object.fromEntries(Object.entries(this.#origins).filter(([key]) => keys.has(key))));
    await this.#state.update(GRANTS_KEY, remaining.length > 0 ? remaining : undefined);
    this.#changed();
  }
}
