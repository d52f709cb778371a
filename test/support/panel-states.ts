/** Named panel states, each a list of the messages that lead to it. */

import type { AssistantMessage, ToolCall } from '../../src/core/model/messages.ts';
import type { Plan } from '../../src/core/plan/plan.ts';
import type { ChangeSummary, Decision, Effect } from '../../src/core/session/effects.ts';
import { type AgentEvent, type EventBody, isDurable, type Mode, type Receipt } from '../../src/core/session/events.ts';
import type { RunAgent } from '../../src/core/session/shapes/run-agent.ts';
import type { PanelState, ToPanel } from '../../src/protocol/panel.ts';
import { agentStates } from './agent-states.ts';
import { answerStates } from './answer-states.ts';
import { approvalStates } from './approval-states.ts';
import { childStates } from './child-states.ts';
import { contextStates } from './context-states.ts';
import { controlStates } from './control-states.ts';
import { customizationStates } from './customization-states.ts';
import { documentStates } from './document-states.ts';
import { insightsStates } from './insights-states.ts';
import { lessonStates } from './lesson-states.ts';
import { mentionStates } from './mention-states.ts';
import { permissionStates } from './permission-states.ts';
import { planStates } from './plan-states.ts';
import { reviewStates } from './review-states.ts';
import { sessionStates } from './session-states.ts';
import { worktreeStates } from './worktree-states.ts';

const LIMITS = { turns: 20, callsPerTurn: 8, callsPerRun: 60, minutes: 10 };
const MODEL = { provider: 'openai', model: 'gpt-6.1-sol' };
const USAGE = { input: 18_432, output: 1_204, cached: 12_288, reasoning: 512 };

/** A PNG with one red pixel. */
export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The receipt of a finished Agent run. */
const RECEIPT: Receipt = {
  mode: 'agent',
  calls: 12,
  effects: { readonly: 8, mutating: 3 },
  allowed: { 'read-only': 8, 'edits-granted': 1 },
  asked: 3,
  approved: 2,
  rejected: 1,
  denied: 1,
  deniedBy: { rule: 1 },
  read: ['src/tide.ts', 'src/harbour.ts', 'packages/very-long-package-name/src/deeply/nested/module.test.ts', 'README.md'],
  readCount: 4,
  changed: ['src/tide.ts', 'height-options.ts'],
  changedCount: 2,
  commands: ['npm test -- --grep "is small at neaps"'],
  commandCount: 1,
  hosts: ['docs.example.com'],
  hostCount: 1,
  servers: [],
  canWrite: true,
};

/** Builds a session event by event, and fills in sequence numbers and times. */
export class Script {
  readonly events: AgentEvent[] = [];
  #run = 0;
  #turn = 0;
  #call = 0;
  #seq = 0;
  #at = 1_795_000_000_000;

