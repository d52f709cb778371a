/** The texts of a session that a search looks through: the text that the user and the model wrote, and the results of tools. */

import { type Message, resultText, textOf } from '../model/messages.ts';
import { notesOf } from '../model/notes.ts';
import { isChildRun } from './children/child-ids.ts';
import type { Target } from './effects.ts';
import type { AgentEvent } from './events.ts';

/** `seq` is the number of the event that the text comes from. `paths` are the files whose content it contains. */
export type SessionText = { seq: number; from: 'user' | 'model' | 'tool'; title?: string; text: string; paths: readonly string[] };

/**
 * Returns the texts of a session in log order. Like the tool `recall`, it leaves out everything that the user approved or sent as a secret. Arguments
 * of calls are not included.
 */
export function* textsOf(events: readonly AgentEvent[]): Generator<SessionText> {
  const secret = new Set<string>();
  const started = new Map<string, { title: string; targets: readonly Target[] }>();
  for (const event of events) if (event.type === 'approval_requested' && event.secret) secret.add(event.callId);
  for (const event of events) {
    if (event.type === 'tool_started') started.set(event.callId, event);
    else if (event.type === 'message_added') yield* saidIn(event.message, event.seq, isChildRun(event.runId));
    else if (event.type === 'tool_finished') {
      const { callId, result, seq } = event;
      const { title = result.name, targets = [] } = started.get(callId) ?? {};
      started.delete(callId);
      // A result of recall repeats another text.
      if (secret.has(callId) || result.name === 'recall') continue;
      yield { seq, from: 'tool', title, text: resultText(result), paths: readPaths(targets) };
    }
  }
}

/** The first message of a child run was written by the model of its parent. */
function* saidIn(message: Message, seq: number, isOfChild: boolean): Generator<SessionText> {
  if (message.role === 'tool') return;
  const from = message.role === 'user' && !isOfChild ? 'user' : 'model';
  const text = textOf(message);
  if (text) yield { seq, from, text, paths: [] };
  for (const { text: note, ref } of notesOf(message)) {
    if (!ref || ref.secret) continue;
    yield { seq, from, text: note, paths: ref.path !== undefined && ref.kind !== 'url' ? [ref.path] : [] };
  }
}

function readPaths(targets: readonly Target[]): string[] {
  return targets.flatMap(({ path, access }) => (access === 'read' ? [path] : []));
}
