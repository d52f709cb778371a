import * as z from 'zod';
import type { Tool } from '../core/run/tool.ts';
import { todoProgress, todoText } from '../core/words/todo-text.ts';
import { defineTool } from './define-tool.ts';

const MAX_ITEMS = 50;

/** The list is an event of the session, so hosts display it and compactions keep it. */
export function todoTool(): Tool {
  return defineTool({
    name: 'todo',
    description: 'Replace your to-do list in a task of many steps. Keep one item in progress.',
    effect: 'readonly',
    input: z.object({
      items: z.array(z.object({ text: z.string().min(1), state: z.enum(['open', 'doing', 'done']).optional() })).max(MAX_ITEMS),
    }),
    async prepare({ items: given }) {
      const items = given.map(({ text, state = 'open' }) => ({ text, state }));
      return {
        title: `To do: ${todoProgress(items)}`,
        targets: [],
        execute: async () => ({ content: todoText(items) || 'The list is empty.', events: [{ type: 'todo_changed', items }] }),
      };
    },
  });
}
