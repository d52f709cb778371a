/** Validates the events of a model before the run uses them. Adapters build events from server responses, which can contain anything. */

import { optional, string } from '../shape.ts';
import { answerPart } from './message-shape.ts';
import type { Usage } from './messages.ts';
import { ModelError, type ModelEvent } from './model.ts';

const isName = optional(string);
/** This is not a type guard, because TypeScript would narrow a part that fails the check to `never`. */
const isPart: (value: unknown) => boolean = answerPart;

/**
 * Returns the event, with invalid token counts removed. @throws ModelError for an event that does not have the declared shape, because it
 * could not be read from the log again.
 */
export function checkedEvent(event: ModelEvent): ModelEvent {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      if (!string(event.text)) throw formless('text');
      return event;
    case 'tool_input_delta':
      if (!string(event.text) || !isName(event.name)) throw formless('a tool call');
      return event;
    case 'part': {
      const { part } = event;
      if (isPart(part)) return event;
      if (part.type !== 'tool_call') throw formless('text');
      // The model can correct arguments that are nested too deeply. It cannot correct a call without a name or id.
      const { input: _, replay: __, ...rest } = part;
      const call = { ...rest, malformed: '', problem: 'The arguments are nested too deeply. Send them again in a flatter form.' };
      if (!isPart(call)) throw formless('a tool call');
      return { type: 'part', part: call };
    }
    case 'usage':
      return { type: 'usage', usage: checkedUsage(event.usage) };
    default:
      return event;
  }
}

function formless(what: string): ModelError {
  return new ModelError('bad_stream', `The model’s answer contains ${what} in an invalid format. Try again, or choose another model.`);
}

/**
 * Removes invalid token counts. The run estimates them instead, so that they cannot bypass a budget. If neither input nor output has a
 * positive count, both are invalid, because no request is empty.
 */
function checkedUsage(usage: Usage): Usage {
  const { input, output, cached, cacheWrite, reasoning } = usage;
  const count = (value: number | undefined, max = Number.MAX_SAFE_INTEGER) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max ? value : undefined;
  const isCounted = Boolean(count(input) || count(output));
  const counted: Usage = {
    input: isCounted ? count(input) : undefined,
    output: isCounted ? count(output) : undefined,
    cached: count(cached, count(input)),
    cacheWrite: count(cacheWrite, count(input)),
    reasoning: count(reasoning),
  };
  for (const key of Object.keys(counted) as (keyof Usage)[]) if (counted[key] === undefined) delete counted[key];
  return counted;
}
