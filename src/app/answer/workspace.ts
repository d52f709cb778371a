/** Questions about the code in the workspace. */
import type { Subject } from './answer.ts';
import { checkCitations, type Source } from './workspace-citations.ts';
import { evidenceIn } from './workspace-evidence.ts';

export const WORKSPACE: Subject<Source> = {
  // The offline model ignores the part in `<context>`.
  prompt: ({ query, useCase }, calls) => `${query}

<context>
Another program asks this question for its own work. It needs the answer for this: ${useCase}
Make at most ${calls} tool calls, and stop as soon as the answer is sufficient for that purpose.
Read a place before you cite it: cited places that you did not read are removed. Cite every place as path:line or path:line-line.
If you find nothing, say so and do not guess. Answer in at most 400 words, without a summary of your search.
End with one line: "Confidence: high", "Confidence: medium" or "Confidence: low".
</context>`,
  check: (answer, events) => checkCitations(answer, evidenceIn(events)),
  nothing: 'Kedge found nothing in this workspace that supports an answer.',
};
