import type { AgentEvent } from '../../core/session/events.ts';

/** What became of a question that waits no longer: the Chat's buttons stay after their answer, and one may be pressed again. */
export function becameOf(events: readonly AgentEvent[], id: string): string {
  for (const event of events.toReversed()) {
    if (event.type === 'approval_resolved' && event.approvalId === id) {
      const asked = events.find((each) => each.type === 'approval_requested' && each.approvalId === id);
      const title = asked?.type === 'approval_requested' ? `: ${asked.title}` : '';
      return `You ${event.answer.approve ? 'approved' : 'rejected'} this already${title}.`;
    }
    if (event.type === 'question_answered' && event.questionId === id) {
      const { answer } = event;
      return `This question was answered already: ${'option' in answer ? answer.option : answer.words}`;
    }
  }
  return 'This question is no longer open: its run has ended.';
}
