/**
 * Copies the beginning of a session's events for another session: a fork, or an imported session. The copy has its own numbers and is complete: it
 * contains no open questions, unfinished runs or granted permissions.
 */

import type { List } from '../list.ts';
import { type NotePart, orphanResult, type UserMessage } from '../model/messages.ts';
import type { AgentEvent, EventBody, SessionEventBody } from './events.ts';
import type { SessionLimits } from './limits.ts';
import { reduce } from './reduce.ts';
import { emptySession } from './session-state.ts';
import { totalsOf } from './usage-totals.ts';
import { isValidNext } from './valid-events.ts';

/** Facts about the copied session that do not apply to the copy. Its restrictions are added to the beginning of the copy. */
const LEFT_OUT: ReadonlySet<EventBody['type']> = new Set([
  'session_forked',
  'session_pinned',
  'session_repaired',
  'grants_revoked',
  'session_permission_set',
  'session_limit_set',
  'session_grant_revoked',
]);

/**
 * Returns the events of a new session that begins with the events of another one. `until` is the number of the last event that is copied.
 * `opening` becomes the first event, with the time `at`.
 */
export function copiedEvents(
  events: List<AgentEvent>,
  { until = Number.POSITIVE_INFINITY, opening }: { until?: number; opening?: EventBody & { at: number } } = {},
): AgentEvent[] {
  const state = emptySession();
  const copied: AgentEvent[] = [];
  /** Adds an event. If `gap` is set, one sequence number is skipped, because an event was lost there. */
  const add = (event: EventBody & { runId: string; at: number }, gap = false) => {
    const numbered = { ...event, seq: state.seq + (gap ? 2 : 1) } as AgentEvent;
    // An event that depends on an event that was left out is left out as well.
    if (!isValidNext(state, numbered)) return;
    copied.push(numbered);
    reduce(state, numbered);
  };
  if (opening) add({ ...opening, runId: '' });
  // A restriction by the user applies to the copy as well, even if it was made after the point at which the copy ends.
  for (const each of restrictionsIn(events)) add({ ...each, runId: '', at: opening?.at ?? events.at(0)?.at ?? 0 });
  let last = 0;
  for (const event of events) {
    if (event.seq > until) break;
    if (!LEFT_OUT.has(event.type)) add(withoutGrant(event), event.seq > last + 1);
    last = event.seq;
  }
  const run = state.lastRun;
  if (!run) return copied;
  // A copy of an imported session comes from the same file, even if the copy ends before the event that records this.
  if (events.some(({ type, seq }) => type === 'session_imported' && seq > until))
    add({ type: 'session_imported', runId: '', at: state.at });
  // Two sessions must not work in the same worktree.
  if (state.worktree !== undefined)
    add({ type: 'session_worktree_closed', worktree: state.worktree, outcome: 'copied', runId: '', at: state.at });
  const of = { runId: run.runId, at: state.at };
  // The children of a child come after it, and end before it.
  for (const child of [...state.children.values()].reverse())
    if (child.lastRun && child.lastRun.status !== 'finished')
      add({
        type: 'run_finished',
        outcome: 'stopped',
        ...totalsOf(child.lastRun, child, child.at),
        runId: child.lastRun.runId,
        at: state.at,
      });
  for (const call of [...state.open]) {
    if (state.results.has(call.id)) continue;
    const hasBegun = state.begun.has(call.id);
    const result = orphanResult(call, hasBegun);
    add({ type: 'tool_finished', callId: call.id, result, durationMs: 0, ...(!hasBegun && { withheld: true }), ...of });
  }
  for (const id of [...state.queue.keys()]) add({ type: 'message_unqueued', id, ...of });
  if (run.status !== 'finished') add({ type: 'run_finished', outcome: 'stopped', ...totalsOf(run, state, state.at), ...of });
  return copied;
}

/** Returns the rules and limits that the user set in a session and that still apply at its end. */
function restrictionsIn(events: List<AgentEvent>): SessionEventBody[] {
  const state = emptySession();
  for (const event of events) if (event.type === 'session_permission_set' || event.type === 'session_limit_set') reduce(state, event);
  const limits = Object.entries(state.limits) as [keyof SessionLimits, number][];
  return [
    ...state.rules.map((rule) => ({ type: 'session_permission_set' as const, ...rule })),
    ...limits.map(([limit, amount]) => ({ type: 'session_limit_set' as const, limit, amount })),
  ];
}