  add(body: EventBody): this {
    const durable = isDurable(body);
    this.#at += 300;
    this.events.push({ ...body, runId: `run-${this.#run}`, seq: durable ? ++this.#seq : this.#seq, at: this.#at });
    return this;
  }

  get lastCall(): string {
    return `call-${this.#call}`;
  }

  get runId(): string {
    return `run-${this.#run}`;
  }

  run(mode: Mode, prompt: string, plan?: Plan, agent?: RunAgent): this {
    this.#run++;
    this.#turn = 0;
    return this.add({ type: 'run_started', mode, prompt, model: MODEL, limits: LIMITS, ...(plan && { plan }), ...(agent && { agent }) });
  }

  turn(): this {
    return this.add({ type: 'turn_started', turn: ++this.#turn });
  }

  says(text: string, reasoning = '', calls: ToolCall[] = []): this {
    const content: AssistantMessage['content'] = [];
    if (reasoning) content.push({ type: 'reasoning', text: reasoning });
    if (text) content.push({ type: 'text', text });
    return this.add({
      type: 'message_added',
      message: { role: 'assistant', content: [...content, ...calls], from: MODEL, stop: calls.length ? 'tool_use' : 'end_turn' },
    });
  }

  /** Adds a turn with one tool call that has started. */
  calls(
    name: string,
    title: string,
    input: unknown,
    options: { text?: string; reasoning?: string; effect?: Effect; decision?: Decision; path?: string } = {},
  ): this {
    this.#call++;
    const effect = options.effect ?? 'readonly';
    const decision = options.decision ?? { kind: 'allow', rule: 'read-only', reason: 'Reading inside the workspace is always allowed.' };
    const targets = options.path ? [{ path: options.path, access: effect === 'readonly' ? ('read' as const) : ('write' as const) }] : [];
    return this.turn()
      .says(options.text ?? '', options.reasoning, [{ type: 'tool_call', id: this.lastCall, name, input }])
      .add({ type: 'tool_started', callId: this.lastCall, name, title, effect, targets, decision });
  }

  returns(name: string, text: string, durationMs = 42, isError = false): this {
    return this.add({
      type: 'tool_finished',
      callId: this.lastCall,
      result: { type: 'tool_result', callId: this.lastCall, name, content: [{ type: 'text', text }], ...(isError && { isError }) },
      durationMs,
    });
  }

  /** Adds an answer that was cut off. */
  breaksOff(text: string): this {
    return this.add({
      type: 'message_added',
      message: { role: 'assistant', content: [{ type: 'text', text }], from: MODEL, stop: 'aborted' },
    });
  }

  finishes(
    outcome: Extract<EventBody, { type: 'run_finished' }>['outcome'] = 'answered',
    error?: Extract<EventBody, { type: 'run_finished' }>['error'],
  ): this {
    return this.add({ type: 'run_finished', outcome, ...(error && { error }), usage: USAGE, durationMs: 4210, receipt: RECEIPT });
  }
}

export function host(mode: Mode, change: Partial<PanelState> = {}): ToPanel {
  const state: PanelState = {
    mode,
    modelName: 'gpt-6.1-sol',
    readiness: { level: 'ready', text: 'Ready' },
    folders: ['harbour'],
    trusted: true,
    ...change,
  };
  return { type: 'state', state };
}

export function session(script: Script, running: boolean, earlierRuns = 0): ToPanel {
  return { type: 'session', sessionId: 'session-1', title: 'Tide tables', events: script.events, earlierRuns, running };
}

const ANSWER = `## Where the tide is computed

The height comes from \`tideAt()\` in \`src/tide.ts:12-20\`; the harbour only rounds it (see src/harbour.ts:48). Details are in the [guide](https://example.com/tides) and in [the README](README.md#L3).

1. \`readStations()\` loads \`data/stations.json\`
2. \`tideAt()\` adds the harmonics
   - the **moon** first
   - then the *sun*
3. \`formatHeight()\` rounds to centimetres

| Constituent | Period (h) | Amplitude |
|:--|--:|:-:|
| M2 | 12.42 | 1.84 |
| S2 | 12.00 | 0.61 |
| N2 | 12.66 | 0.37 |

\`\`\`ts
export function tideAt(station: Station, at: Date): number {
  const hours = (at.getTime() - EPOCH) / 3_600_000;
  return station.constituents.reduce((sum, { amplitude, speed, phase }) => sum + amplitude * Math.cos(speed * hours - phase), station.mean);
}
\`\`\`

> The sign of \`phase\` follows the almanac, not the textbook.

- [x] covered by \`test/tide.test.ts\`
- [ ] neap tides

<b>HTML</b> stays text, and so does an image: ![a chart](https://example.com/chart.png)`;

export const DIFF = `--- a/src/tide.ts
+++ b/src/tide.ts
@@ -10,9 +10,11 @@ import { EPOCH } from './epoch.ts';
 
 /** Height above chart datum in metres. */
-export function tideAt(station: Station, at: Date): number {
+export function heightAt(station: Station, at: Date, options: HeightOptions = {}): number {
   const hours = (at.getTime() - EPOCH) / 3_600_000;
-  return sum(station, hours);
+  const height = sum(station, hours);
+  return options.round ? Math.round(height * 100) / 100 : height;
 }
 
 function sum(station: Station, hours: number): number {
`;

const change = (path: string, extra: Partial<ChangeSummary> = {}): ChangeSummary => ({
  path,
  kind: 'edit',
  added: 4,
  removed: 2,
  diff: DIFF,
  ...extra,
});

const NEW_FILE = change('src/very/deeply/nested/folder/height-options.ts', {
  kind: 'create',
  added: 3,
  removed: 0,
  diff: '--- /dev/null\n+++ b/src/very/deeply/nested/folder/height-options.ts\n@@ -0,0 +1,3 @@\n+export type HeightOptions = {\n+  round?: boolean;\n+};\n',
});

export const PLAN: Plan = {
  id: 'plan-1',
  revision: 1,
  goal: 'Rename tideAt to heightAt in src/**',
  steps: [
    {
      title: 'Rename the function and its doc comment',
      files: ['src/tide.ts'],
      tools: ['edit_file'],
      check: 'src/tide.ts exports heightAt',
    },
    { title: 'Follow the new name in its callers', files: ['src/harbour.ts', 'src/**/*.ts'], tools: ['edit_file', 'search'] },
    { title: 'Rename in the tests', files: ['test/tide.test.ts'], check: 'npm test' },
  ],
  checks: ['No occurrence of tideAt is left', 'npm test passes'],
};

const ask = { kind: 'ask', rule: 'edit', reason: 'Agent mode asks before it changes a file.' } as const;

function explored(script: Script): Script {
  return script
    .run('ask', 'Where is the tide computed?')
    .calls(
      'list_files',
      'List src',
      { path: 'src' },
      {
        text: 'I will look at the sources first.',
        reasoning: 'The user asks for the **tide**. The name suggests `src/tide.ts`.',
        path: 'src',
      },
    )
    .returns('list_files', 'src/tide.ts\nsrc/harbour.ts\nsrc/index.ts')
    .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts', from: 1, to: 80 }, { path: 'src/tide.ts' })
    .returns('read_file', Array.from({ length: 40 }, (_, line) => `${line + 1}: export const line${line} = ${line};`).join('\n'), 12)
    .calls('read_file', 'Read src/harbor.ts', { path: 'src/harbor.ts' }, { path: 'src/harbor.ts' })
    .returns('read_file', 'There is no file src/harbor.ts. Did you mean src/harbour.ts?', 3, true)
    .calls('search', 'Search for “tideAt(” in src/**', { query: 'tideAt(', include: 'src/**' }, { path: 'src/harbour.ts' })
    .returns('search', 'src/harbour.ts:48: return tideAt(station, now)', 131)
    .calls(
      'edit_file',
      'Edit src/tide.ts',
      { path: 'src/tide.ts' },
      {
        effect: 'mutating',
        decision: { kind: 'deny', rule: 'read-only-mode', reason: 'Ask mode cannot change files.' },
        path: 'src/tide.ts',
      },
    )
    .returns('edit_file', 'Not allowed: Ask mode cannot change files.', 0, true);
}

function edited(script: Script, finish = true): Script {
  script
    .run('agent', 'Give tideAt an option to round, and call it heightAt')
    .calls('read_file', 'Read src/tide.ts', { path: 'src/tide.ts' }, { text: 'First the function as it is.', path: 'src/tide.ts' })
    .returns('read_file', 'export function tideAt() {}')
    .calls(
      'edit_file',
      'Edit src/tide.ts and create height-options.ts',
      { path: 'src/tide.ts', edits: [{ old: 'tideAt', new: 'heightAt' }] },
      { effect: 'mutating', decision: ask, path: 'src/tide.ts' },
    );
  const callId = script.lastCall;
  script.add({
    type: 'approval_requested',
    approvalId: 'approval-1',
    callId,
    title: 'Edit src/tide.ts and create height-options.ts',
    rule: 'edit',
    reason: ask.reason,
    changes: [change('src/tide.ts'), NEW_FILE],
    covers: [{ kind: 'edits' }, { kind: 'path', tool: 'apply_patch', glob: 'src/**' }],
    similar: 3,
  });
  if (!finish) return script;
  return script
    .add({ type: 'approval_resolved', approvalId: 'approval-1', callId, answer: { approve: true, grant: 'run' } })
    .add({ type: 'file_changed', callId, changes: [change('src/tide.ts'), NEW_FILE] })
    .returns('edit_file', 'Edited 2 files.', 87)
    .turn()
    .says('`heightAt()` now takes `{ round: true }`; the type is in `src/very/deeply/nested/folder/height-options.ts:1`.');
}

const proposed = () =>
  new Script()
    .run('plan', 'Rename tideAt to heightAt in src/**')
    .calls('search', 'Search for “tideAt”', { query: 'tideAt' }, { path: 'src/tide.ts' })
    .returns('search', 'src/tide.ts:12\nsrc/harbour.ts:48')
    .add({ type: 'plan_proposed', plan: PLAN })
    .finishes('plan_proposed');

function planRunning(): Script {
  return proposed()
    .add({ type: 'plan_resolved', planId: PLAN.id, answer: 'run', plan: PLAN })
    .run('plan', 'The user confirmed this plan.', PLAN)
    .add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'started' })
    .add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'done', note: 'Renamed at 2 places.' })
    .add({ type: 'plan_step', planId: PLAN.id, step: 2, status: 'started' })
    .calls('search', 'Search for “tideAt” in src/**', { query: 'tideAt' }, { path: 'src/harbour.ts' });
}

