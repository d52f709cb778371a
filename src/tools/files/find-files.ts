import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { withDirectory } from '../input-repair.ts';

const MAX_FILES = 500;

export function findFilesTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'find_files',
    description: 'Find files by a glob such as **/*.test.ts. Ignored files (.gitignore) are excluded.',
    effect: 'readonly',
    input: z.object({ glob: z.string() }),
    repair: withDirectory,
    async prepare({ glob }) {
      return {
        title: `Find ${glob}`,
        targets: [{ path: '.', access: 'read' }],
        async execute({ signal }) {
          const { files, truncated } = await workspace.fs.find({ ...workspace.scope(glob), limit: MAX_FILES }, signal);
          if (files.length === 0)
            return { content: `No files match ${glob}.${/[*?{[]/.test(glob) ? '' : ` A glob matches complete names. Try *${glob}*.`}` };
          const lines = files.map((at) => workspace.display(at));
          if (truncated) lines.push(`[more than ${MAX_FILES} files; use a narrower glob]`);
          return { content: lines.join('\n') };
        },
      };
    },
  });
}
