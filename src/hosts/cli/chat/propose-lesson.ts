/** Says after a run what could be remembered for similar tasks. The user answers with `/lesson`, or not at all. */
import type { Chat } from './chat.ts';

export async function proposeLesson({ kedge, session, front }: Pick<Chat, 'kedge' | 'session' | 'front'>): Promise<void> {
  if (session.state.lastRun?.mode !== 'agent') return;
  const { proposalText } = await import('../../../app/lessons/lessons.ts');
  const lesson = await (await kedge.assistant.lessons()).proposal(session);
  if (lesson) front.say(proposalText(lesson));
}
