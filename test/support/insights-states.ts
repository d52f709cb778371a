/** States of the panel with the insights page, and with rated answers. */
import type { Cell } from '../../src/core/insights/fold.ts';
import { insightsOf, periodOf, type Range } from '../../src/core/insights/insights.ts';
import type { Numbers } from '../../src/core/insights/numbers.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

// All of these are functions, because the panel states import this module and this module imports their helpers.
/** Returns the time of noon, so that a change to or from summer time does not move a date. */
function now(): number {
  return new Date(2026, 10, 23, 12).getTime();
}

function numbersOf(index: number): Numbers {
  const busy = 1 + ((index * 7) % 5);
  return {
    runs: {
      answered: 3 * busy,
      ...(index % 3 === 0 && { failed: 1 }),
      ...(index % 4 === 1 && { stopped: 2 }),
      ...(index === 0 && { open: 1 }),
    },
    events: { turns: 14 * busy, ...(index % 6 === 0 && { recovered: 1 }), ...(index % 5 === 0 && { compactions: 1 }) },
    asked: { edit: 2 * busy, command: busy, installs: 1 },
    approved: { edit: 2 * busy - 1, command: busy, installs: index % 2 || 1 },
    rejected: { edit: 1 },
    answeredBy: { user: 3 * busy, grant: 1 },
    allowed: { 'read-only': 11 * busy, granted: 2 * busy, 'command-prefix': busy },
    calls: { read_file: 8 * busy, replace_in_file: 3 * busy, run_command: 2 * busy, search_text: 3 * busy, mcp__harbour_office__berths: 1 },
    failedCalls: { replace_in_file: busy > 2 ? 1 : 0, run_command: 1 },
    refusedCalls: { replace_in_file: 1 },
    waitMs: { model: 210_000 * busy, tools: 34_000 * busy, user: 90_000 * (1 + (index % 4)) },
    tokens: { fresh: 61_000 * busy, cached: 240_000 * busy, output: 9_400 * busy },
    money: { usd: 0.21 * busy, ...(index % 9 === 0 && { unpriced: 1, estimated: 0.02 }) },
    window: { 0: 3 * busy, 1: 4 * busy, 3: 5, 5: 3, 7: 2, 8: index % 2, 9: index % 3 === 0 ? 1 : 0 },
    failedEdits: { not_found: 1, ...(busy > 3 && { ambiguous: 1 }), rejected: 1 },
    ...(index % 5 === 0 && { limits: { turns: 1, 'day.usd': 1 } }),
    ratings: { up: index % 2, ...(index % 7 === 0 && { down: 1 }) },
  };
}

export function insightsPage(range: Range, days: number): ToPanel {
  const modes = ['agent', 'ask', 'plan'] as const;
  const models = ['anthropic/claude-opus-5', 'openai/gpt-6.1-sol', 'ollama/qwen4-coder:32b-instruct-q4_K_M'];
  const cells = Array.from({ length: days }, (_, index): Cell => {
    const date = new Date(now() - index * 86_400_000);
    const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
    return { day, mode: modes[index % 3] ?? 'ask', model: models[(index * 5) % 3] ?? '', numbers: numbersOf(index) };
  }).filter(({ day }) => !/-(07|08|14|15|21|22)$/.test(day));
  return { type: 'page', name: 'insights', data: { range, insights: insightsOf([cells], periodOf(range || undefined, now())) } };
}

function answered(): Script {
  return new Script()
    .run('ask', 'Where is the tide computed?')
    .turn()
    .says('In `tideAt` in src/tide.ts, from the harmonics of the station.')
    .finishes('answered');
}

export function insightsStates(): Record<string, NamedState> {
  const begin = (): ToPanel[] => [host('agent'), session(answered(), false), { type: 'show_page', name: 'insights' }];
  return {
    insights: { messages: [...begin(), insightsPage(30, 60)], waitFor: '.plot canvas' },
    'insights-year': { messages: [...begin(), insightsPage(0, 400)], waitFor: '.plot canvas' },
    'insights-tables': {
      messages: [...begin(), insightsPage(7, 7)],
      press: ['Show table: Runs', 'Show table: Tokens'],
      waitFor: '.plot canvas',
    },
    'insights-empty': { messages: [...begin(), insightsPage(7, 0)], waitFor: '.insights-empty' },
    rated: {
      messages: [
        host('ask'),
        session(
          answered().add({ type: 'answer_rated', rating: 'down', words: 'It overlooked the mean level, which src/station.ts adds.' }),
          false,
        ),
      ],
    },
    'rated-form': {
      messages: [host('ask'), session(answered().add({ type: 'answer_rated', rating: 'up' }), false)],
      press: ['Add comment'],
    },
  };
}
