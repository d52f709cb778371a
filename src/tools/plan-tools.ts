import * as z from 'zod';
import type { Plan } from '../core/plan.ts';
import { PlanDraft } from '../core/plan.ts';
import type { Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';
import { parsePath } from '../workspace/paths.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool } from './define.ts';

export function proposePlanTool(workspace: Workspace, newId: () => string): Tool {
  return defineTool({
    name: 'propose_plan',
    description: 'Propose the plan to the user, who may edit it and confirms it. Files that no step names cannot be changed later.',
    effect: 'readonly',
    input: PlanDraft,
    async prepare(draft) {
      for (const file of draft.steps.flatMap((step) => step.files)) parsePath(file, workspace.fs.folders);
      return {
        title: `Propose a plan: ${draft.goal}`,
        targets: [],
        execute: async () => ({
          content: 'The plan was shown to the user, who decides.',
          events: [{ type: 'plan_proposed', plan: { ...draft, id: newId(), revision: 1 } }],
          endsRun: true,
        }),
      };
    },
  });
}

export function updateStepTool(plan: Plan): Tool {
  return defineTool({
    name: 'update_step',
    description: 'Report a step of the confirmed plan.',
    effect: 'readonly',
    input: z.object({ step: z.int().min(1), status: z.enum(['started', 'done', 'failed', 'skipped']), note: z.string().optional() }),
    async prepare({ step, status, note }) {
      const title = plan.steps[step - 1]?.title;
      if (title === undefined) throw new ToolError(`The plan has ${plan.steps.length} steps.`);
      return {
        title: `Step ${step} ${status}: ${title}`,
        targets: [],
        execute: async () => ({ content: 'Noted.', events: [{ type: 'plan_step', planId: plan.id, step, status, ...(note && { note }) }] }),
      };
    },
  });
}
