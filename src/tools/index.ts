/** Selects the tools of a run. Without a write gate, a run has no tool that can change files. */
import type { ModelRef } from '../core/model/messages.ts';
import type { Tool } from '../core/run/tool.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import type { WriteGate } from '../workspace/gate.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { askUserTool } from './ask-user.ts';
import { commandOutputTool } from './commands/command-output.ts';
import { runCommandTool } from './commands/run-command.ts';
import { createDirectoryTool } from './edit/create-directory.ts';
import { createFileTool } from './edit/create-file.ts';
import { deleteFileTool } from './edit/delete-file.ts';
import { moveFileTool } from './edit/move-file.ts';
import { applyPatchTool } from './edit/patch/apply-patch.ts';
import { replaceInFileTool } from './edit/replace/replace-in-file.ts';
import { findFilesTool } from './files/find-files.ts';
import { listDirectoryTool } from './files/list-directory.ts';
import { readFileTool } from './files/read-file.ts';
import { searchTextTool } from './files/search-text.ts';
import { judgedByReads } from './judged-by-reads.ts';
import { getDiagnosticsTool } from './languages/get-diagnostics.ts';
import { withNewProblems } from './languages/new-problems.ts';
import { findReferencesTool, goToDefinitionTool } from './languages/references.ts';
import { renameSymbolTool } from './languages/rename-symbol.ts';
import { documentSymbolsTool, workspaceSymbolsTool } from './languages/symbols.ts';
import { type Fetcher, fetchUrlTool } from './network/fetch-url.ts';
import type { StepControl } from './plan/agent-steps.ts';
import { type Planning, proposePlanTool, updateStepTool } from './plan/plan-tools.ts';
import { recallTool } from './recall.ts';
import type { History } from './recall-entries.ts';
import { type MemoryStore, rememberTool } from './remember.ts';
import { todoTool } from './todo.ts';

export type ToolAccess =
  | { mode: 'ask' }
  | ({ mode: 'plan' } & Planning)
  | ({ mode: 'agent'; gate: WriteGate; stepController?: StepControl | undefined; model?: ModelRef } & ExternalAccess);

/** Access beyond the files of the workspace, if the host provides it. */
export type ExternalAccess = {
  commands?: CommandRunner | undefined;
  fetcher?: Fetcher | undefined;
  /** The tool for pages in a browser, whose code is loaded only if the user turned it on. */
  browse?: Tool | undefined;
  memory?: MemoryStore | undefined;
};

/** `languages` is missing if the host has no language services. `history` is missing outside of a session. */
export function toolsFor(workspace: Workspace, access: ToolAccess, languages?: LanguageServices, history?: () => History): Tool[] {
  const tools = [readFileTool(workspace), listDirectoryTool(workspace), findFilesTool(workspace), searchTextTool(workspace), askUserTool()];
  if (history) tools.push(recallTool(workspace, history));
  if (languages) tools.push(...languageTools(workspace, languages));
  switch (access.mode) {
    case 'ask':
      return tools;
    case 'plan':
      return [...tools, proposePlanTool(workspace, access)];
    case 'agent': {
      const { gate, model, stepController, commands, fetcher, browse, memory } = access;
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
      if (browse) tools.push(browse);
      if (memory) tools.push(rememberTool(memory));
      if (!stepController) return [...tools, todoTool()];
      return [...tools.map((tool) => (tool.effect === 'readonly' ? tool : stepController.bind(tool))), updateStepTool(stepController)];
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

/**
 * Returns true if a model edits by patches. OpenAI's models are trained on patches, so they use them with any provider. All other models replace
 * passages.
 */
export function editsByPatch(model: ModelRef | undefined): boolean {
  return model !== undefined && /(^|\/)(gpt-|chatgpt|codex|o\d)/i.test(model.model);
}
