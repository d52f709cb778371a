import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { LanguageServices, Problem } from '../../workspace/languages.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { existingFile } from '../edit/change-call.ts';
import { groupedLines, shorten } from '../grouped-lines.ts';
import { answerOf } from './requests.ts';

const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 400;

export function getDiagnosticsTool(workspace: Workspace, languages: LanguageServices): Tool {
  return defineTool({
    name: 'get_diagnostics',
    description: 'Errors and warnings of a file, or of all files checked so far.',
    effect: 'readonly',
    input: z.object({ path: z.string().optional() }),
    async prepare({ path: input }) {
      const place = input === undefined ? undefined : await workspace.resolve(input);
      return {
        title: place ? `Check ${place.path}` : 'Look at errors and warnings',
        targets: [{ path: place?.path ?? '.', access: 'read' }],
        async execute({ signal }) {
          if (place) await existingFile(workspace, place);
          const all = await answerOf((limited) => languages.problems(place?.at, limited), signal);
          // Messages quote the content of files. An approval of the call covers only a file that the call names.
          const isWithheld = workspace.withheldFiles('get_diagnostics');
          const visibleProblems = all.filter(({ at }) => !isWithheld(at) || workspace.display(at) === place?.path);
          if (visibleProblems.length === 0) return { content: `No errors or warnings${place ? ` in ${place.path}` : ' are known'}.` };
          // If there are too many problems, warnings are omitted first.
          const worst = visibleProblems.toSorted((a, b) => a.severity.localeCompare(b.severity)).slice(0, MAX_PROBLEMS);
          const rows = worst
            .sort((a, b) => a.line - b.line)
            .map(({ at, line, ...problem }) => ({ group: workspace.display(at), line, text: problemText(problem) }));
          return { content: groupedLines(rows, visibleProblems.length, 'errors and warnings') };
        },
      };
    },
  });
}

export function problemText({ severity, message }: Pick<Problem, 'severity' | 'message'>): string {
  return `${severity}: ${shorten(message.replace(/\s+/g, ' '), MAX_MESSAGE)}`;
}
