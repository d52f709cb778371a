import { callsIn } from '../../core/view/run-view.ts';
import type { SessionView } from '../../core/view/session-view.ts';

/**
 * Returns a sentence that explains why an approval or question is no longer open. The Chat keeps the buttons of an answered request, so the
 * user may press a button again.
 */
export function becameOf({ runs }: Pick<SessionView, 'runs'>, id: string): string {
  const asked = runs.flatMap(callsIn).flatMap((call) => call.asked);
  const approval = asked.find(({ request }) => request.approvalId === id);
  if (approval?.answer) return `You have already ${approval.answer.approve ? 'approved' : 'rejected'} “${approval.request.title}”.`;
  const question = runs.flatMap(({ said }) => said).find(({ key }) => key === id);
  if (question) return `You have already answered this question: ${question.text}`;
  return 'This question is no longer open, because its run has ended. Send a new message.';
}
