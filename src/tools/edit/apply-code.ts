import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import type { AppliedCode } from '../../core/session/effects.ts';
import { encodeLike, encodeText, hashOf } from '../../workspace/content.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { changeCall, existingFile, newFile, textContent } from './change-call.ts';
import { withLines } from './line-range.ts';
import { withPatch } from './place-code.ts';

/** Applies code from an answer to a file at the place that the user has chosen. This tool is not offered to models. */
export function applyCodeTool(workspace: Workspace, gate: WriteGate, { path: chosen, code, at: where }: AppliedCode): Tool {
  return defineTool({
    name: 'apply_code',
    description: 'Put code from an answer into a file.',
    effect: 'mutating',
    input: z.object({ path: z.string() }),
    async prepare() {
      if (!where) {
        const place = await newFile(workspace, chosen, 'Apply the code again.');
        const changes = [{ ...place, before: undefined, after: encodeText(code.endsWith('\n') ? code : `${code}\n`) }];
        return changeCall(`Create ${place.path} from the answer`, changes, gate, `The code was applied. ${place.path} is a new file.`);
      }
      const place = await workspace.resolve(chosen);
      const before = await existingFile(workspace, place);
      if ((await hashOf(before)) !== where.before)
        throw new ToolError(`${place.path} has changed since its lines were chosen. Apply the code again.`);
      const old = textContent(before, place.path);
      const text = where.patch ? withPatch(old, code) : withLines(old, where, code);
      if (text === undefined) throw new ToolError(`The diff does not fit ${place.path}.`);
      const changes = [{ ...place, before, after: encodeLike(text, before) }];
      return changeCall(`Apply code to ${place.path}`, changes, gate, `The code was applied to ${place.path}.`);
    },
  });
}
