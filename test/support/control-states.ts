/** Panel states in which the user answers a question or controls the run. */

import { type ToolCall, user } from '../../src/core/model/messages.ts';
import type { BudgetKey } from '../../src/core/session/limits.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

/** These are functions, because the panel states import this module and this module imports their helpers. */
function question() {
  return {
    id: 'ask',
    text: 'The almanac and the tide gauge differ by 4 cm in Harbour North. Which of them should the forecast follow?',
    options: [
      { label: 'The almanac', detail: 'It is official, and a year old.' },
      { label: 'The tide gauge' },
      { label: 'The mean of both, weighted by the age of the last calibration of the gauge' },
    ],
    freeText: true,
  };
}

function begun(): Script {
  return new Script()
    .run('agent', 'Correct the forecast of Harbour North')
    .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts' }, { text: 'First the function as it is.', path: 'src/tide.ts' })
    .returns('read_file', 'export function tideAt() {}');
}

export function asking(asked = question()): Script {
  const script = begun().calls('ask_user', `Ask: ${asked.text}`, { question: asked.text });
  return script.add({ type: 'question_asked', questionId: `${script.lastCall}:ask`, callId: script.lastCall, question: asked });
}

function answered(): Script {
  const script = asking();
  const { lastCall } = script;
  return script
    .add({ type: 'question_answered', questionId: `${lastCall}:ask`, callId: lastCall, answer: { option: 'The tide gauge' } })
    .returns('ask_user', 'The user chose: The tide gauge', 0)
    .calls('search_text', 'Search for gauge', { query: 'gauge' });
}

export function queued(): Script {
  return begun()
    .calls('search_text', 'Search for “tideAt(” in src/**', { query: 'tideAt(' })
    .add({ type: 'message_queued', id: 'queued-1', message: user('Leave the tests alone.') })
    .add({ type: 'message_queued', id: 'queued-2', message: user('And use metres everywhere, also in the log, where it is feet today.') });
}

export function held(): Script {
  return queued().returns('search_text', 'src/harbour.ts:48').add({ type: 'run_paused', reason: 'user', summary: '' });
}

/** The run is held between two calls of one answer. */
function heldBeforeCall(): Script {
  const calls: ToolCall[] = ['src/tide.ts', 'src/harbour/north/forecast-of-the-coming-week.ts'].map((path, at) => ({
    type: 'tool_call',
    id: `edit-${at}`,
    name: 'replace_in_file',
    input: { path },
  }));
  const decision = { kind: 'allow', rule: 'edits-granted', reason: 'You allowed edits without asking.' } as const;
  const [target] = [{ path: 'src/tide.ts', access: 'write' as const }];
  const started = {
    callId: 'edit-0',
    name: 'replace_in_file',
    title: 'Edit src/tide.ts',
    effect: 'mutating',
    targets: [target],
    decision,
  } as const;
  return begun()
    .turn()
    .says('Both files need the new name.', '', calls)
    .add({ type: 'tool_started', ...started, targets: [target] })
    .add({
      type: 'tool_finished',
      callId: 'edit-0',
      result: { type: 'tool_result', callId: 'edit-0', name: 'replace_in_file', content: [{ type: 'text', text: 'Edited.' }] },
      durationMs: 12,
    })
    .add({ type: 'run_paused', reason: 'user', summary: '' });
}

export function atLimit(limit: BudgetKey, max: number, unpriced?: number): Script {
  return begun()
    .add({ type: 'budget_reached', limit, max, ...(unpriced && { unpriced }) })
    .add({ type: 'run_paused', reason: 'limit', summary: 'So far 1 tool call: read_file.\n\nRead: src/tide.ts.' });
}

function leftOver(): Script {
  return queued().returns('search_text', 'src/harbour.ts:48').finishes('stopped');
}

export function controlStates(): Record<string, NamedState> {
  return {
    question: { messages: [host('agent'), session(asking(), true)] },
    'question-open': {
      messages: [host('ask'), session(asking({ ...question(), options: [], text: 'What is the harbour called?' }), true)],
    },
    'question-answered': { messages: [host('agent'), session(answered(), true)] },
    queue: { messages: [host('agent'), session(queued(), true)] },
    'queue-editing': { messages: [host('agent'), session(queued(), true)], press: ['Edit: Leave the tests alone.'] },
    held: { messages: [host('agent'), session(held(), false)] },
    'held-before-call': { messages: [host('agent'), session(heldBeforeCall(), false)] },
    'queue-left': { messages: [host('agent'), session(leftOver(), false)] },
    budget: { messages: [host('agent'), session(atLimit('usd', 2.5, 3), false)] },
    'budget-day': { messages: [host('agent'), session(atLimit('day.usd', 10), false)], press: ['Raise today’s limit…'] },
    repeating: {
      messages: [
        host('agent'),
        session(begun().add({ type: 'run_paused', reason: 'repeating', summary: 'So far 4 tool calls: read_file × 4.' }), false),
      ],
    },
  };
}
