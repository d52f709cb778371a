/** Which tools a run is built with. A run without a gate has no tool that could write, and no way to come by one. */
import type { ModelRef } from '../core/messages.ts';
import type { Plan } from '../core/plan.ts';
import type { Tool } from '../core/tool.ts';
import type { WriteGate } from '../workspace/gate.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { applyPatchTool } from './apply-patch.ts';
import { createDirectoryTool } from './create-directory.ts';
import { createFileTool } from './create-file.ts';
import { deleteFileTool } from './delete-file.ts';
import { findFilesTool } from './find-files.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import { proposePlanTool, updateStepTool } from './plan-tools.ts';
import { readFileTool } from './read-file.ts';
import { replaceInFileTool } from './replace-in-file.ts';
import { searchTextTool } from './search-text.ts';

export type Hands =
  | { mode: 'ask' }
  | { mode: 'plan'; newId: () => string }
  | { mode: 'agent'; gate: WriteGate; plan?: Plan | undefined; model?: ModelRef };

export function toolsFor(workspace: Workspace, hands: Hands): Tool[] {
  const tools = [readFileTool(workspace), listDirectoryTool(workspace), findFilesTool(workspace), searchTextTool(workspace)];
  switch (hands.mode) {
    case 'ask':
      return tools;
    case 'plan':
      return [...tools, proposePlanTool(workspace, hands.newId)];
    case 'agent': {
      const { gate, model, plan } = hands;
      const edit = editsByPatch(model) ? applyPatchTool(workspace, gate) : replaceInFileTool(workspace, gate);
      tools.push(
        createFileTool(workspace, gate, edit.name),
        edit,
        createDirectoryTool(workspace, gate),
        moveFileTool(workspace, gate),
        deleteFileTool(workspace, gate),
      );
      return plan ? [...tools, updateStepTool(plan)] : tools;
    }
  }
}

/** OpenAI's models are trained on patches, wherever they are asked; all others replace passages. */
export function editsByPatch(model: ModelRef | undefined): boolean {
  return model !== undefined && /(^|\/)(gpt-|chatgpt|codex|o\d)/i.test(model.model);
}
