import * as z from 'zod';
import { withHash } from '../../core/plan/hash.ts';
import { hasAgents, type Plan } from '../../core/plan/plan.ts';
import { PlanDraft, PlanStep } from '../../core/plan/schema.ts';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import { parsePath, relativePath } from '../../workspace/paths.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import type { StepControl } from './agent-steps.ts';
import { agentField, agentProblem, type PlanAgent } from './plan-agents.ts';
import { expectCheckable } from './plan-check.ts';

/** Without agents, the model is not told that a step can have one. */
function draftWith(agents: readonly PlanAgent[]) {
  if (agents.length === 0) return PlanDraft.extend({ steps: z.array(PlanStep.omit({ agent: true })).min(1) });
  const named = PlanStep.extend({ agent: PlanStep.shape.agent.describe(agentField(agents)) });
  return PlanDraft.extend({ steps: z.array(named).min(1) });
}

export type Planning = {
  newId: () => string;
  /** The plan that the user wants to change. The new plan replaces it. */
  revises?: Plan | undefined;
  agents?: readonly PlanAgent[];
};

export function proposePlanTool(workspace: Workspace, { newId, revises, agents = [] }: Planning): Tool {
  return defineTool({
    name: 'propose_plan',
    description: 'Propose the plan to the user, who may edit it and confirms it. Files that no step names cannot be changed later.',
    effect: 'readonly',
    alone: true,
    input: draftWith(agents),
    repair: repairPlan,
    async prepare(draft: PlanDraft, signal) {
      const { folders } = workspace.fs;
      for (const file of draft.steps.flatMap((step) => step.files)) parsePath(file, folders);
      const steps = draft.steps.map(({ agent, ...step }) => ({
        ...step,
        ...(agent !== undefined && { agent: agent.trim().toLowerCase() }),
        files: step.files.map((file) => relativePath(file, folders)),
      }));
      const problem = agentProblem({ steps }, agents);
      if (problem !== undefined) throw new ToolError(`${problem} Correct the plan and propose it again.`);
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
    const { check, agent, ...others } = step;
    const rest = agent === '' ? others : { ...others, ...(agent !== undefined && { agent }) };
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

export function updateStepTool(stepController: StepControl): Tool {
  const tool = defineTool({
    name: 'update_step',
    description: 'Report a step of the confirmed plan.',
    // The tool itself changes nothing: the user confirmed the plan, and decides whether a step is rolled back.
    effect: 'readonly',
    alone: true,
    input: z.object({ step: z.int().min(1), status: z.enum(['started', 'done', 'failed', 'skipped']), note: z.string().optional() }),
    async prepare({ step, status, note }) {
      const { steps } = stepController.plan;
      const { title, agent } = steps[step - 1] ?? {};
      if (title === undefined) throw new ToolError(`The plan has no step ${step}. Use a number from 1 to ${steps.length}.`);
      return {
        title: `Step ${step}${status === 'started' && agent ? `, agent ${agent}` : ` reported ${status}`}: ${title}`,
        targets: [],
        execute: (context) => stepController.report({ step, status, note }, context),
      };
    },
  });
  // The call that starts a step with an agent takes as long as the run of the agent.
  return hasAgents(stepController.plan) ? Object.defineProperty(tool, 'delegates', { value: true, enumerable: true }) : tool;
}
