import * as z from 'zod';

/** What the model proposes. `files` are workspace paths or globs: what the step may change, and nothing else. */
export const PlanStep = z.object({
  title: z.string().min(1).describe('What this step does'),
  files: z.array(z.string()).describe('Paths or globs it may change'),
  tools: z.array(z.string()).optional().describe('Tools it will use'),
  check: z.string().optional().describe('How to see that it worked'),
});

export const PlanDraft = z.object({
  goal: z.string().min(1),
  steps: z.array(PlanStep).min(1),
  checks: z.array(z.string()).optional().describe('Checks after the last step'),
});

/** A plan as it is kept: the draft, the id by which it is confirmed, and a revision that grows with each edit. */
export const Plan = PlanDraft.extend({ id: z.string(), revision: z.number().int().min(1) });

export type PlanStep = z.infer<typeof PlanStep>;
export type PlanDraft = z.infer<typeof PlanDraft>;
export type Plan = z.infer<typeof Plan>;

export type StepStatus = 'started' | 'done' | 'failed' | 'skipped';

/** Every path or glob that the plan names. */
export function planScope(plan: Plan): string[] {
  return [...new Set(plan.steps.flatMap((step) => step.files))];
}

/** The plan as the model (and a terminal) reads it. Steps are numbered from 1. */
export function planText(plan: PlanDraft): string {
  const steps = plan.steps.map((step, index) => {
    const lines = [`${index + 1}. ${step.title}`];
    if (step.files.length) lines.push(`   files: ${step.files.join(', ')}`);
    if (step.tools?.length) lines.push(`   tools: ${step.tools.join(', ')}`);
    if (step.check) lines.push(`   check: ${step.check}`);
    return lines.join('\n');
  });
  const checks = plan.checks?.length ? ['', 'Checks:', ...plan.checks.map((check) => `- ${check}`)] : [];
  return [`Goal: ${plan.goal}`, '', ...steps, ...checks].join('\n');
}

/** The request that starts the run of a confirmed plan. */
export function planPrompt(plan: Plan): string {
  return `The user confirmed this plan. Carry it out step by step. Before each step call update_step with status "started", after it with "done" or "failed".\n\n${planText(plan)}`;
}