function long(): Script {
  const script = new Script();
  for (let index = 1; index <= 40; index++) explored(script).turn().says(`Answer ${index}.\n\n${ANSWER}`).finishes();
  return script;
}

const TEST_OUTPUT = `
> harbour@1.0.0 test
> mocha "test/**/*.test.ts"

  tideAt
    ✔ is the mean without constituents
    ✔ adds the moon and the sun
    1) is small at neaps

  2 passing (14ms)
  1 failing

  1) tideAt
       is small at neaps:
      AssertionError: expected 1.84 to be below 0.7
      at Context.<anonymous> (test/tide.test.ts:31:12)`;

function commandAsked(script: Script, text = ''): Script {
  const decision = { kind: 'ask', rule: 'command', reason: 'npm test may do anything: it runs what package.json says.' } as const;
  return script
    .run('agent', 'Make the tests pass')
    .calls('run_command', 'Run npm test …', { command: 'npm test', cwd: 'packages/tide' }, { effect: 'destructive', decision, text })
    .add({
      type: 'approval_requested',
      approvalId: 'approval-1',
      callId: script.lastCall,
      title: 'Run npm test …',
      rule: decision.rule,
      reason: decision.reason,
      changes: [],
      command: { text: 'npm test -- --grep "is small at neaps" \\\n  | tee /tmp/test-output.txt', cwd: 'packages/tide', shell: 'bash' },
    });
}

