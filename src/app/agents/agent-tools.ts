/** The tools that only runs with an agent have, if the agent names them or their category. All of them only read. */
import { type Tool, ToolError } from '../../core/run/tool.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import { calculateTool } from '../../tools/data/calculate.ts';
import { summarizeColumnsTool } from '../../tools/data/summarize-columns.ts';
import { readChangesTool } from '../../tools/files/read-changes.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { MentionError } from '../mentions/mention-error.ts';
import { changesIn } from '../mentions/sources.ts';
import type { AssistantPorts } from '../ports.ts';

export function agentTools(workspace: Workspace, ports: AssistantPorts): Tool[] {
  const tools = [calculateTool(), summarizeColumnsTool(workspace)];
  if (ports.changes && ports.trusted()) tools.push(readChangesTool((signal) => readChanges(workspace, ports, signal)));
  return tools;
}

async function readChanges(workspace: Workspace, ports: AssistantPorts, signal: AbortSignal): Promise<string> {
  try {
    return visibleText(await changesIn(workspace, ports, signal));
  } catch (error) {
    throw error instanceof MentionError ? new ToolError(error.message) : error;
  }
}
