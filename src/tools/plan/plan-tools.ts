import * as z from 'zod';
import { withHash } from '../../core/plan/hash.ts';
import type { Plan } from '../../core/plan/plan.ts';
import { PlanDraft } from '../../core/plan/schema.ts';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import { parsePath, relativePath } from '../../workspace/paths.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { expectCheckable } from './plan-check.ts';
import type { StepController } from './step-controller.ts';

/** `revises` is the plan that the user wants to change. The new plan replaces it. */
export function proposePlanTool(workspace: Workspace, newId: () => string, revises?: Plan): Tool {
  return defineTool({
    name: 'propose_plan',
    description: 'Propose the plan to the user, who may edit it and confirms it. Files that no step names cannot be changed later.',
    effect: 'readonly',
    alone: true,
    input: PlanDraft,
    repair: repairPlan,
    async prepare(draft, signal) {
      const { folders } = workspace.fs;
      for (const file of draft.steps.flatMap((step) => step.files)) parsePath(file, folders);
      const steps = draft.steps.map((step) => ({ ...step, files: step.files.map((file) => relativePath(file, folders)) }));
      const checks = [...draft.steps.map(({ check }) => check), ...(draft.checks ?? [])];
      for (const check of checks) await expectCheckable(check, workspace, signal);
      return {
        title: `Propose a plan: ${draft.goal}`,
        targets: [],
        execute: async () => {
          const replaced = revises && { supersedes: revises.id, revision: revises.revision + 1 };
          const plan = await withHash({ ...draft, steps, id: newId(), revision: 1, ...replaced });
          return {
            content: 'The plan was shown to the user, who confirms, edits or rejects it.',
            events: [{ type: 'plan_proposed', plan }],
            endsRun: 'plan_proposed',
          };
        },
      };
    },
  });
}

/** Repairs invalid checks: models send empty fields to mean "no check", or only a pattern where a search is expected. */
function repairPlan(input: unknown): unknown {
  if (!isRecord(input) || !Array.isArray(input.steps)) return input;
  const steps = input.steps.map((step: unknown) => {
    if (!isRecord(step)) return step;
    const { check, ...rest } = step;
    const repaired = repairCheck(check);
    return repaired === undefined ? rest : { ...rest, check: repaired };
  });
  if (!Array.isArray(input.checks)) return { ...input, steps };
  const checks = input.checks.map(repairCheck).filter((check) => check !== undefined);
  return { ...input, steps, checks };
}

function repairCheck(check: unknown): unknown {
  if (check === '') return undefined;
  if (!isRecord(check)) return check;
  const fields = Object.fromEntries(Object.entries(check).filter(([, value]) => value !== '' && value !== false));
  const { command, search_empty: search, glob, diagnostics } = fields;
  if (typeof command === 'string') return { command };
  if (typeof search === 'string') return { search_empty: { pattern: search, ...(typeof glob === 'string' && { glob }) } };
  if (search !== undefined) return { search_empty: search };
  return diagnostics === undefined ? undefined : { diagnostics: true };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function updateStepTool(stepController: StepController): Tool {
  return defineTool({
    name: 'update_step',
    description: 'Report a step of the confirmed plan.',
    // The tool itself changes nothing: the user confirmed the plan, and decides whether a step is rolled back.
    effect: 'readonly',
    alone: true,
    input: z.object({ step: z.int().min(1), status: z.enum(['started', 'done', 'failed', 'skipped']), note: z.string().optional() }),
    async prepare({ step, status, note }) {
      const { steps } = stepController.plan;
      const title = steps[step - 1]?.title;
      if (title === undefined) throw new ToolError(`The plan has no step ${step}. Use a number from 1 to ${steps.length}.`);
      return {
        title: `Step ${step} reported ${status}: ${title}`,
        targets: [],
        execute: (context) => stepController.report({ step, status, note }, context),
      };
    },
  });
}
