/** Tracks the writes of a session for undo and restore: which changes were staged, which were written, and which were undone. */

import type { NotePart } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import { currentStep, refusedPaths } from '../plan/progress.ts';
import type { AgentEvent, RestorePoint } from './events.ts';
import type { MutableRunRecord, MutableSessionState, SessionState, Write } from './session-state.ts';

type WriteEvent = Extract<
  AgentEvent,
  { type: 'changes_staged' | 'file_changed' | 'changes_dropped' | 'undo_staged' | 'changes_undone' | 'changes_restored' }
>;

type CallWrites = Extract<AgentEvent, { type: 'changes_staged' | 'file_changed' }>;

/** Applies an event to the writes of the session. `run` is the run of the event. */
export function reduceWrites(state: MutableSessionState, event: WriteEvent, run: MutableRunRecord | undefined): void {
  switch (event.type) {
    case 'changes_staged':
      stage(state, event, run);
      break;
    case 'file_changed':
      // A `file_changed` event without a preceding `changes_staged` event occurs only in a damaged log.
      if (writesOf(state, event.callId).length === 0) stage(state, event, run);
      for (const write of writesOf(state, event.callId)) land(state, write);
      break;
    case 'changes_dropped': {
      const dropped = new Set(writesOf(state, event.callId).filter(({ landed }) => !landed));
      state.staged = state.staged.filter((write) => !dropped.has(write));
      if (run) run.changed = state.staged.some(({ runId }) => runId === run.runId);
      break;
    }
    case 'undo_staged': {
      const { runId, undoId: callId, restore } = event;
      for (const change of event.changes) state.staged.push({ runId, callId, change, landed: false, ...(restore && { restore }) });
      break;
    }
    case 'changes_undone':
    case 'changes_restored':
      recordUndo(state, event);
      break;
  }
}

function land({ contents }: MutableSessionState, write: Write): void {
  const { path, from, after } = write.change;
  write.landed = true;
  if (from !== undefined) contents.set(from, undefined);
  contents.set(path, after);
}

function stage(state: MutableSessionState, { runId, callId, changes }: CallWrites, run: MutableRunRecord | undefined): void {
  const of = { runId, callId, ...(run?.plan && { planId: run.plan.id, step: currentStep(run) }) };
  for (const change of changes) state.staged.push({ ...of, change, landed: false });
  if (run) run.changed = true;
}

/**
 * Returns the writes of one call or undo. They are adjacent, and the search starts at the end, because a session may have a large number of
 * writes.
 */
function writesOf({ staged }: MutableSessionState, callId: string): Write[] {
  const last = staged.findLastIndex((write) => write.callId === callId);
  let first = last;
  while (first > 0 && staged[first - 1]?.callId === callId) first--;
  return last < 0 ? [] : staged.slice(first, last + 1);
}

/** A run that is completely undone counts as undone until the undo is itself undone. */
function recordUndo(state: MutableSessionState, event: Extract<AgentEvent, { type: 'changes_undone' | 'changes_restored' }>): void {
  const landed = new Set(event.results.filter(({ outcome }) => outcome === 'restored' || outcome === 'merged').map(({ path }) => path));
  if (event.undoId !== undefined) for (const write of writesOf(state, event.undoId)) if (landed.has(write.change.path)) land(state, write);
  for (const path of landed) state.takenBack.add(path);
  if (event.type === 'changes_restored' && 'undoId' in event.to) {
    for (const runId of state.undos.get(event.to.undoId) ?? []) state.undone.delete(runId);
    // The undo is removed, so that undoing it a second time does not affect a later undo of the same run.
    state.undos.delete(event.to.undoId);
  } else if (refusedPaths(event.results).size === 0) {
    const runs = event.type === 'changes_restored' ? runsAfter(state, event.to) : event.part ? [] : [event.undoneRunId];
    const fresh = runs.filter((runId) => !state.undone.has(runId));
    for (const runId of fresh) state.undone.add(runId);
    if (event.undoId !== undefined) state.undos.set(event.undoId, fresh);
  }
}

/** Returns the ids of the runs that began after the restore point. */
function runsAfter({ runs }: SessionState, to: RestorePoint): string[] {
  if ('undoId' in to) return [];
  const ids = [...runs.keys()];
  return ids.slice(ids.indexOf(to.runId) + (to.callId === undefined ? 0 : 1));
}

/** Returns the note that informs the model which files were undone. The conversation still contains the undone changes. */
export function takenBackNote({ takenBack }: SessionState): NotePart[] {
  if (takenBack.size === 0) return [];
  const paths = [...takenBack];
  const named = paths.length > 20 ? `${paths.slice(0, 20).join(', ')} and ${paths.length - 20} more` : paths.join(', ');
  return [note('undo', `The user has undone changes in ${named}. Read these files again before you rely on their content.`)];
}