export type NamedState = {
  messages: ToPanel[];
  /** Controls to press when the state is displayed, by their accessible names. */
  press?: string[];
  /** Text to type into the composer before the controls are pressed. */
  type?: string;
  /** An element to wait for, because its code is loaded on demand. */
  waitFor?: string;
};

const failing = (kind: 'auth' | 'rate_limit', message: string) =>
  new Script().run('ask', 'Where is the tide computed?').turn().finishes('failed', { kind, message });

const undone = edited(new Script()).finishes();
undone.add({
  type: 'changes_undone',
  undoneRunId: undone.runId,
  results: [
    { path: 'src/tide.ts', outcome: 'refused', reason: 'You changed this file after the run; it was left as it is.' },
    { path: 'src/very/deeply/nested/folder/height-options.ts', outcome: 'restored' },
  ],
});

const attention = {
  isOffline: true as const,
  modelName: 'Offline',
  blind: true,
  readiness: {
    level: 'attention',
    text: 'No model is connected: the offline model answers simple questions.',
    action: { label: 'Connect a model', message: { type: 'connect_model' } },
  },
} satisfies Partial<PanelState>;

const unsuited = {
  modelName: 'tinyllama:1b',
  readiness: {
    level: 'warning',
    text: 'tinyllama:1b cannot call tools, so it cannot read or change files.',
    action: { label: 'Choose a model', message: { type: 'pick_model' } },
  },
} satisfies Partial<PanelState>;

