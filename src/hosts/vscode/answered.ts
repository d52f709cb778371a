import { callsIn } from '../../core/view/run-view.ts';
import type { SessionView } from '../../core/view/session-view.ts';

/** What became of a question that waits no longer: the Chat's buttons stay after their answer, and one may be pressed again. */
export function becameOf({ runs }: Pick<SessionView, 'runs'>, id: string): string {
  const asked = runs.flatMap(callsIn).flatMap((call) => call.asked);
  const approval = asked.find(({ request }) => request.approvalId === id);
  if (approval?.answer) return `You ${approval.answer.approve ? 'approved' : 'rejected'} this already: ${approval.request.title}.`;
  const question = runs.flatMap(({ said }) => said).find(({ key }) => key === id);
  if (question) return `This question was answered already: ${question.text}`;
  return 'This question is no longer open: its run has ended.';
}
