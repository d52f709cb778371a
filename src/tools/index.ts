/** Which tools a run is built with. A run without a gate has no tool that could write, and no way to come by one. */
import type { ModelRef } from '../core/messages.ts';
import type { Plan } from '../core/plan.ts';
import type { Tool } from '../core/tool.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import type { WriteGate } from '../workspace/gate.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { applyPatchTool } from './apply-patch.ts';
import { askUserTool } from './ask-user.ts';
import { commandOutputTool } from './command-output.ts';
import { createDirectoryTool } from './create-directory.ts';
import { createFileTool } from './create-file.ts';
import { deleteFileTool } from './delete-file.ts';
import { type Fetcher, fetchUrlTool } from './fetch-url.ts';
import { findFilesTool } from './find-files.ts';
import { getDiagnosticsTool } from './get-diagnostics.ts';
import { judgedByReads } from './judged-by-reads.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import { withNewProblems } from './new-problems.ts';
import { proposePlanTool, updateStepTool } from './plan-tools.ts';
import type { StepKeeper } from './plan-tools-steps.ts';
import { readFileTool } from './read-file.ts';
import { findReferencesTool, goToDefinitionTool } from './references.ts';
import { renameSymbolTool } from './rename-symbol.ts';
import { replaceInFileTool } from './replace-in-file.ts';
import { runCommandTool } from './run-command.ts';
import { searchTextTool } from './search-text.ts';
import { documentSymbolsTool, workspaceSymbolsTool } from './symbols.ts';

export type Hands =
  | { mode: 'ask' }
  | { mode: 'plan'; newId: () => string; revises?: Plan | undefined }
  | ({ mode: 'agent'; gate: WriteGate; keeper?: StepKeeper | undefined; model?: ModelRef } & Reach);

/** What reaches beyond the workspace's files, where the host has it. */
export type Reach = { commands?: CommandRunner | undefined; fetcher?: Fetcher | undefined };

/** `languages` where the host has language services. */
export function toolsFor(workspace: Workspace, hands: Hands, languages?: LanguageServices): Tool[] {
  const tools = [readFileTool(workspace), listDirectoryTool(workspace), findFilesTool(workspace), searchTextTool(workspace), askUserTool()];
  if (languages) tools.push(...languageTools(workspace, languages));
  switch (hands.mode) {
    case 'ask':
      return tools;
    case 'plan':
      return [...tools, proposePlanTool(workspace, hands.newId, hands.revises)];
    case 'agent': {
      const { gate, model, keeper, commands, fetcher } = hands;
      const editTool = editsByPatch(model) ? applyPatchTool : replaceInFileTool;
      const edit = judgedByReads((files) => editTool(files, gate), workspace);
      const changing = [
        createFileTool(workspace, gate, edit.name),
        edit,
        createDirectoryTool(workspace, gate),
        judgedByReads((files) => moveFileTool(files, gate), workspace),
        judgedByReads((files) => deleteFileTool(files, gate), workspace),
      ];
      if (languages) changing.push(judgedByReads((files) => renameSymbolTool(files, languages, gate), workspace));
      tools.push(...(languages ? changing.map((tool) => withNewProblems(tool, workspace, languages)) : changing));
      if (commands) tools.push(runCommandTool(workspace, commands), commandOutputTool(commands));
      if (fetcher) tools.push(fetchUrlTool(fetcher));
      if (!keeper) return tools;
      return [...tools.map((tool) => (tool.effect === 'readonly' ? tool : keeper.bind(tool))), updateStepTool(keeper)];
    }
  }
}

function languageTools(workspace: Workspace, languages: LanguageServices): Tool[] {
  return [
    getDiagnosticsTool(workspace, languages),
    documentSymbolsTool(workspace, languages),
    workspaceSymbolsTool(workspace, languages),
    goToDefinitionTool(workspace, languages),
    findReferencesTool(workspace, languages),
  ];
}

/** OpenAI's models are trained on patches, wherever they are asked; all others replace passages. */
export function editsByPatch(model: ModelRef | undefined): boolean {
  return model !== undefined && /(^|\/)(gpt-|chatgpt|codex|o\d)/i.test(model.model);
}
