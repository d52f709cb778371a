import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { changeCall, expectFree } from './change-call.ts';

export function createDirectoryTool(workspace: Workspace, gate: WriteGate): Tool {
  return defineTool({
    name: 'create_directory',
    description: 'Create an empty directory. New files create their own directories.',
    effect: 'mutating',
    input: z.object({ path: z.string() }),
    async prepare({ path: input }) {
      const { at, path } = await workspace.resolve(input);
      if ((await workspace.stat(at))?.type === 'directory') throw new ToolError(`${path}/ already exists.`);
      await expectFree(workspace, { at, path }, 'Choose another name.');
      const changes = [{ path: `${path}/`, at, before: undefined, after: new Uint8Array() }];
      return changeCall(`Create ${path}/`, changes, gate, `Created ${path}/.`);
    },
  });
}
