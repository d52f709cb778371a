import * as z from 'zod';
import type { Tool } from '../core/run/tool.ts';
import type { QuestionAnswer } from '../core/session/events.ts';
import { defineTool } from './define-tool.ts';

/** The tool call has no timeout: it resolves when the user answers. */
export function askUserTool(): Tool {
  return defineTool({
    name: 'ask_user',
    description: 'Ask the user what only they can decide. They choose an option or answer in their own words.',
    effect: 'readonly',
    input: z.object({ question: z.string().min(1), options: z.array(z.string().min(1)).optional() }),
    async prepare({ question, options = [] }) {
      return {
        title: `Ask: ${question}`,
        targets: [],
        execute: async ({ ask }) => ({
          content: answerText(
            await ask({ id: 'ask', text: question, options: [...new Set(options)].map((label) => ({ label })), freeText: true }),
          ),
        }),
      };
    },
  });
}

function answerText(answer: QuestionAnswer): string {
  if ('by' in answer && answer.by === 'nobody')
    return `${answer.words} Continue with the most likely option, and state your assumptions in your final message.`;
  if ('option' in answer) return `The user chose: ${answer.option}${answer.words ? `\n${answer.words}` : ''}`;
  return `The user answered: ${answer.words}`;
}
