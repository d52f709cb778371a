import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { defineTool } from '../define-tool.ts';

const MAX_CHARACTERS = 60_000;

/** `changes` returns the diff without files that may not be read. It is missing where the host has no Git. */
export function readChangesTool(changes: (signal: AbortSignal) => Promise<string>): Tool {
  return defineTool({
    name: 'read_changes',
    description: 'Read the uncommitted changes of the workspace as a diff, and the names of its untracked files.',
    effect: 'readonly',
    input: z.object({ from_character: z.int().min(0).optional() }),
    async prepare({ from_character: from = 0 }) {
      return {
        title: 'Read the uncommitted changes',
        targets: [],
        async execute({ signal, mostCharacters = MAX_CHARACTERS }) {
          const diff = await changes(signal);
          const end = from + Math.min(MAX_CHARACTERS, mostCharacters - 100);
          if (diff.trim() === '') return { content: 'There are no uncommitted changes.' };
          const rest = diff.length > end ? `\n[read on with from_character ${end}; ${diff.length} characters in all]` : '';
          return { content: diff.slice(from, end).toWellFormed() + rest };
        },
      };
    },
  });
}
