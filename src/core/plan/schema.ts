/**
 * The zod schema of plans, for input from a model or a panel. Code that only reads plans imports the types from plan.ts, so that it does
 * not load zod.
 */
import * as z from 'zod';

const text = z.string().min(1);

/** How Kedge verifies a step. A plain string is a remark for the user and is not run. */
export const Check = z.union([
  z.object({ command: text }),
  z.object({ search_empty: z.object({ pattern: text, glob: z.string().optional() }) }),
  z.object({ diagnostics: z.literal(true) }),
  z.string(),
]);

/** A check after the last step. Its schema is short, because it is part of each request for a plan. `Check` validates the input. */
const CheckAtEnd = z.union([z.looseObject({}), z.string()]).pipe(Check);

/**
 * A step as the model proposes it. `files` are the workspace paths or globs that the step may change. A step with an `agent` is carried out by
 * that agent.
 */
export const PlanStep = z.object({
  title: text,
  detail: z.string().optional(),
  files: z.array(z.string()).describe('Paths or globs the step may change'),
  tools: z.array(z.string()).optional(),
  agent: text.max(100).optional(),
  check: Check.optional().describe('Run after the step: a command that succeeds, a regex found nowhere, no errors'),
});

export const PlanDraft = z.object({
  goal: text,
  steps: z.array(PlanStep).min(1),
  assumptions: z.array(z.string()).optional(),
  checks: z.array(CheckAtEnd).optional().describe('Like the checks of steps, run after the last step'),
  estimatedCalls: z.int().min(1).optional(),
});

/**
 * A stored plan: the draft, its id, a revision number that grows with each edit, and the hash of its content (see hash.ts), if it was
 * recorded. `supersedes` is the id of the plan that this plan replaces.
 */
export const Plan = PlanDraft.extend({
  id: z.string(),
  revision: z.number().int().min(1),
  hash: z.string().optional(),
  supersedes: z.string().optional(),
});

export type Check = z.infer<typeof Check>;
export type PlanStep = z.infer<typeof PlanStep>;
export type PlanDraft = z.infer<typeof PlanDraft>;
export type Plan = z.infer<typeof Plan>;
