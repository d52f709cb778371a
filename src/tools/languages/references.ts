import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { LanguageServices } from '../../workspace/languages.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { answerOf, placesText, positionIn, symbolInput } from './requests.ts';

type Question = { name: string; description: string; title: string; noun: string; ask: 'definition' | 'references' };

export function goToDefinitionTool(workspace: Workspace, languages: LanguageServices): Tool {
  return placesTool(workspace, languages, {
    name: 'go_to_definition',
    description: 'Where the symbol on this line is defined.',
    title: 'Definition',
    noun: 'definitions',
    ask: 'definition',
  });
}

export function findReferencesTool(workspace: Workspace, languages: LanguageServices): Tool {
  return placesTool(workspace, languages, {
    name: 'find_references',
    description: 'All uses of the symbol on this line.',
    title: 'References',
    noun: 'references',
    ask: 'references',
  });
}

function placesTool(workspace: Workspace, languages: LanguageServices, { name, description, title, noun, ask }: Question): Tool {
  return defineTool({
    name,
    description,
    effect: 'readonly',
    input: z.object(symbolInput),
    async prepare({ path: input, line, symbol }) {
      const place = await workspace.resolve(input);
      return {
        title: `${title} of ${symbol} (${place.path}:${line})`,
        targets: [{ path: place.path, access: 'read' }],
        async execute({ signal }) {
          const position = await positionIn(workspace, place, line, symbol);
          const places = await answerOf((limited) => languages[ask](place.at, position, limited), signal);
          const isWithheld = workspace.withheldFiles(name);
          // If reading the file that the call names needs approval, the user has approved it.
          const visible = places.filter(({ at }) => !at || !isWithheld(at) || workspace.display(at) === place.path);
          const text = await placesText(workspace, visible, noun);
          return { content: text || `No ${noun} of ${symbol} are known. Use search_text.` };
        },
      };
    },
  });
}