export const STATES: Record<string, NamedState> = {
  ...answerStates(),
  ...controlStates(),
  ...sessionStates(),
  ...contextStates(),
  ...agentStates(),
  ...childStates(),
  ...permissionStates(),
  ...documentStates(),
  ...insightsStates(),
  ...planStates(),
  ...mentionStates(),
  ...customizationStates(),
  ...worktreeStates(),
  ...lessonStates(),
  'empty-ask': { messages: [host('ask', attention), session(new Script(), false)] },
  'empty-plan': { messages: [host('plan'), session(new Script(), false)] },
  'empty-agent-allowed': {
    messages: [
      host('agent', { withoutApproval: ['edits in this workspace', 'commands that begin with npm test', 'calls that 2 rules allow'] }),
      session(new Script(), false),
    ],
  },
  'empty-agent': { messages: [host('agent'), session(new Script(), false)] },
  'model-checking': {
    messages: [
      host('ask', { modelName: 'qwen3:8b', readiness: { level: 'checking', text: 'Checking the connection to Ollama…' } }),
      session(new Script(), false),
    ],
  },
  'model-unsuited': { messages: [host('agent', unsuited), session(new Script(), false)] },
  'no-folder': { messages: [host('ask', { folders: [] }), session(new Script(), false)] },
  restricted: { messages: [host('ask', { trusted: false }), session(new Script(), false)] },
  untrusted: { messages: [host('agent', { trusted: false }), session(new Script(), false)] },
  streaming: {
    messages: [
      host('ask'),
      session(
        explored(new Script())
          .turn()
          .add({ type: 'text_delta', text: 'The height comes from `tideAt()` in `src/tide.ts:12`.\n\n- it reads **stat' }),
        true,
      ),
    ],
  },
  working: {
    messages: [
      host('agent'),
      session(new Script().run('agent', 'Fix the tide').calls('run_command', 'Run npm test', { command: 'npm test' }), true),
    ],
    press: ['Run npm test'],
  },
  'command-approval': {
    messages: [host('agent'), session(commandAsked(new Script()), true)],
  },
  'command-running': {
    messages: [
      host('agent'),
      session(
        commandAsked(new Script())
          .add({ type: 'approval_resolved', approvalId: 'approval-1', callId: 'call-1', answer: { approve: true } })
          .add({ type: 'tool_progress', callId: 'call-1', text: TEST_OUTPUT.split('\n').slice(-12).join('\n') }),
        true,
      ),
    ],
    press: ['Run npm test'],
  },
  'words-and-output': {
    messages: [
      host('agent'),
      session(
        commandAsked(new Script(), 'First I run the tests, to see **what fails** before I change anything.')
          .add({ type: 'approval_resolved', approvalId: 'approval-1', callId: 'call-1', answer: { approve: true } })
          .add({ type: 'tool_progress', callId: 'call-1', text: TEST_OUTPUT }),
        true,
      ),
    ],
  },
  'command-failed': {
    messages: [
      host('agent'),
      session(
        commandAsked(new Script())
          .add({ type: 'approval_resolved', approvalId: 'approval-1', callId: 'call-1', answer: { approve: true } })
          .add({
            type: 'tool_finished',
            callId: 'call-1',
            result: {
              type: 'tool_result',
              callId: 'call-1',
              name: 'run_command',
              isError: true,
              content: [{ type: 'text', text: `Exit code 1 after 3.2 s.\n${TEST_OUTPUT}` }],
            },
            durationMs: 3_214,
            note: 'exit 1',
          })
          .turn()
          .says('One test fails: the tide at neaps in `test/tide.test.ts:31`.')
          .finishes(),
        false,
      ),
    ],
    press: ['1 step', 'Run npm test'],
  },
  answer: { messages: [host('ask'), session(explored(new Script()).turn().says(ANSWER).finishes(), false)] },
  'answer-log': {
    messages: [host('ask'), session(explored(new Script()).turn().says('In `src/tide.ts:12`.').finishes(), false)],
    press: ['5 steps', 'Reasoning', 'Read src/tide.ts', 'Edit src/tide.ts'],
  },
  approval: { messages: [host('agent'), session(edited(new Script(), false), true)] },
  'approval-grants': { messages: [host('agent'), session(edited(new Script(), false), true)], press: ['More approval options'] },
  'approval-reject': { messages: [host('agent'), session(edited(new Script(), false), true)], press: ['Reject…'] },
  changed: { messages: [host('agent'), session(edited(new Script()).finishes(), false)] },
  receipt: {
    messages: [host('agent'), session(edited(new Script()).finishes(), false)],
    press: ['Changed 2 files, ran 1 command'],
  },
  undone: { messages: [host('agent'), session(undone, false)] },
  plan: { messages: [host('plan'), session(proposed(), false)] },
  'plan-editing': { messages: [host('plan'), session(proposed(), false)], press: ['Edit plan'] },
  'plan-running': { messages: [host('plan'), session(planRunning(), true)] },
  paused: {
    messages: [
      host('agent'),
      session(
        edited(new Script()).add({ type: 'budget_reached', limit: 'turns', max: 20 }).add({
          type: 'run_paused',
          reason: 'limit',
          summary:
            'So far 3 tool calls: read_file, replace_text, create_file.\n\n- done: `src/tide.ts`\n- open: the callers in src/harbour.ts:48',
        }),
        false,
      ),
    ],
  },
  error: {
    messages: [
      host('ask'),
      session(failing('auth', 'OpenAI did not accept the key. Enter a valid one with “Kedge: Connect a Model”.'), false),
    ],
  },
  'error-half': {
    messages: [
      host('ask'),
      session(
        new Script()
          .run('ask', 'How is the tide computed?')
          .turn()
          .breaksOff('The height comes from `tideAt()`, which')
          .finishes('failed', { kind: 'network', message: 'OpenAI could not be reached (terminated): check the network.' }),
        false,
      ),
    ],
  },
  'retry-wait': {
    messages: [
      host('ask'),
      session(
        new Script()
          .run('ask', 'How is the tide computed?')
          .turn()
          .add({ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 12_000 }),
        true,
      ),
    ],
  },
  image: {
    messages: [
      host('ask'),
      session(
        new Script()
          .run('ask', 'What is this?')
          .add({
            type: 'message_added',
            message: {
              role: 'user',
              content: [
                { type: 'text', text: 'What is this?' },
                { type: 'image', mediaType: 'image/png', data: DOT },
              ],
            },
          })
          .turn()
          .says('A dot.')
          .finishes(),
        false,
      ),
    ],
  },
  stopped: {
    messages: [
      host('agent'),
      session(edited(new Script()).finishes('stopped'), false),
      { type: 'notice', level: 'info', text: 'The folder src/old was not found, so it is not attached.' },
    ],
  },
  long: { messages: [host('ask'), session(long(), false, 12)] },
};

Object.assign(STATES, approvalStates({ script: () => new Script(), host, session }));
Object.assign(STATES, reviewStates({ script: () => new Script(), host, session }));
