import type { PlanStep } from '../../core/plan/plan.ts';
import type { Outcome } from '../script.ts';

/** What a change would do, found out by looking: in words for Ask mode, as steps for Plan mode. */
export type Survey = { problem: string } | { would: string; brief: string; warning?: string; steps: PlanStep[]; checks?: string[] };

export function problemOutcome(problem: string): Outcome {
  return { text: problem, failed: problem };
}

/** Of a tool's error, what fits a line. A rejection's words come whole. */
export function firstLine(text: string): string {
  const line = /rejected|^Nobody/i.test(text) ? text.replace(/\s+/g, ' ') : (text.split('\n', 1)[0] ?? '');
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
