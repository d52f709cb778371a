/** The state of a session as text for the model. It comes from the log alone, so nothing in it can be forgotten or invented. */

import { addressOf, shortened } from '../context/shorten.ts';
import { callsOf, type Message, type ToolCall, textOf } from '../model/messages.ts';
import { planText } from '../plan/plan.ts';
import { statusText } from '../plan/progress.ts';
import { permissionText } from '../session/grant-scope.ts';
import type { SessionState } from '../session/session-state.ts';
import { todoText } from '../words/todo-text.ts';
import { visibleLine } from '../words/visible-text.ts';

const MODE = { ask: 'Ask', plan: 'Plan', agent: 'Agent' } as const;
const MOST_FILES = 60;
const CHECK_CHARS = 600;
const TODO_CHARS = 4_000;
const CALL_CHARS = 100;
const DIGEST = 8;

/** Returns the state at this moment. `indexChars` limits the list of earlier messages; the newest are listed. */
export function carriedState(state: SessionState, keepFrom: number, indexChars: number): string {
  const sections = [
    situation(state),
    planSection(state),
    todoSection(state),
    list('Failed checks', failedChecks(state)),
    list('Open approvals and questions', openRequests(state)),
    list('Permissions that the user granted', [
      ...new Set(state.grants.map(({ covers, scope }) => `${permissionText(covers)} (${scope})`)),
    ]),
    list('Files that were changed, with the first digits of their current digest', changedFiles(state)),
    list('Files that were read, with the number of the last result', filesRead(state.messages, keepFrom)),
    carriedIndex(state, keepFrom, indexChars),
  ];
  return sections.filter(Boolean).join('\n\n');
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length > MOST_FILES ? [`- and ${lines.length - MOST_FILES} earlier ones`] : [];
  return [`${title}:`, ...lines.slice(-MOST_FILES).map((line) => `- ${line}`), ...more].join('\n');
}

function situation({ lastRun, messages }: SessionState): string {
  if (!lastRun) return '';
  const latest = messages.findLastIndex((message) => message.role === 'user' && textOf(message) !== '');
  const request = latest < 0 ? '' : ` The user’s latest message is ${addressOf(latest)}; earlier ones may already be dealt with.`;
  return `The mode is ${MODE[lastRun.mode]}.${request}`;
}

/** The plan of the last run, or the latest plan of the session, with the state of every step. */
function planSection({ lastRun, plans }: SessionState): string {
  const latest = [...plans.values()].at(-1);
  const plan = lastRun?.plan ?? latest?.plan;
  if (!plan) return '';
  const status = plans.get(plan.id)?.status ?? 'confirmed';
  const isCurrent = lastRun?.plan?.id === plan.id;
  const steps = isCurrent ? lastRun.steps : {};
  const states = Object.fromEntries(
    plan.steps.map((_, at) => {
      const step = steps[at + 1];
      return [at + 1, step ? `${statusText(step)}${step.note ? ` (${step.note})` : ''}` : isCurrent ? 'not started' : ''];
    }),
  );
  const over = isCurrent && plan.steps.every((_, at) => /^(done|skipped)/.test(states[at + 1] ?? ''));
  const what = over ? 'All steps of this plan are finished; nothing of it is left to do.' : `This plan is ${status}.`;
  return `${what}\n${planText(plan, states)}`;
}

function todoSection({ todo }: SessionState): string {
  return todo.length > 0 ? `Your list of what is left to do:\n${shortened(todoText(todo), TODO_CHARS, 'your last call of todo')}` : '';
}

function failedChecks({ lastRun }: SessionState): string[] {
  return Object.entries(lastRun?.steps ?? {}).flatMap(([step, { check }]) =>
    // The output is that of a program, so that no line of it may look like a line of this text.
    check?.outcome === 'failed' ? [`step ${step}: ${visibleLine(check.output.slice(-CHECK_CHARS)).toWellFormed()}`] : [],
  );
}

function openRequests({ pendingApprovals, pendingQuestions }: SessionState): string[] {
  return [
    ...[...pendingApprovals.values()].map(({ title }) => `approval: ${title}`),
    ...[...pendingQuestions.values()].map(({ question }) => `question: ${question.text}`),
  ];
}

function changedFiles({ staged }: SessionState): string[] {
  const files = new Map<string, string>();
  for (const { change, landed } of staged) {
    if (!landed) continue;
    files.delete(change.path);
    if (change.from !== undefined) files.delete(change.from);
    const what = change.from === undefined ? '' : ` (moved from ${visibleLine(change.from)})`;
    files.set(change.path, `${visibleLine(change.path)}${what}: ${change.after?.slice(0, DIGEST) ?? 'deleted'}`);
  }
  return [...files.values()];
}

function filesRead(messages: readonly Message[], before: number): string[] {
  const read = new Map<string, string>();
  for (const { call, address, failed } of entriesOf(messages.slice(0, before))) {
    const path = (call?.input as { path?: unknown } | undefined)?.path;
    if (call?.name !== 'read_file' || failed || typeof path !== 'string') continue;
    read.delete(path);
    read.set(path, `${visibleLine(path)} ${address}`);
  }
  return [...read.values()];
}

/** The numbers of earlier answers and results, so that the model can read them again. */
export function carriedIndex({ messages }: SessionState, before: number, most: number): string {
  const all = entriesOf(messages.slice(0, before)).map(({ call, text, address, failed }) =>
    call ? `${address} ${describe(call)}${failed ? ' (failed)' : ''}` : `${address} you: ${cut(text)}`,
  );
  let size = 0;
  let from = all.length;
  while (from > 0 && size + (all[from - 1] as string).length < most) size += (all[--from] as string).length + 1;
  if (from === all.length) return all.length > 0 ? `${all.length} earlier answers and results can be searched with recall.` : '';
  const earlier = from > 0 ? [`(${from} earlier ones can be searched with recall)`] : [];
  return ['Earlier answers and results:', ...earlier, ...all.slice(from)].join('\n');
}

/** An answer with text, or the result of a call. */
type Entry = { address: string; text: string; call?: ToolCall; failed?: boolean };

function entriesOf(messages: readonly Message[]): Entry[] {
  let calls = new Map<string, ToolCall>();
  return messages.flatMap((message, at): Entry[] => {
    if (message.role === 'assistant') {
      calls = new Map(callsOf(message).map((call) => [call.id, call]));
      const text = textOf(message);
      return text.trim() ? [{ address: addressOf(at), text }] : [];
    }
    if (message.role !== 'tool') return [];
    return message.content.flatMap(({ callId, isError }, place) => {
      const call = calls.get(callId);
      // What was only read again has its number already.
      if (!call || call.name === 'recall') return [];
      return [{ address: addressOf(at, place), text: '', call, failed: isError === true }];
    });
  });
}

function describe({ name, input }: ToolCall): string {
  const values =
    typeof input === 'object' && input ? Object.values(input).filter((value) => ['string', 'number'].includes(typeof value)) : [];
  return `${name} ${cut(values.join(' '))}`.trim();
}

function cut(text: string): string {
  const line = text
    .slice(0, 4 * CALL_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > CALL_CHARS ? `${line.slice(0, CALL_CHARS).toWellFormed()}…` : line.toWellFormed();
}
