import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { encodeText } from '../../workspace/content.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf, defineTool } from '../define-tool.ts';
import { changeCall, newFile } from './change-call.ts';
import { expectContent } from './escaped-text.ts';
import { marksNote } from './invisible-marks.ts';

/** `editor` is the name of the tool that changes existing files. */
export function createFileTool(workspace: Workspace, gate: WriteGate, editor: string): Tool {
  return defineTool({
    name: 'create_file',
    description: 'Create a new file, with its directories. Fails if it exists.',
    effect: 'mutating',
    input: z.object({ path: z.string(), content: z.string() }),
    async prepare({ path: input, content }) {
      expectContent(content, input);
      const place = await newFile(workspace, input, `Use ${editor} to change it.`);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const changes = [{ ...place, before: undefined, after: encodeText(content) }];
      const done = [`Created ${place.path} with ${countOf(lines, 'line')}.`, ...marksNote(content)].join(' ');
      return changeCall(`Create ${place.path}`, changes, gate, done);
    },
  });
}
