import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { LanguageServices } from '../../workspace/languages.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { existingFile } from '../edit/change-call.ts';
import { groupedLines, shorten } from '../grouped-lines.ts';
import { answerOf, nameOf } from './requests.ts';

const MAX_SYMBOLS = 300;
const MAX_FOUND = 100;
const MAX_NAME = 120;

export function documentSymbolsTool(workspace: Workspace, languages: LanguageServices): Tool {
  return defineTool({
    name: 'document_symbols',
    description: 'The symbols of a file, as an outline.',
    effect: 'readonly',
    input: z.object({ path: z.string() }),
    async prepare({ path: input }) {
      const place = await workspace.resolve(input);
      return {
        title: `Outline of ${place.path}`,
        targets: [{ path: place.path, access: 'read' }],
        async execute({ signal }) {
          await existingFile(workspace, place);
          const outline = await answerOf((limited) => languages.outline(place.at, limited), signal);
          if (outline.length === 0) return { content: `No symbols are known in ${place.path}. Use read_file.` };
          const lines = outline
            .slice(0, MAX_SYMBOLS)
            .map(({ name, kind, line, depth }) => `${'  '.repeat(depth)}${line}: ${kind} ${shorten(name, MAX_NAME)}`);
          if (outline.length > MAX_SYMBOLS) lines.push(`[${outline.length - MAX_SYMBOLS} more symbols]`);
          return { content: lines.join('\n') };
        },
      };
    },
  });
}

export function workspaceSymbolsTool(workspace: Workspace, languages: LanguageServices): Tool {
  return defineTool({
    name: 'workspace_symbols',
    description: 'Find symbols of all files by name.',
    effect: 'readonly',
    input: z.object({ query: z.string() }),
    async prepare({ query }) {
      return {
        title: `Find symbol ${shorten(query, 40)}`,
        targets: [{ path: '.', access: 'read' }],
        async execute({ signal }) {
          const all = await answerOf((limited) => languages.symbols(query, limited), signal);
          const isWithheld = workspace.withheldFiles('workspace_symbols');
          const visibleSymbols = all.filter(({ at }) => !at || !isWithheld(at));
          if (visibleSymbols.length === 0) return { content: `No symbols match ${query}. Use search_text.` };
          const rows = visibleSymbols.slice(0, MAX_FOUND).map(({ at, name, line, symbol, kind, container }) => ({
            group: nameOf(workspace, { at, name }),
            line,
            text: shorten(`${kind} ${container ? `${container}.` : ''}${symbol}`, MAX_NAME),
          }));
          return { content: groupedLines(rows, visibleSymbols.length, 'symbols') };
        },
      };
    },
  });
}