/** Adds to the opening of a fork which events are copies, so that they are not counted again. */
export function withCopiedMark(events: readonly AgentEvent[]): AgentEvent[] {
  const copied = events.at(-1)?.seq ?? 0;
  return events.map((event, index) => (index === 0 && event.type === 'session_forked' ? { ...event, copied } : event));
}

/** The answer itself is kept, because the conversation shows which calls were approved. */
function withoutGrant(event: AgentEvent): AgentEvent {
  if (event.type === 'run_started') {
    const { grants: _, ...rest } = event;
    return rest;
  }
  if (event.type !== 'approval_resolved') return event;
  const { granted: _, ...rest } = event;
  if (!rest.answer.approve) return rest;
  const { grant: __, covers: ___, ...answer } = rest.answer;
  return { ...rest, answer };
}

/**
 * Returns the number of the last event before a message, so that the message can be written again. A message that began a run begins with
 * that run.
 */
export function lastBefore(events: readonly AgentEvent[], seq: number): number {
  const index = events.findIndex((event) => event.seq === seq);
  const runId = events[index]?.runId;
  const start = events.findIndex((event) => event.runId === runId);
  const isOpening = !events.slice(start, index).some(({ type }) => type === 'turn_started');
  return (events[(isOpening ? start : index) - 1]?.seq ?? 0) as number;
}

/**
 * Returns an event of an imported session without Kedge's notes to the model, because they could be forged. The next run sends the rules
 * and the memory of this workspace again. A message that contains only notes is converted to text. Compactions are left out, because their
 * summaries are also sent as text from Kedge.
 */
export function fromOutside(event: AgentEvent): AgentEvent[] {
  switch (event.type) {
    case 'context_compacted':
    case 'session_permission_set':
    case 'session_limit_set':
      return [];
    case 'message_added': {
      const { message } = event;
      if (message.role !== 'user') return [event];
      const kept = message.content.flatMap((part): UserMessage['content'] => {
        if (part.type !== 'note') return [part];
        if (part.about !== 'mention') return [];
        // Only the content of a mention is sent as data. Without its source, the note would be sent as text from Kedge.
        return [part.ref ? part : { type: 'text', text: part.text }];
      });
      const text = message.content.map((part) => (part.type === 'note' ? part.text : '')).join('\n');
      return [{ ...event, message: { ...message, content: kept.length > 0 ? kept : [{ type: 'text', text }] } }];
    }
    case 'tool_finished': {
      const content = event.result.content.filter((part) => (part as { type: NotePart['type'] | string }).type !== 'note');
      return [{ ...event, result: { ...event.result, content } }];
    }
    default:
      return [event];
  }
}

/**
 * Returns the messages with which the user started a run. `messages` is the prompt, and `queued` are the messages that were queued for the
 * run before it. For a run without a prompt, `messages` are the queued messages with which it began. `seq` is the number of the first
 * event.
 */
export function openingOf(
  events: List<AgentEvent>,
  runId: string,
): { seq: number; messages: UserMessage[]; queued: UserMessage[] } | undefined {
  const own: UserMessage[] = [];
  const queued: UserMessage[] = [];
  let seq: number | undefined;
  for (const event of events) {
    if (event.runId !== runId) continue;
    if (event.type === 'turn_started') break;
    if (event.type !== 'message_added' || event.message.role !== 'user') continue;
    seq ??= event.seq;
    (event.queued === undefined ? own : queued).push(event.message);
  }
  if (seq === undefined) return undefined;
  return own.length > 0 ? { seq, messages: own, queued } : { seq, messages: queued, queued: [] };
}

/**
 * Returns the number of the last event of a run or, with `callId`, of the step that made this call: its answer with the results of all of
 * its calls.
 */
export function endOf(events: List<AgentEvent>, runId: string, callId?: string): number | undefined {
  const own = events.filter((event) => event.runId === runId);
  // An undo of the run is logged later, possibly after other runs.
  if (callId === undefined) return own.findLast(({ type }) => type === 'run_finished' || type === 'run_paused')?.seq;
  const made = own.findIndex(({ type, ...event }) => type === 'tool_started' && (event as { callId?: string }).callId === callId);
  if (made < 0) return undefined;
  const next = own.findIndex(
    ({ type }, index) => index > made && (type === 'turn_started' || type === 'run_finished' || type === 'run_paused'),
  );
  return own[next < 0 ? own.length - 1 : next - 1]?.seq;
}
