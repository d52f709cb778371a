/** Validates the events of a model before the run relies on them. Adapters build them from server responses, which can contain anything. */

import { optional, string } from '../shape.ts';
import { answerPart } from './message-shape.ts';
import type { Usage } from './messages.ts';
import { ModelError, type ModelEvent } from './model.ts';

const isName = optional(string);
/** This is not a type guard, because the types already promise that the value is a part. */
const isPart: (value: unknown) => boolean = answerPart;

/** @throws ModelError for an event that does not have the declared shape. A reload could not read it from the log. */
export function checkedEvent(event: ModelEvent): ModelEvent {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      if (!string(event.text)) throw formless('its text');
      return event;
    case 'tool_input_delta':
      if (!string(event.text) || !isName(event.name)) throw formless('a tool call');
      return event;
    case 'part': {
      const { part } = event;
      if (isPart(part)) return event;
      if (part.type !== 'tool_call') throw formless('its text');
      // The model can correct arguments that are nested too deeply for code to process. A call without a name cannot be corrected.
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
  return new ModelError('bad_stream', `The model’s answer contains ${what} in an invalid form: try again, or choose another model.`);
}

/**
 * Drops invalid token counts, so that they are estimated and cannot defeat a budget. Zeros alone are invalid as well, because no request is
 * empty.
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
