/** Proposes to remember something after a run, as text with a command. The text of a lesson comes from a run, so it is not shown as Markdown. */
import type { Assistant } from '../../app/assistant.ts';
import type { Session } from '../../app/session/session.ts';
import type { AgentEvent } from '../../core/session/events.ts';

const TITLE = 'Memory for similar tasks';
type Notice = { title: string; detail: string };

/** Carries out `/lesson`. Returns undefined for any other text. */
export async function lessonCommand(text: string, assistant: Assistant, session: Session): Promise<Notice | undefined> {
  const [command, words = ''] = /^\/lesson(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return command === undefined ? undefined : { title: TITLE, detail: await (await assistant.lessons()).command(session, words) };
}

/** Returns what to propose after a run. The user answers with `/lesson`, or not at all. */
export async function proposedLesson(end: AgentEvent | undefined, assistant: Assistant, session: Session): Promise<Notice | undefined> {
  if (end?.type !== 'run_finished' || session.state.lastRun?.mode !== 'agent') return undefined;
  const [{ proposalText }, lessons] = await Promise.all([import('../../app/lessons/lessons.ts'), assistant.lessons()]);
  const lesson = await lessons.proposal(session);
  return lesson && { title: TITLE, detail: proposalText(lesson) };
}
