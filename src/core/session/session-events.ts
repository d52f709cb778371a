/** Applies the events that concern the session itself. */

import type { SessionEventBody } from './events.ts';
import { isSamePermission, isSameSubject, keepOnly } from './grant-scope.ts';
import type { MutableSessionState, Write } from './session-state.ts';
import { addCost, addUsage } from './usage-totals.ts';

export function reduceSessionEvent(state: MutableSessionState, event: SessionEventBody): void {
  switch (event.type) {
    case 'session_renamed':
      state.title = event.title;
      break;
    case 'session_titled':
      state.title = event.title;
      if (event.usage) state.usage = addUsage(state.usage, event.usage);
      if (event.usage || event.estimated !== undefined) state.cost = addCost(state.cost, event.usd);
      break;
    case 'session_pinned':
      state.isPinned = event.pinned;
      break;
    case 'session_permission_set':
      setPermission(state, event);
      break;
    case 'session_limit_set': {
      const { [event.limit]: _, ...others } = state.limits;
      state.limits = event.amount === undefined ? others : { ...others, [event.limit]: event.amount };
      break;
    }
    case 'session_grant_revoked':
      keepOnly(state.grants, ({ covers }) => !isSamePermission(covers, event.covers));
      break;
    case 'session_forked':
      state.parent = event.parent;
      break;
    case 'session_imported':
      disown(state);
      break;
    case 'session_worktree_closed':
      if (state.worktree === event.worktree) leaveWorktree(state, event);
      break;
  }
}

/** Replaces the user's earlier setting and permissions for the subject, so that the latest setting applies. */
function setPermission(state: MutableSessionState, { about, effect }: Extract<SessionEventBody, { type: 'session_permission_set' }>): void {
  const isEdit = 'action' in about && about.action === 'edit';
  keepOnly(state.rules, (rule) => !isSameSubject(rule.about, about));
  if (isEdit) keepOnly(state.grants, ({ covers }) => covers.kind !== 'edits');
  if (effect === 'allow' && isEdit) state.grants.push({ scope: 'session', covers: { kind: 'edits' }, runId: '' });
  else if (effect === 'ask' || effect === 'deny') state.rules.push({ about, effect });
}

type WorktreeClosed = Extract<SessionEventBody, { type: 'session_worktree_closed' }>;

/** The files of the worktree are gone, so nothing in them can be undone, and their content no longer counts. */
function leaveWorktree(state: MutableSessionState, { worktree, outcome }: WorktreeClosed): void {
  state.worktree = undefined;
  const runs = [...state.runs.values()].filter((run) => run.worktree === worktree);
  const ids = new Set(runs.map(({ runId }) => runId));
  const before = state.staged;
  const isLeft = ({ runId }: Write) => !ids.has(runId);
  state.staged = before.filter(isLeft);
  for (const { change } of before.filter((write) => !isLeft(write))) state.contents.delete(change.path);
  // Changes that were applied are now content of the user's files.
  for (const write of state.staged) if (write.landed) state.contents.set(write.change.path, write.change.after);
  for (const run of state.runs.values()) run.stagedBefore = before.slice(0, run.stagedBefore).filter(isLeft).length;
  for (const run of runs) run.changed = false;
  // The steps of a plan whose changes are gone are not done.
  if (outcome !== 'applied') for (const run of runs) Object.assign(run, { steps: {}, endChecks: [] });
}

/** Removes everything from an imported session that could have an effect here. Its runs cannot be undone, and its plans cannot be continued. */
function disown(state: MutableSessionState): void {
  state.staged = [];
  state.worktree = undefined;
  state.undos.clear();
  keepOnly(state.grants, () => false);
  keepOnly(state.rules, () => false);
  state.limits = {};
  for (const record of state.plans.values()) record.status = 'discarded';
  for (const run of state.runs.values()) {
    Object.assign(run, { changed: false, stagedBefore: 0 });
    delete run.plan;
    delete run.revises;
  }
}
