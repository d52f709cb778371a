import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf, defineTool } from '../define-tool.ts';
import { groupedLines, type Row, shorten, shortenAround } from '../grouped-lines.ts';
import { withDirectory } from '../input-repair.ts';

const MAX_HITS = 300;
const MAX_TITLE = 40;

export function searchTextTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'search_text',
    description:
      'Search file contents; gives path, line numbers and lines. Excluded: ignored files (.gitignore), and files that only read_file can request (keys, passwords).',
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
          let hits = 0;
          try {
            const query = { pattern, regex, caseSensitive, wholeWord, limit: MAX_HITS + 1, ...(glob && workspace.scope(glob)) };
            for await (const { line, text, ...at } of workspace.search(query, signal)) {
              if (++hits > MAX_HITS) break;
              rows.push({ group: workspace.display(at), line, text: shortenAround(text.replace(/^\uFEFF/, ''), pattern) });
              if (hits % 100 === 0) progress(countOf(hits, 'hit'));
            }
          } catch (error) {
            throw signal.aborted ? error : new ToolError(error instanceof Error ? error.message : String(error));
          }
          if (hits === 0)
            return {
              content: `No matches for ${pattern}${glob ? ` in ${glob}` : ''}.${adviceOn(pattern, regex)}${glob ? adviceOnGlob(workspace, glob) : ''}`,
            };
          const more = hits > MAX_HITS ? `\n\n[more than ${MAX_HITS} hits; narrow the search]` : '';
          return { content: groupedLines(rows, rows.length, 'hits') + more };
        },
      };
    },
  });
}

/**
 * Returns a sentence that says that the named file was not searched. This depends only on its name and the rules, so it reveals nothing about its
 * content.
 */
function adviceOnGlob(workspace: Workspace, glob: string): string {
  try {
    const at = parsePath(glob, workspace.fs.folders);
    const isAskedFor = !workspace.fs.hides?.(at) && workspace.withheldFiles('search_text')(at);
    return isAskedFor ? ` ${glob} was not searched, because reading it needs the user’s approval. Use read_file.` : '';
  } catch {
    return '';
  }
}

/** Explains why a pattern may match nothing. */
function adviceOn(pattern: string, regex: boolean): string {
  if (regex) return /\\[nr]/.test(pattern) ? ' A match cannot contain a line break. Search for a part of one line.' : '';
  return /[|\\^$]|\.[*+]/.test(pattern) ? ' The pattern was searched as plain text. Set regex to use a regular expression.' : '';
}
