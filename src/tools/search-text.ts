import * as z from 'zod';
import type { Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { counted, defineTool } from './define.ts';

const MAX_HITS = 300;
const MAX_TEXT = 240;
const MAX_TITLE = 40;

export function searchTextTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'search_text',
    description: 'Search file contents; gives path, line numbers and lines. Ignored files (.gitignore) are left out.',
    effect: 'readonly',
    input: z.object({
      pattern: z.string().min(1),
      regex: z.boolean().optional(),
      case_sensitive: z.boolean().optional(),
      whole_word: z.boolean().optional(),
      glob: z.string().optional().describe('only in files that match'),
    }),
    async prepare({ pattern, regex = false, case_sensitive: caseSensitive = false, whole_word: wholeWord = false, glob }) {
      return {
        title: `Search ${shorten(pattern, MAX_TITLE)}${glob ? ` in ${glob}` : ''}`,
        targets: [{ path: '.', access: 'read' }],
        async execute({ signal, progress }) {
          const byFile = new Map<string, string[]>();
          let hits = 0;
          try {
            const query = { pattern, regex, caseSensitive, wholeWord, limit: MAX_HITS + 1, ...(glob && workspace.scope(glob)) };
            for await (const { line, text, ...at } of workspace.fs.search(query, signal)) {
              if (++hits > MAX_HITS) break;
              const path = workspace.display(at);
              const lines = byFile.get(path) ?? [];
              if (lines.length === 0) byFile.set(path, lines);
              lines.push(`  ${line}: ${shorten(text)}`);
              if (hits % 100 === 0) progress(counted(hits, 'hit'));
            }
          } catch (error) {
            throw signal.aborted ? error : new ToolError(error instanceof Error ? error.message : String(error));
          }
          if (hits === 0) return { content: `No matches for ${pattern}${glob ? ` in ${glob}` : ''}.` };
          const groups = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, lines]) => [path, ...lines].join('\n'));
          if (hits > MAX_HITS) groups.push(`[more than ${MAX_HITS} hits; narrow the search]`);
          return { content: groups.join('\n\n') };
        },
      };
    },
  });
}

function shorten(text: string, most = MAX_TEXT): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
