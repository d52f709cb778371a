import * as z from 'zod';
import { type Tool, ToolError } from '../core/run/tool.ts';
import { MAX_MEMORY_ENTRY, memoryEntry, tooLongEntry } from '../core/words/memory-entry.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import { defineTool } from './define-tool.ts';

/**
 * `workspace`: for the open folders. `user`: for all of the user's workspaces. `lessons`: what Kedge proposed after runs in the open folders and
 * the user kept. A lesson is sent only with a similar task.
 */
export type MemoryScope = (typeof SCOPES)[number];
export const SCOPES = ['workspace', 'user', 'lessons'] as const;

/** The memory: Markdown text with the entries that the user asked Kedge to remember. It is stored outside the workspace folders. */
export interface MemoryStore {
  /** Returns the text of the memory, or an empty text if there is none. */
  read(scope: MemoryScope): Promise<string>;
  /** Adds an entry at the end. `entry` is a result of `memoryEntry`. @throws Error if it cannot be stored. */
  add(scope: MemoryScope, entry: string): Promise<void>;
  /** Returns the digests of the proposed lessons that the user has kept or dismissed. */
  answered(): Promise<readonly string[]>;
  /** Stores that the user has kept or dismissed a proposed lesson. @throws Error if it cannot be stored */
  answer(digest: string): Promise<void>;
}

/** The model receives the entry in every later session, so each call needs approval. The approval request shows the complete entry. */
export function rememberTool(memory: MemoryStore): Tool {
  return defineTool({
    name: 'remember',
    description: 'Store a fact for later sessions. Only when the user asks.',
    effect: 'external',
    input: z.object({
      text: z
        .string()
        .min(1)
        .max(MAX_MEMORY_ENTRY, { error: ({ input }) => tooLongEntry(String(input)) }),
      all_workspaces: z.boolean().optional(),
    }),
    async prepare({ text, all_workspaces = false }) {
      const entry = memoryEntry(text);
      if (entry === '') throw new ToolError('The text is empty. Write what to remember.');
      return {
        title: `Remember in ${all_workspaces ? 'all workspaces' : 'this workspace'}: ${visibleLine(entry)}`,
        targets: [],
        async execute() {
          await memory.add(all_workspaces ? 'user' : 'workspace', entry);
          return { content: 'Stored.' };
        },
      };
    },
  });
}
