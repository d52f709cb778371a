import * as z from 'zod';
import type { Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { counted, defineTool } from './define.ts';
import { grouped, type Row, shorten, shortenAround } from './grouped.ts';
import { withDirectory } from './mend-input.ts';
import { isWithheld } from './withheld.ts';

const MAX_HITS = 300;
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
    repair: withDirectory,
    async prepare({ pattern, regex = false, case_sensitive: caseSensitive = false, whole_word: wholeWord = false, glob }) {
      return {
        title: `Search ${shorten(pattern, MAX_TITLE)}${glob ? ` in ${glob}` : ''}`,
        targets: [{ path: '.', access: 'read' }],
        async execute({ signal, progress }) {
          const rows: Row[] = [];
          const withheld = new Map<string, boolean>();
          let hits = 0;
          try {
            const query = { pattern, regex, caseSensitive, wholeWord, limit: MAX_HITS + 1, ...(glob && workspace.scope(glob)) };
            for await (const { line, text, ...at } of workspace.fs.search(query, signal)) {
              const group = workspace.display(at);
              const isClosed = withheld.get(group) ?? isWithheld(workspace, group);
              withheld.set(group, isClosed);
              if (isClosed) continue;
              if (++hits > MAX_HITS) break;
              rows.push({ group, line, text: shortenAround(text.replace(/^\uFEFF/, ''), pattern) });
              if (hits % 100 === 0) progress(counted(hits, 'hit'));
            }
          } catch (error) {
            throw signal.aborted ? error : new ToolError(error instanceof Error ? error.message : String(error));
          }
          const closed = [...withheld.values()].filter(Boolean).length;
          const note =
            closed > 0
              ? `\n\n[${counted(closed, 'file')} with matches left out: it takes the user’s leave to read what may be secret]`
              : '';
          if (hits === 0) return { content: `No matches for ${pattern}${glob ? ` in ${glob}` : ''}.${adviceOn(pattern, regex)}${note}` };
          const more = `${hits > MAX_HITS ? `\n\n[more than ${MAX_HITS} hits; narrow the search]` : ''}${note}`;
          return { content: grouped(rows, rows.length, 'hits') + more };
        },
      };
    },
  });
}

/** Why a pattern may match nothing at all. */
function adviceOn(pattern: string, regex: boolean): string {
  if (regex) return /\\[nr]/.test(pattern) ? ' A match is within one line.' : '';
  return /[|\\^$]|\.[*+]/.test(pattern) ? ' It was taken as plain text: set regex for a regular expression.' : '';
}
