/** Builds the error for a missing file. It lists files of the same name in other directories, so that the model can correct the path. */
import { ToolError } from '../../core/run/tool.ts';
import type { Workspace } from '../../workspace/workspace.ts';

const MAX_NAMED = 3;
/** The maximum time to look for files of the same name before the error is reported. */
const PATIENCE_MS = 1_000;

export async function missingFile(workspace: Workspace, path: string, advice = 'Use find_files to look for it.'): Promise<ToolError> {
  const query = { include: `**/${anyCase(path.split('/').at(-1) ?? '')}`, limit: MAX_NAMED + 1 };
  const { files } = await workspace.fs.find(query, AbortSignal.timeout(PATIENCE_MS)).catch(() => ({ files: [] }));
  const names = files.map((at) => workspace.display(at)).sort();
  const hint = names.length === 0 || names.length > MAX_NAMED ? advice : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`;
  return new ToolError(`There is no file ${path}. ${hint}`);
}

/** Builds a glob that matches the name regardless of case. */
function anyCase(name: string): string {
  return name.replace(/[*?[\]{}!\\]/g, '?').replace(/\p{L}/gu, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    return lower !== upper && lower.length === 1 && upper.length === 1 ? `[${lower}${upper}]` : letter;
  });
}
