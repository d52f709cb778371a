/** The shapes of plans, for validating logs. Input from a model is validated by schema.ts, which is stricter. */

import { anyOf, arrayOf, constant, number, object, optional, type Check as Shape, string } from '../shape.ts';
import type { Check, Plan, PlanStep } from './plan.ts';

const strings = arrayOf(string);
const text = optional(string);

export const planCheck: Shape<Check> = anyOf(
  string,
  object<Extract<Check, { command: string }>>({ command: string }),
  object<Extract<Check, { search_empty: object }>>({
    search_empty: object<Extract<Check, { search_empty: object }>['search_empty']>({ pattern: string, glob: text }),
  }),
  object<Extract<Check, { diagnostics: true }>>({ diagnostics: constant(true) }),
);
const planStep = object<PlanStep>({
  title: string,
  detail: text,
  files: strings,
  tools: optional(strings),
  agent: text,
  check: optional(planCheck),
});
export const plan = object<Plan>({
  id: string,
  revision: number,
  hash: text,
  supersedes: text,
  goal: string,
  steps: arrayOf(planStep),
  assumptions: optional(strings),
  checks: optional(arrayOf(planCheck)),
  estimatedCalls: optional(number),
});
