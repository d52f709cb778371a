/** Describes the state of a session to the model. It is computed only from the log, so it is complete and correct. */

import { addressOf, shortened } from '../context/shorten.ts';
import type { List } from '../list.ts';
import { callsOf, type Message, type ToolCall, textOf } from '../model/messages.ts';
import { planText } from '../plan/plan.ts';
import { failedEndCheck, isOver, statusText } from '../plan/progress.ts';
import { MODE_NAME } from '../session/events.ts';
import { permissionText } from '../session/grant-scope.ts';
import type { SessionState } from '../session/session-state.ts';
import { todoText } from '../words/todo-text.ts';
import { visibleLine } from '../words/visible-text.ts';

/** The state of a session and its conversation. */
export type Compactable = Omit<SessionState, 'messages'> & { readonly messages: List<Message> };

const MOST_FILES = 60;
const CHECK_CHARS = 600;
const TODO_CHARS = 4_000;
const CALL_CHARS = 100;
const DIGEST = 8;

/** Returns the current state. `indexChars` limits the list of earlier messages; the newest messages are listed. */
export function carriedState(state: Compactable, keepFrom: number, indexChars: number): string {
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
    list('Files that were read, with the number of the last result and the first digits of their digest', filesRead(state, keepFrom)),
    carriedIndex(state, keepFrom, indexChars),
  ];
  return sections.filter(Boolean).join('\n\n');
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length > MOST_FILES ? [`- and ${lines.length - MOST_FILES} earlier ones`] : [];
  return [`${title}:`, ...lines.slice(-MOST_FILES).map((line) => `- ${line}`), ...more].join('\n');
}

function situation({ lastRun, messages }: Compactable): string {
  if (!lastRun) return '';
  const latest = messages.findLastIndex((message) => message.role === 'user' && textOf(message) !== '');
  const request = latest < 0 ? '' : ` The user’s latest message is ${addressOf(latest)}; earlier ones may already be dealt with.`;
  return `The mode is ${MODE_NAME[lastRun.mode]}.${request}`;
}

/** Formats the plan of the last run, or else the latest plan of the session, with the state of each step. */
function planSection({ lastRun, plans }: Compactable): string {
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
  const over = isCurrent && plan.steps.every((_, at) => isOver(steps[at + 1]));
  const what = over ? 'All steps of this plan are finished.' : `This plan is ${status}.`;
  return `${what}\n${planText(plan, states)}`;
}

function todoSection({ todo }: Compactable): string {
  return todo.length > 0 ? `Your to-do list:\n${shortened(todoText(todo), TODO_CHARS, 'your last call of todo')}` : '';
}

function failedChecks({ lastRun }: Compactable): string[] {
  // The output comes from a program. It is put into one line, so that none of its lines can be mistaken for a line of this text.
  const text = (name: string, output: string) => `${name}: ${visibleLine(output.slice(-CHECK_CHARS)).toWellFormed()}`;
  const end = lastRun && failedEndCheck(lastRun);
  const ofSteps = Object.entries(lastRun?.steps ?? {}).flatMap(([step, { check }]) =>
    check?.outcome === 'failed' ? [text(`step ${step}`, check.output)] : [],
  );
  return [...ofSteps, ...(end ? [text('after the last step', end.output)] : [])];
}

function openRequests({ pendingApprovals, pendingQuestions }: Compactable): string[] {
  return [
    ...[...pendingApprovals.values()].map(({ title }) => `approval: ${title}`),
    ...[...pendingQuestions.values()].map(({ question }) => `question: ${question.text}`),
  ];
}

function changedFiles({ staged }: Compactable): string[] {
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

/** Logs of earlier versions do not contain the digest of a file that was read. */
function filesRead({ messages, reads, contents }: Compactable, before: number): string[] {
  const files = new Map<string, string>();
  for (const { call, address, failed } of entriesOf(messages.slice(0, before))) {
    const named = (call?.input as { path?: unknown } | undefined)?.path;
    if (call?.name !== 'read_file' || failed || typeof named !== 'string') continue;
    const { path = named, digest } = reads.get(call.id) ?? {};
    files.delete(path);
    files.set(path, `${visibleLine(path)} ${address}${digest === undefined ? '' : contentText(digest, contents.get(path))}`);
  }
  return [...files.values()];
}

/** Describes the current content of a file according to the log, and whether it has changed since it was read. */
function contentText(read: string, now: string | undefined): string {
  if (now === read) return `: ${read.slice(0, DIGEST)}`;
  return now === undefined ? ': deleted since then' : `: changed since then, now ${now.slice(0, DIGEST)}`;
}

/** Lists the numbers of earlier answers and results, so that the model can read them again. */
export function carriedIndex({ messages }: Compactable, before: number, most: number): string {
  const all = entriesOf(messages.slice(0, before));
  const lines: string[] = [];
  for (let size = 0; lines.length < all.length; ) {
    const line = lineOf(all.at(-1 - lines.length) as Entry);
    size += line.length + 1;
    if (size > most) break;
    lines.push(line);
  }
  if (lines.length === 0) return all.length > 0 ? `${all.length} earlier answers and results can be searched with recall.` : '';
  const earlier = all.length - lines.length;
  const note = earlier > 0 ? [`(${earlier} earlier ones can be searched with recall)`] : [];
  return ['Earlier answers and results:', ...note, ...lines.reverse()].join('\n');
}

function lineOf({ call, text, address, failed }: Entry): string {
  return call ? `${address} ${describe(call)}${failed ? ' (failed)' : ''}` : `${address} you: ${cut(text)}`;
}

/** An answer with text, or the result of a call. */
type Entry = { address: string; text: string; call?: ToolCall; failed?: boolean };

function entriesOf(messages: readonly Message[]): Entry[] {
  const entries: Entry[] = [];
  let calls: ToolCall[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') {
      calls = callsOf(message);
      const text = textOf(message);
      if (text.trim()) entries.push({ address: addressOf(at), text });
    }
    if (message.role !== 'tool') continue;
    for (const [place, { callId, isError }] of message.content.entries()) {
      const call = calls.find(({ id }) => id === callId);
      // A message that was read again with `recall` is already listed under its own number.
      if (call && call.name !== 'recall') entries.push({ address: addressOf(at, place), text: '', call, failed: isError === true });
    }
  }
  return entries;
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
