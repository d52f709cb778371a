import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { changeCall, existingFile } from './change-call.ts';

export function deleteFileTool(workspace: Workspace, gate: WriteGate): Tool {
  return defineTool({
    name: 'delete_file',
    description: 'Delete one file.',
    effect: 'destructive',
    input: z.object({ path: z.string() }),
    async prepare({ path: input }) {
      const place = await workspace.resolveEntry(input);
      const changes = [{ ...place, before: await existingFile(workspace, place), after: undefined }];
      return changeCall(`Delete ${place.path}`, changes, gate, `Deleted ${place.path}.`);
    },
  });
}
