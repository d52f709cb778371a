import * as z from 'zod';
import type { Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool } from './define.ts';

const MAX_ENTRIES = 500;

export function listDirectoryTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'list_directory',
    description: 'List a directory; names of directories end with /.',
    effect: 'readonly',
    input: z.object({ path: z.string().optional().describe('default: the workspace') }),
    async prepare({ path: input }) {
      if (workspace.fs.folders.length > 1 && (input === undefined || /^[./]*$/.test(input))) {
        const names = workspace.fs.folders.map(({ name }) => `${name}/`).join('\n');
        return { title: 'List the folders', targets: [{ path: '.', access: 'read' }], execute: async () => ({ content: names }) };
      }
      const { at, path } = await workspace.resolve(input ?? '.');
      return {
        title: `List ${path === '.' ? 'the workspace' : path}`,
        targets: [{ path, access: 'read' }],
        async execute() {
          const stat = await workspace.stat(at);
          if (!stat) throw new ToolError(`There is no directory ${path}.`);
          if (stat.type !== 'directory') throw new ToolError(`${path} is a file. Use read_file.`);
          const entries = await workspace.fs.list(at);
          const names = entries.map(({ name, type }) => (type === 'directory' ? `${name}/` : name)).sort();
          const more = names.length - MAX_ENTRIES;
          if (more > 0) names.splice(MAX_ENTRIES, more, `[${more} more entries]`);
          return { content: names.join('\n') || '[the directory is empty]' };
        },
      };
    },
  });
}
