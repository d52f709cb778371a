/** The permissions page. Each choice is stored where the user would look for it: in the session, the workspace or the settings. */
import * as vscode from 'vscode';
import type { Session } from '../../../../app/session/session.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import type { AgentEvent } from '../../../../core/session/events.ts';
import { type Permission, permissionKey, type Subject } from '../../../../core/session/grant-scope.ts';
import {
  grantingEvents,
  grantRows,
  type Level,
  PERMISSION_EVENTS,
  type PermissionEffect,
  type PermissionOverview,
} from '../../../../core/view/permissions.ts';
import { narrowRules, permissionProblem, permissionRows, withoutRule, withPermission } from '../../../../policy/overview.ts';
import { sessionRules } from '../../../../policy/rules.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import type { Kedge } from '../../kedge.ts';
import { configuredServers } from '../../mcp.ts';
import { readPolicy } from '../../settings/policy-settings.ts';
import { type Page, type PagePorts, sessionPage } from './page.ts';

const RULES = 'policy.rules';
const ALL_EDITS: Permission = { kind: 'edits' };

/** The events after which different permissions may apply. */
const CHANGES: ReadonlySet<AgentEvent['type']> = new Set([...PERMISSION_EVENTS, 'tool_finished', 'run_finished']);

export function permissionsPage(ports: PagePorts<'permissions'>): Page<'permissions'> {
  return sessionPage(ports, { dataOf: overviewOf, change, isChange: ({ type }) => CHANGES.has(type) });
}

const facts = () => ({ trusted: vscode.workspace.isTrusted, hasFolder: (vscode.workspace.workspaceFolders?.length ?? 0) > 0 });

function overviewOf(kedge: Kedge, { state, events }: Session): PermissionOverview {
  const { rules, readOnlyCommands = false, problems } = readPolicy();
  const servers = [...configuredServers(kedge).servers.keys()];
  const ofWorkspace = kedge.grants.withOrigins();
  const grants = [...state.grants, ...ofWorkspace.map(({ covers }) => ({ covers, scope: 'workspace' as const }))];
  return {
    rows: permissionRows({ ...facts(), rules: [...sessionRules(state.rules), ...rules], grants, servers }),
    rules: narrowRules(rules, servers),
    grants: grantRows(state.grants, grantingEvents(state.grants, events), ofWorkspace),
    readOnlyCommands,
    trusted: vscode.workspace.isTrusted,
    problems,
  };
}

async function change(kedge: Kedge, request: RequestOf<'permissions'>): Promise<void> {
  switch (request.type) {
    case 'set_permission':
      return setPermission(kedge, request.subject, request.level, request.effect);
    case 'revoke_grant':
      return revoke(kedge, request);
    case 'remove_rule':
      return writeRules(request.level, (value) => withoutRule(value, request));
    case 'allow_reading_commands':
      if (request.isAllowed) expectTrusted();
      return configuration().update('policy.allowReadOnlyCommands', request.isAllowed || undefined, vscode.ConfigurationTarget.Global);
    case 'open_rules':
      await vscode.commands.executeCommand('workbench.action.openSettings', `kedge.${RULES}`);
  }
}

/** Sets or removes the effect for a subject at a level. @throws SessionError if the effect cannot be set at this level */
export async function setPermission(kedge: Kedge, subject: Subject, level: Level, effect: PermissionEffect | undefined): Promise<void> {
  const problem = effect && permissionProblem(subject, level, effect, facts());
  if (problem !== undefined) throw new SessionError(problem);
  if (level === 'session') {
    (await kedge.sessions.current()).note({ type: 'session_permission_set', about: subject, ...(effect && { effect }) });
    return;
  }
  // An allow rule in the workspace settings would be ignored. VS Code stores the permissions for this workspace outside the workspace.
  const isGrant = level === 'workspace' && effect === 'allow';
  if (level === 'workspace' && !isGrant && 'action' in subject && subject.action === 'edit') await kedge.grants.revoke(ALL_EDITS);
  await writeRules(level, (value) => withPermission(value, subject, isGrant ? undefined : effect));
  if (isGrant) kedge.grants.add(ALL_EDITS);
}

async function revoke(kedge: Kedge, { scope, key }: Extract<RequestOf<'permissions'>, { type: 'revoke_grant' }>): Promise<void> {
  const session = await kedge.sessions.current();
  const covers = (scope === 'workspace' ? kedge.grants.list() : session.state.grants.map((grant) => grant.covers)).find(
    (each) => permissionKey(each) === key,
  );
  if (!covers) return;
  if (scope === 'workspace') await kedge.grants.revoke(covers);
  else session.note({ type: 'session_grant_revoked', covers });
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('kedge');
}

async function writeRules(level: 'user' | 'workspace', edit: (value: unknown) => unknown[]): Promise<void> {
  const values = configuration().inspect<unknown>(RULES);
  const [before, target] =
    level === 'user'
      ? [values?.globalValue, vscode.ConfigurationTarget.Global]
      : [values?.workspaceValue, vscode.ConfigurationTarget.Workspace];
  const after = edit(before);
  if (JSON.stringify(after) === JSON.stringify(before ?? [])) return;
  await configuration().update(RULES, after.length > 0 ? after : undefined, target);
}

function expectTrusted(): void {
  if (!vscode.workspace.isTrusted) throw new SessionError('This workspace is not trusted, so nothing more can be allowed.');
}
