/** What is not told of files that the user has to give leave to read. */
import { ToolError } from '../core/tool.ts';
import { isSecret } from '../policy/secrets.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Whether the content of this file needs the user's leave, which only `read_file` can ask for. */
export function isWithheld(workspace: Workspace, path: string): boolean {
  return isSecret(path) || workspace.withholds(path);
}

/** Why a change does not fit tells what is in the file: here it is only said that it does not. */
export function discreetly<T>(workspace: Workspace, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ToolError && isWithheld(workspace, path))) throw error;
    throw new ToolError(`This does not fit ${path}. It takes the user’s leave to know what is in it: read it first.`);
  }
}
