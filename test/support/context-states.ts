/** Panel states with the context gauge and with compactions. */

import type { ContextUse } from '../../src/core/context/window.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

const USE: ContextUse = {
  tokens: { instructions: 310, tools: 870, rules: 640, summary: 1_900, prompts: 420, attachments: 1_300, answers: 2_600, results: 11_800 },
  ratio: 1.08,
  window: 32_768,
  limit: 24_904,
};
const FULL: ContextUse = { ...USE, tokens: { ...USE.tokens, results: 16_200 } };
const SAID = 'Conversation compacted from 25.1k to 9.8k tokens';

function working(context: ContextUse): Script {
  return new Script()
    .run('agent', 'Correct the forecast of Harbour North')
    .add({ type: 'turn_started', turn: 1, context })
    .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts' })
    .returns('read_file', 'export function tideAt() {}');
}

function compacted(): Script {
  return working(FULL)
    .add({
      type: 'context_compacted',
      reason: 'window',
      by: 'model',
      keepFrom: 2,
      shortenBefore: 2,
      resultChars: 400,
      promptChars: 100_000,
      rulesChars: 10_000,
      carried:
        'The mode is Agent. The user’s latest message is #1; earlier ones may already be dealt with.\n\nEarlier answers and results:\n#3.1 read_file src/tide.ts',
      summary:
        'Your summary of the earlier messages:\nGoal: the forecast of Harbour North follows the tide gauge.\nNext: correct tideAt in src/tide.ts:12.',
      before: 25_100,
      after: 9_800,
      context: { ...USE, tokens: { ...USE.tokens, results: 1_300, answers: 200 } },
    })
    .calls('search_text', 'Search for “tideAt(” in src/**', { query: 'tideAt(' });
}

export function contextStates(): Record<string, NamedState> {
  return {
    gauge: { messages: [host('agent'), session(working(USE).finishes(), false)], press: ['Context:'] },
    memory: {
      messages: [
        host('agent'),
        session(working(USE).finishes(), false),
        { type: 'show_page', name: 'memory' },
        {
          type: 'page',
          name: 'memory',
          data: {
            lists: [
              {
                scope: 'workspace',
                entries: [
                  { line: 1, text: 'The tests run with npm test.' },
                  { line: 2, text: 'Heights are in metres above chart datum, never above mean sea level, in every file below src/tides/.' },
                ],
              },
              { scope: 'user', entries: [] },
            ],
            deleted: { scope: 'workspace', text: 'The harbour master answers on channel 12 between six and eight in the morning.' },
          },
        },
      ],
    },
    replay: {
      messages: [
        host('agent'),
        session(working(USE).finishes(), false),
        { type: 'show_page', name: 'replay' },
        {
          type: 'page',
          name: 'replay',
          data: { events: working(USE).says('The forecast takes the height of the next harbour.').finishes().events, earlierRuns: 2 },
        },
      ],
      // A click on the position stops the replay at its current position.
      press: ['Position'],
    },
    'gauge-full': { messages: [host('agent'), session(working(FULL), true)] },
    'gauge-unknown': { messages: [host('agent'), session(working({ tokens: USE.tokens, ratio: 1 }).finishes(), false)] },
    compacting: { messages: [host('agent'), session(working(FULL).add({ type: 'context_compacting' }), true)] },
    todo: {
      messages: [
        host('agent'),
        session(
          working(USE).add({
            type: 'todo_changed',
            items: [
              { text: 'Read the tests of the forecast', state: 'done' },
              { text: 'Correct tideAt in src/tide.ts, which takes the height of the wrong harbour', state: 'doing' },
              { text: 'Run the tests', state: 'open' },
            ],
          }),
          true,
        ),
      ],
    },
    compacted: { messages: [host('agent'), session(compacted(), true)], press: [SAID] },
  };
}
