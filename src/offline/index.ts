/**
 * Kedge's offline model. It is not a language model: it understands a small grammar of English requests (grammar.ts) and answers them with
 * the tools that other models use. It needs no network and no key, and the same conversation always gets the same answer.
 */

import { textOf } from '../core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../core/model/model.ts';
import type { Mode } from '../core/session/events.ts';
import { parseRequest } from './grammar.ts';
import { jsonAnswer } from './json-answer.ts';
import { pieces } from './markdown.ts';
import { isConfirmedPlan, parsePlan, splitMessage } from './message.ts';
import { type Context, nextTurn, type Outcome, type Skill, type Turn } from './script.ts';
import { isHelp } from './skills/help.ts';
import { answer } from './skills/index.ts';
import { carryOut } from './skills/steps.ts';
import { nextCallNumber, transcriptOf } from './transcript.ts';

export { listModels } from './list.ts';

/** The configuration is ignored: this adapter needs neither a key nor an address. */
export function createAdapter(_config: object = {}): ModelAdapter {
  return {
    isFree: true,
    async *stream(request, signal) {
      signal.throwIfAborted();
      for (const event of eventsOf(turnFor(request), nextCallNumber(request.messages))) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

function turnFor({ messages, tools, answerSchema }: ModelRequest): Turn {
  const offered = new Set(tools.map((tool) => tool.name));
  const { text, past, servers } = transcriptOf(messages);
  if (servers !== undefined) return { say: servers, calls: [] };
  const helped = messages.some((message) => message.role === 'assistant' && isHelp(textOf(message)));
  const turn = nextTurn(skillFor(text, { mode: modeOf(offered), offered, helped }), past, offered);
  return answerSchema && turn.calls.length === 0 ? { ...turn, say: jsonAnswer(answerSchema, turn.say) } : turn;
}

/** Derives the mode from the offered tools. */
function modeOf(offered: ReadonlySet<string>): Mode {
  if (offered.has('propose_plan')) return 'plan';
  return offered.has('replace_in_file') ? 'agent' : 'ask';
}

function skillFor(text: string, context: Context): Skill<Outcome> {
  if (isConfirmedPlan(text) && context.mode === 'agent') return carryOut(parsePlan(splitMessage(text).request), context);
  return answer(parseRequest(text), goalOf(text), context);
}

/** Returns the request in one line, which is used as the goal of a plan. */
function goalOf(text: string): string {
  const words = splitMessage(text).request.replace(/(`{3,}|~{3,})[\s\S]*?(?:\1|$)/g, '…');
  return words.replace(/\s+/g, ' ').trim().slice(0, 500);
}

function* eventsOf({ say, calls }: Turn, firstNumber: number): Generator<ModelEvent> {
  if (say !== '') {
    for (const text of pieces(say)) yield { type: 'text_delta', text };
    yield { type: 'part', part: { type: 'text', text: say } };
  }
  for (const [index, { name, input }] of calls.entries()) {
    yield { type: 'part', part: { type: 'tool_call', id: `offline-${firstNumber + index}`, name, input } };
  }
  yield { type: 'stop', reason: calls.length > 0 ? 'tool_use' : 'end_turn' };
}
