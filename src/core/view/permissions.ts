/**
 * The permissions as hosts show them: the effect that applies to each kind of call and why, and the permissions that the user granted and
 * when.
 */

import type { List } from '../list.ts';
import type { AgentEvent } from '../session/events.ts';
import { type Grant, type GrantScope, isSamePermission, type Permission, permissionText, type Subject } from '../session/grant-scope.ts';
import type { EventList } from '../session/lists.ts';

export type PermissionEffect = 'allow' | 'ask' | 'deny';

/** Where a permission is set: in this session, for this workspace, or in the user's settings. */
export const LEVELS = ['session', 'workspace', 'user'] as const;
export type Level = (typeof LEVELS)[number];

/** The effect that applies to a kind of call, or to the tools of an MCP server. */
export type PermissionRow = {
  subject: Subject;
  effect: PermissionEffect;
  /** The level that decides, or Kedge's own policy. */
  by: Level | 'policy';
  /** A sentence that names the calls that cannot be allowed here. */
  note?: string;
  /** The effect that is set at each level. */
  set: Partial<Record<Level, PermissionEffect>>;
  /** Why an effect cannot be set at a level. Effects that are not listed can be set. */
  problems: Record<Level, Partial<Record<PermissionEffect, string>>>;
};

/**
 * A rule in the settings for some calls only, such as one command or folder. `rule` is the rule without its effect, as it is written in the settings.
 */
export type NarrowRule = { level: 'user' | 'workspace'; effect: PermissionEffect; rule: Readonly<Record<string, string>> };

/** The events that add or remove permissions. */
export const PERMISSION_EVENTS: ReadonlySet<AgentEvent['type']> = new Set([
  'approval_resolved',
  'grants_revoked',
  'session_permission_set',
  'session_grant_revoked',
]);

/** When a permission was granted, in milliseconds since 1970, and the title of the call that the user approved. */
export type GrantOrigin = { at?: number; title?: string };

export type GrantRow = GrantOrigin & { scope: GrantScope; covers: Permission; text: string };

export type PermissionOverview = {
  rows: readonly PermissionRow[];
  rules: readonly NarrowRule[];
  grants: readonly GrantRow[];
  /** Whether commands that only read run without asking. */
  readOnlyCommands: boolean;
  /** Whether the user trusts the workspace. Without trust, only reading is allowed. */
  trusted: boolean;
  /** Rules that cannot be read, as sentences. */
  problems: readonly string[];
};

/** Lists the permissions that the user granted, newest first. Permissions from older versions have no time and come last. */
export function grantRows(
  grants: readonly Grant[],
  events: List<AgentEvent>,
  ofWorkspace: readonly (GrantOrigin & { covers: Permission })[],
): GrantRow[] {
  const row = (scope: GrantScope, covers: Permission, { at, title }: GrantOrigin): GrantRow => ({
    scope,
    covers,
    text: permissionText(covers),
    ...(at !== undefined && { at }),
    ...(title !== undefined && { title }),
  });
  const rows = [
    ...ofWorkspace.map(({ covers, ...origin }) => row('workspace', covers, origin)),
    ...grants.map((grant) => row(grant.scope, grant.covers, originOf(grant, events))),
  ];
  return rows.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

/** Reads the events that `originOf` needs for the permissions of a session. Without permissions, nothing is read. */
export function grantingEvents(grants: readonly Grant[], events: EventList): AgentEvent[] {
  return grants.length > 0 ? events.select(({ type }) => GRANTING.has(type)) : [];
}

const GRANTING: ReadonlySet<AgentEvent['type']> = new Set(['session_permission_set', 'approval_requested', 'approval_resolved']);

/** Returns when, and for which call, a permission was granted. Unknown parts are left out. */
export function originOf({ scope, covers, runId }: Grant, events: List<AgentEvent>): GrantOrigin {
  const event = events.findLast(
    (each) =>
      (each.type === 'session_permission_set' && each.effect === 'allow' && runId === '') ||
      (each.type === 'approval_resolved' &&
        each.runId === runId &&
        each.granted?.scope === scope &&
        isSamePermission(each.granted.covers, covers)),
  );
  if (event?.type !== 'approval_resolved') return event ? { at: event.at } : {};
  const request = events.find((each) => each.type === 'approval_requested' && each.approvalId === event.approvalId);
  return { at: event.at, ...(request?.type === 'approval_requested' && { title: request.title }) };
}
