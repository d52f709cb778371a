/** What comes from a model before the run relies on it: adapters make it of what servers send, and a server can send anything. */

import { optional, string } from '../shape.ts';
import { answerPart } from './message-shape.ts';
import type { Usage } from './messages.ts';
import { ModelError, type ModelEvent } from './model.ts';

const isName = optional(string);
/** Not as a type guard: the types hold already that a part is one. */
const isPart: (value: unknown) => boolean = answerPart;

/** @throws ModelError where it has another form than its type says, which no reload could read from the log */
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
      // The model can mend arguments that are nested more deeply than code can follow; nobody can mend a call without a name.
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
  return new ModelError('bad_stream', `The model’s answer has ${what} in a form that no model has: try again, or choose another model.`);
}

/** Leaves out what cannot be a count, so that it is estimated: no budget may be held off by it. No request is empty: zeros alone count nothing. */
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
