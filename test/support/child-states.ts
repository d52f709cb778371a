/** Panel states with child runs: two that work, one that waits for the user, and one that has answered. */
import { host, type NamedState, Script, session } from './panel-states.ts';

const LIMITS = { turns: 40, callsPerTurn: 32, callsPerRun: 500, minutes: 50 };
const MODEL = { provider: 'openai', model: 'gpt-6.1-sol' };
const TASKS = [
  'Find where tide tables are parsed, and which formats they have',
  'Find all callers of tideAt',
  'Read the tests of the harbor',
];

/** Adds events of a child of the run: `change` adds them as if they were those of the run itself. */
function child(script: Script, number: number, change: (script: Script) => void): Script {
  const from = script.events.length;
  const { runId } = script;
  change(script);
  for (const event of script.events.slice(from)) event.runId = `${runId}.${number}`;
  return script;
}

function begun(): Script {
  const script = new Script().run('agent', 'Give tideAt an option to round its result').turn();
  const calls = TASKS.map((task, index) => ({ type: 'tool_call' as const, id: `d${index + 1}`, name: 'delegate', input: { task } }));
  script.says('I look at the parser, the callers and the tests at once.', '', calls);
  for (const [index, task] of TASKS.entries()) {
    const callId = `d${index + 1}`;
    const decision = { kind: 'allow' as const, rule: 'read-only' as const, reason: 'Reading inside the workspace is always allowed.' };
    script.add({ type: 'tool_started', callId, name: 'delegate', title: `Delegate: ${task}`, effect: 'readonly', targets: [], decision });
    const parent = { runId: script.runId, callId, depth: 1 };
    child(script, index + 1, (inner) =>
      inner.add({ type: 'run_started', mode: 'ask', prompt: task, model: MODEL, limits: LIMITS, parent }),
    );
  }
  child(script, 1, (inner) =>
    inner
      .calls('search_text', 'Search parseTide', { pattern: 'parseTide' })
      .returns('search_text', 'src/tide.ts\n  12: parseTide')
      .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts' }, { path: 'src/tide.ts' }),
  );
  return child(script, 2, (inner) => inner.calls('find_references', 'Find references to tideAt', {}));
}

function waiting(): Script {
  return child(begun(), 3, (inner) => {
    inner.calls(
      'read_file',
      'Read .env.test',
      { path: '.env.test' },
      { path: '.env.test', decision: { kind: 'ask', rule: 'secret', reason: 'The file may contain keys.' } },
    );
    inner.add({
      type: 'approval_requested',
      approvalId: inner.lastCall,
      callId: inner.lastCall,
      title: 'Subtask 3 (“Read the tests of the harbor”): Read .env.test',
      rule: 'secret',
      reason: 'The file may contain keys.',
      secret: true,
      changes: [],
      input: { path: '.env.test' },
      targets: [{ path: '.env.test', access: 'read' }],
    });
  });
}

function answered(): Script {
  const script = begun();
  for (const [index, answer] of [
    'parseTide in src/tide.ts:12 reads CSV only.',
    'Two callers: src/harbor.ts:3 and src/chart.ts:40.',
    'The subtask failed: The service is overloaded.',
  ].entries()) {
    const failed = index === 2;
    const usage = { input: 12_400 + index * 900, output: 310 };
    child(script, index + 1, (inner) => {
      if (!failed) inner.turn().says(answer);
      inner.add({
        type: 'run_finished',
        outcome: failed ? 'failed' : 'answered',
        usage,
        durationMs: 3_400,
        ...(failed && { error: { kind: 'overloaded' as const, message: 'The service is overloaded.' } }),
      });
    });
    script.add({
      type: 'tool_finished',
      callId: `d${index + 1}`,
      result: {
        type: 'tool_result',
        callId: `d${index + 1}`,
        name: 'delegate',
        content: [{ type: 'text', text: answer }],
        ...(failed && { isError: true }),
      },
      durationMs: 3_600,
    });
  }
  return script.turn().says('`parseTide` reads CSV only, and `tideAt` has two callers.').finishes();
}

export function childStates(): Record<string, NamedState> {
  return {
    'children-live': { messages: [host('agent'), session(begun(), true)] },
    'children-live-steps': { messages: [host('agent'), session(begun(), true)], press: ['Delegate: Find where tide tables'] },
    'children-waiting': { messages: [host('agent'), session(waiting(), true)] },
    'children-answered': { messages: [host('agent'), session(answered(), false)] },
    'children-answered-steps': { messages: [host('agent'), session(answered(), false)], press: ['3 steps', '2 steps'] },
  };
}
