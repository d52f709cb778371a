/** The messages that a user sends. */

import { type ImagePart, type ModelRef, type NotePart, type TextPart, textOf, type UserMessage } from '../../core/model/messages.ts';
import { changeNote, planNote } from '../../core/plan/plan.ts';
import { finishedStepsText } from '../../core/plan/progress.ts';
import type { EventBody, Mode } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import { initPrompt, parseSlashCommand } from '../../core/words/slash-commands.ts';

/** `text` may be empty if there are attachments. */
export type Prompt = {
  text: string;
  mode: Mode;
  /** Overrides the model of the mode. */
  model?: ModelRef;
  /** Added to the message after the text: images, and notes with the content of mentions. */
  attachments?: (TextPart | ImagePart | NotePart)[];
  /** Notes by Kedge that are added to the message. */
  notes?: NotePart[];
};

/**
 * Returns the user's last prompt with its attachments, so that it can be sent again. Returns undefined for the run of a plan, which has no
 * prompt.
 */
export function lastPrompt({ lastRun, messages }: SessionState): Prompt | undefined {
  if (!lastRun || lastRun.plan) return undefined;
  const said = messages.slice(lastRun.messagesBefore).filter((message) => message.role === 'user');
  // Queued messages can precede the prompt.
  const message = said.find((each) => textOf(each).startsWith(lastRun.prompt)) ?? said[0];
  const [first, ...rest] = (message?.content ?? []).filter((part) => part.type !== 'note' || part.about === 'mention');
  if (!first) return undefined;
  const text = first.type === 'text' ? first.text : '';
  return { text, mode: lastRun.mode, attachments: first.type === 'text' ? rest : [first, ...rest] };
}

/** Returns the arguments of `Session.prompt` that make the model write an AGENTS.md. */
export function initiation(words: string, model?: ModelRef): [Prompt, { shown: string }] {
  return [{ text: initPrompt(words), mode: 'agent', ...(model && { model }) }, { shown: words ? `/init ${words}` : '/init' }];
}

/** Yields the events that add the messages to a run that were queued before it started. */
export function* queuedOpening(runId: string | undefined, state: SessionState): Generator<EventBody> {
  for (const queued of state.queue.values()) {
    if (queued.runId === runId) continue;
    const content = [...queued.message.content, ...takenBackNote(state)];
    yield { type: 'message_added', message: { role: 'user', content }, queued: queued.id };
  }
}

/**
 * Yields the messages that a run was started with as far as they are not in the log, because the program ended right after the start of
 * the run. Attachments cannot be restored.
 */
export function* lostOpening(run: RunRecord, state: SessionState): Generator<EventBody> {
  const { runId, prompt, plan, revises, steps, used } = run;
  if (used.turns > 0) return;
  yield* queuedOpening(runId, state);
  if (run.hasOpening) return;
  const revised = state.plans.get(revises ?? '')?.plan;
  const content = plan
    ? [planNote(plan, finishedStepsText(steps))]
    : userMessage(sentText(prompt), revised ? [changeNote(revised)] : []).content;
  yield { type: 'message_added', message: { role: 'user', content: [...content, ...takenBackNote(state)] } };
}

/** Whether a run that has not asked the model yet has nothing to send. */
export function isEmpty({ used, messagesBefore }: RunRecord, { messages, queue }: SessionState): boolean {
  return used.turns === 0 && messages.length <= messagesBefore && queue.size === 0;
}

/** Returns the text that is sent for a prompt as the user sees it. */
function sentText(shown: string): string {
  const command = parseSlashCommand(shown.replace(/^kedge (?=init\b)/, '/'));
  return command?.name === 'init' ? initPrompt(command.words) : shown;
}

export function userMessage(text: string, more: UserMessage['content']): UserMessage {
  return { role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...more] };
}
