import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { changeCall, existingFile, newFile } from './change-call.ts';

export function moveFileTool(workspace: Workspace, gate: WriteGate): Tool {
  return defineTool({
    name: 'move_file',
    description: 'Move or rename a file. Fails if the new path exists.',
    effect: 'mutating',
    input: z.object({ from: z.string(), to: z.string() }),
    async prepare({ from, to }) {
      const source = await workspace.resolveEntry(from);
      const bytes = await existingFile(workspace, source);
      const goal = await newFile(workspace, to, 'Choose another name.');
      const changes = [
        { ...goal, before: undefined, after: bytes, movedFrom: source.path },
        { ...source, before: bytes, after: undefined },
      ];
      return changeCall(`Move ${source.path} to ${goal.path}`, changes, gate, `Moved ${source.path} to ${goal.path}.`);
    },
  });
}
