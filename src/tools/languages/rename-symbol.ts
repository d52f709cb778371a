import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import { encodeLike, sameBytes } from '../../workspace/content.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { LanguageServices, RenameEffect } from '../../workspace/languages.ts';
import { applyEdits } from '../../workspace/text-edits.ts';
import type { FileChange } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf, defineTool } from '../define-tool.ts';
import { changeCall, existingFile, expectFree, textContent } from '../edit/change-call.ts';
import { answerOf, positionIn, symbolInput } from './requests.ts';

export function renameSymbolTool(workspace: Workspace, languages: LanguageServices, gate: WriteGate): Tool {
  return defineTool({
    name: 'rename_symbol',
    description: 'Rename the symbol on this line and all its references.',
    effect: 'mutating',
    input: z.object({ ...symbolInput, new_name: z.string() }),
    async prepare({ path: input, line, symbol, new_name }, signal) {
      if (new_name.trim() === '') throw new ToolError('new_name is empty. Give the new name of the symbol.');
      const place = await workspace.resolve(input);
      const position = await positionIn(workspace, place, line, symbol);
      const effect = await answerOf((limited) => languages.rename(place.at, position, new_name, limited), signal);
      if (!effect) throw new ToolError(`The language service cannot rename ${symbol}. Use search_text and edit each place.`);
      if (effect.strange.length > 0)
        throw new ToolError(
          `The rename would change files outside the workspace: ${effect.strange.join(', ')}. Nothing was changed. Ask the user to rename the symbol.`,
        );
      if (effect.edits.some(({ at }) => workspace.fs.hides?.(at)))
        throw new ToolError(
          `${symbol} is also used in files that must not be changed. Nothing was changed. Ask the user to rename the symbol.`,
        );
      const changes = await changesOf(workspace, effect);
      if (changes.length === 0) throw new ToolError('The rename changes nothing. Use another new_name.');
      const places = effect.edits.reduce((sum, { edits }) => sum + edits.length, 0);
      const done = `Renamed ${symbol} to ${new_name}: ${countOf(places, 'place')} in ${countOf(effect.edits.length, 'file')}${movesText(workspace, effect)}.`;
      return changeCall(`Rename ${symbol} to ${new_name}`, changes, gate, done);
    },
  });
}

function movesText(workspace: Workspace, { moves }: RenameEffect): string {
  return moves.map(({ from, to }) => `; ${workspace.display(from)} is now ${workspace.display(to)}`).join('');
}

/**
 * Converts a rename to the changes that the write gate expects. Paths are resolved, so that a file with two names in the editor occurs
 * once. @throws ToolError when the rename edits one file under two names.
 */
async function changesOf(workspace: Workspace, { edits, moves }: RenameEffect): Promise<FileChange[]> {
  const files = new Map<string, FileChange & { after: Uint8Array }>();
  const file = async (path: string) => {
    const place = await workspace.resolve(path);
    const before = files.get(place.path)?.before ?? (await existingFile(workspace, place));
    const change = files.get(place.path) ?? { ...place, before, after: before };
    files.set(place.path, change);
    return change;
  };
  for (const { at, edits: own } of edits) {
    const change = await file(workspace.display(at));
    if (!sameBytes(change.before, change.after))
      throw new ToolError(`The rename changes ${change.path} under two names. Nothing was changed. Use search_text and edit each place.`);
    const text = textContent(change.after, change.path);
    change.after = encodeLike(applyEdits(text, own), change.after);
  }
  const changes: FileChange[] = [];
  for (const { from, to } of moves) {
    const source = await file(workspace.display(from));
    const goal = await workspace.resolve(workspace.display(to));
    await expectFree(workspace, goal, 'Choose another name.');
    changes.push({ ...goal, before: undefined, after: source.after, movedFrom: source.path }, { ...source, after: undefined });
    files.delete(source.path);
  }
  return [...changes, ...[...files.values()].filter(({ before, after }) => !sameBytes(before, after))];
}
