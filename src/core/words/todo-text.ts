import type { TodoItem } from '../session/events.ts';

const MARKS: Record<TodoItem['state'], string> = { open: '[ ]', doing: '[>]', done: '[x]' };

/** Returns the list as lines of text, such as "[x] Read the tests". */
export function todoText(items: readonly TodoItem[]): string {
  return items.map(({ text, state }) => `${MARKS[state]} ${text.replace(/\s+/g, ' ')}`).join('\n');
}

/** Example: "2 of 5 done". */
export function todoProgress(items: readonly TodoItem[]): string {
  return `${items.filter(({ state }) => state === 'done').length} of ${items.length} done`;
}
