import * as z from 'zod';
import type { Tool } from '../../../core/run/tool.ts';
import { encodeLike } from '../../../workspace/content.ts';
import type { WriteGate } from '../../../workspace/gate.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { countOf, defineTool } from '../../define-tool.ts';
import { renameArguments } from '../../input-repair.ts';
import { changeCall, existingFile, textContent } from '../change-call.ts';
import { marksNote, withMarksRestored } from '../invisible-marks.ts';
import { expectWhole, replaceAll } from './replace.ts';

const Edit = z.object({ old_text: z.string(), new_text: z.string(), all: z.boolean().optional() });

export function replaceInFileTool(workspace: Workspace, gate: WriteGate): Tool {
  return defineTool({
    name: 'replace_in_file',
    description:
      'Edit a file: each old_text, copied exactly without line numbers, must occur once (give more lines to make it unique) or, with all, at least once. All edits refer to the text as it is now.',
    effect: 'mutating',
    input: z.object({
      path: z.string(),
      edits: z.array(Edit).min(1),
    }),
    repair: withEdits,
    async prepare({ path: input, edits }) {
      const place = await workspace.resolve(input);
      const isNew = edits.some(({ old_text }) => old_text === '');
      const before = await existingFile(workspace, place, isNew ? 'Use create_file to create it.' : undefined);
      expectWhole(edits, place.path);
      const original = textContent(before, place.path);
      const { text, replaced, notes } = replaceAll(original, withMarksRestored(edits, original), place.path);
      const done = [`Replaced ${countOf(replaced, 'passage')} in ${place.path}.`, ...notes, ...marksNote(text, original)].join(' ');
      return changeCall(`Edit ${place.path}`, [{ ...place, before, after: encodeLike(text, before) }], gate, done);
    },
  });
}

/** Puts a single edit into a list, because many models omit the list. */
function withEdits(input: unknown): unknown {
  const { path, edits, ...edit } = (renameArguments(input, Edit) ?? {}) as Record<string, unknown>;
  return edits === undefined && edit.old_text !== undefined ? { path, edits: [edit] } : input;
}
