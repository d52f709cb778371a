/** Converts the panel's messages to the forms that sessions and the editor expect, and back. */
import type { AgentEvent, ApprovalAnswer, QuestionAnswer } from '../../../core/session/events.ts';
import type { ToHost, ToPanel } from '../../../protocol/panel.ts';

/** The messages that only run a command of the editor, with the command and its arguments. */
export const COMMANDS: Partial<Record<ToHost['type'], readonly [command: string, ...args: string[]]>> = {
  open_folder: ['workbench.action.files.openFolder'],
  manage_trust: ['workbench.trust.manage'],
  pick_session: ['kedge.openSession'],
  pick_model: ['kedge.pickModel'],
  pick_agent: ['kedge.pickAgent'],
  open_rules: ['workbench.action.openSettings', 'kedge.policy.rules'],
  connect_model: ['kedge.connectModel'],
};

export function approvalOf(answer: Extract<ToHost, { type: 'answer_approval' }>['answer']): ApprovalAnswer {
  if (!answer.approve) return { approve: false, ...(answer.words && { words: answer.words }) };
  return {
    approve: true,
    ...(answer.grant && { grant: answer.grant, covers: answer.covers ?? 0 }),
    ...(answer.revised && { revised: answer.revised }),
    ...(answer.widen && { widen: answer.widen }),
  };
}

export function optionOf({ option, words }: { option: string; words?: string | undefined }): QuestionAnswer {
  return { option, ...(words && { words }) };
}

/** Adds an event to those that are posted together. */
export function addJoined(events: AgentEvent[], event: AgentEvent): void {
  const last = events.at(-1);
  const joined = last && joinDeltas(last, event);
  events.splice(joined ? -1 : events.length, 1, joined ?? event);
}

/** Joins two consecutive deltas of the same kind into one event. */
export function joinDeltas(last: AgentEvent, event: AgentEvent): AgentEvent | undefined {
  if (event.type !== 'text_delta' && event.type !== 'reasoning_delta') return undefined;
  return last.type === event.type && last.runId === event.runId ? { ...event, text: last.text + event.text } : undefined;
}

/** Reports a message that is too large, because it must not be dropped silently. */
export function refuse(raw: unknown, post: (message: ToPanel) => void): void {
  const { type, id } = (raw ?? {}) as { type?: unknown; id?: unknown };
  if (type !== 'prompt') return;
  const reason = 'The message was not sent, because it is too long. Shorten it, or remove an image or a mention.';
  post({ type: 'not_sent', ...(typeof id === 'string' && { id }), level: 'error', reason });
}
