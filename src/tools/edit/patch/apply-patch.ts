import * as z from 'zod';
import type { Tool } from '../../../core/run/tool.ts';
import { ToolError } from '../../../core/run/tool.ts';
import { decodeText, encodeLike, encodeText, sameBytes } from '../../../workspace/content.ts';
import type { WriteGate } from '../../../workspace/gate.ts';
import type { FileChange } from '../../../workspace/types.ts';
import type { Resolved, Workspace } from '../../../workspace/workspace.ts';
import { defineTool } from '../../define-tool.ts';
import { changeCall, existingFile, newFile, textContent } from '../change-call.ts';
import { expectContent } from '../escaped-text.ts';
import { marksNote, withMarksRestored } from '../invisible-marks.ts';
import { elisionIn } from '../replace/elision.ts';
import { leavesOut } from '../replace/errors.ts';
import { applyHunks, expectWholeHunks } from './hunks.ts';
import { type Hunk, parsePatch, type Section } from './parse.ts';

export function applyPatchTool(workspace: Workspace, gate: WriteGate): Tool {
  return defineTool({
    name: 'apply_patch',
    description:
      'Change files by a patch: *** Begin Patch, then *** Add File: path, *** Update File: path (*** Move to: path) with @@ hunks, or *** Delete File: path, then *** End Patch. The lines of a hunk must occur once: give 3 lines of context, and @@ with the class or function above if that is not enough.',
    effect: 'mutating',
    input: z.object({ input: z.string() }),
    repair: repairPatchInput,
    async prepare({ input }) {
      const files = new Draft(workspace);
      const done: string[] = [];
      const sections = parsePatch(input);
      for (const { kind, path } of sections) if (kind !== 'add') await workspace.willRead((await workspace.resolve(path)).at);
      for (const section of sections) done.push(...(await files.apply(section)));
      const changes = files.changes();
      if (changes.length === 0) throw new ToolError('The patch changes nothing. Read the files again.');
      const title = changes.length === 1 ? `Patch ${changes[0]?.path}` : `Patch ${changes.length} files`;
      return changeCall(title, changes, gate, done.join('\n'));
    },
  });
}

function applied(original: string, hunks: readonly Hunk[], path: string): { text: string; notes: string[] } {
  const { text, notes } = applyHunks(original, withMarksRestored(hunks, original), path);
  return { text, notes: [...notes, ...marksNote(text, original)] };
}

/** @throws ToolError when the new content of an existing file leaves out code. */
function expectWholeFile(content: string, before: Uint8Array, path: string): void {
  const elision = elisionIn(content, decodeText(before) ?? '', path);
  if (elision !== undefined) throw new ToolError(leavesOut('The patch', elision));
}

/** Accepts the arguments of `apply_patch` in other programs: a bare string, or a command line that contains the patch. */
function repairPatchInput(input: unknown): unknown {
  const patch = typeof input === 'object' && input !== null && 'input' in input ? input.input : input;
  const text = Array.isArray(patch) ? patch.find((word) => typeof word === 'string' && word.includes('*** ')) : patch;
  return typeof text === 'string' ? { input: text } : input;
}

type Drafted = Resolved & { before: Uint8Array | undefined; after: Uint8Array | undefined; movedFrom?: string };

/** The files with all sections that were applied so far. Each section applies to the result of the earlier sections. */
class Draft {
  readonly #workspace: Workspace;
  readonly #files = new Map<string, Drafted>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Applies a section and returns lines for the tool result. @throws ToolError */
  async apply(section: Section): Promise<string[]> {
    switch (section.kind) {
      case 'add': {
        expectContent(section.content, section.path);
        const file = await this.#free(section.path, 'Use *** Update File: to change it.');
        if (file.before) expectWholeFile(section.content, file.before, file.path);
        file.after = encodeText(section.content);
        return [`Created ${file.path}.`, ...marksNote(section.content)];
      }
      case 'delete': {
        const file = await this.#existing(await this.#workspace.resolveEntry(section.path));
        file.after = undefined;
        return [`Deleted ${file.path}.`];
      }
      case 'update':
        return this.#update(section);
    }
  }

  changes(): FileChange[] {
    return [...this.#files.values()].filter(({ before, after }) => !sameBytes(before, after));
  }

  async #update({ path, to, hunks }: Extract<Section, { kind: 'update' }>): Promise<string[]> {
    const resolved = to === undefined ? await this.#workspace.resolve(path) : await this.#workspace.resolveEntry(path);
    const file = await this.#existing(resolved);
    const bytes = file.after as Uint8Array;
    expectWholeHunks(hunks, file.path);
    const { text, notes } = hunks.length > 0 ? applied(textContent(bytes, file.path), hunks, file.path) : { text: undefined, notes: [] };
    const after = text === undefined ? bytes : encodeLike(text, bytes);
    if (to === undefined || (await this.#workspace.resolve(to)).path === file.path) {
      file.after = after;
      return [`Updated ${file.path}.`, ...notes];
    }
    const goal = await this.#free(to, 'Choose another name.');
    goal.after = after;
    if (!goal.before && file.before) goal.movedFrom = file.path;
    file.after = undefined;
    return [`Moved ${file.path} to ${goal.path}${text === undefined ? '' : ', updated'}.`, ...notes];
  }

  async #existing(place: Resolved): Promise<Drafted> {
    const known = this.#files.get(place.path);
    if (known?.after) return known;
    if (known) throw new ToolError(`An earlier section of the patch deleted or moved ${place.path}. Remove one of these sections.`);
    const bytes = await existingFile(this.#workspace, place);
    return this.#add({ ...place, before: bytes, after: bytes });
  }

  async #free(path: string, instead: string): Promise<Drafted> {
    const place = await this.#workspace.resolve(path);
    const known = this.#files.get(place.path);
    if (known?.after) throw new ToolError(`${place.path} already exists. ${instead}`);
    if (known) return known;
    return this.#add({ ...(await newFile(this.#workspace, path, instead)), before: undefined, after: undefined });
  }

  #add(file: Drafted): Drafted {
    this.#files.set(file.path, file);
    return file;
  }
}
