/** Random trees of delegations. KEDGE_TREES sets how many. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import type { AgentsPort } from '../../../../src/app/ports.ts';
import type { ModelEvent, ModelRequest } from '../../../../src/core/model/model.ts';
import { type AgentEvent, MODES, type Mode } from '../../../../src/core/session/events.ts';
import type { SessionLimits } from '../../../../src/core/session/limits.ts';
import type { SessionState } from '../../../../src/core/session/session-state.ts';
import { call, say } from '../../../../src/providers/scripted/index.ts';
import { modelOf, taskOf } from '../../../support/delegating-model.ts';
import { assistantOn, type EventOf, eventsOf } from '../../../support/harness.ts';

const TREES = Number(process.env.KEDGE_TREES ?? 150);
const DEPTH = 2;
/** The length of each piece of an answer, in characters. Four characters are estimated as a token. */
const PIECE = 100;
const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', '.env': 'KEY=1\n', 'c.csv': 'n\n1\n', 'src/d.ts': 'export {};\n', 'new.txt': '-' };

const agentFile = (name: string, lines: string) => ({
  path: `${name}.md`,
  fileName: name,
  text: `---\nname: ${name}\n${lines}\n---\nWork.\n`,
});
const AGENTS = {
  reader: 'tools: [read]',
  finder: 'tools: [search, agents]\nmode: ask',
  planner: 'mode: plan\ntools: [read, search, agents, edit]',
  maker: 'mode: agent\ntools: [read, edit, commands, agents]\nlimits: {turns: 3}',
  nothing: 'tools: []',
  without: 'without: [read_file]',
};
const port: AgentsPort = {
  userFiles: async () => Object.entries(AGENTS).map(([name, lines]) => agentFile(name, lines)),
  accepted: () => undefined,
  accept: () => undefined,
  review: async () => false,
};

/** The calls that every run tries, whether it has the tool or not. */
const CALLS: readonly (readonly [string, object])[] = [
  ['read_file', { path: 'a.txt' }],
  ['read_file', { path: '.env' }],
  ['search_text', { pattern: 'a' }],
  ['list_directory', { path: '.' }],
  ['replace_in_file', { path: 'new.txt', edits: [{ old_text: '-', new_text: '-x' }] }],
  ['run_command', { command: 'touch made' }],
  ['fetch_url', { url: 'http://127.0.0.1:9/' }],
  ['calculate', { expression: '1 + 1' }],
  ['propose_plan', { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] }],
  ['documents_search', { query: 'x' }],
];

type Node = { agent: string | undefined; write: string | undefined; calls: readonly number[]; answer: number; children: readonly Node[] };

/** One level more than may run is tried. */
const nodeAt = (depth: number): fc.Arbitrary<Node> =>
  fc.record({
    agent: fc.option(fc.constantFrom(...Object.keys(AGENTS)), { nil: undefined, freq: 1 + depth }),
    write: fc.option(fc.constantFrom('here', 'worktree'), { nil: undefined }),
    calls: fc.array(fc.nat(CALLS.length - 1), { maxLength: 4 }),
    answer: fc.nat(3_000),
    children:
      depth > DEPTH ? fc.constant([]) : fc.array(nodeAt(depth + 1), { minLength: depth === 0 ? 1 : 0, maxLength: 4 - depth, size: 'max' }),
  });
const tree = nodeAt(0);
const limit = fc.option(
  fc.nat(8).map((number) => number + 1),
  { nil: undefined },
);
const limits = fc.record({
  turns: limit,
  callsPerRun: limit,
  tokens: fc.option(fc.integer({ min: 500, max: 30_000 }), { nil: undefined }),
});

/** Finds the node of a task: its path from the root, such as `t.0.2`. */
function nodeOf(root: Node, task: string): Node | undefined {
  return task
    .split('.')
    .slice(1)
    .reduce<Node | undefined>((node, index) => node?.children[Number(index)], root);
}

function roleOf(root: Node, task: string) {
  const node = nodeOf(root, task);
  if (!node) return undefined;
  return async function* (turn: number): AsyncGenerator<ModelEvent> {
    // Answers of several runs arrive at once.
    for (let left = node.answer; left > 0; left -= PIECE) {
      await new Promise(setImmediate);
      yield { type: 'text_delta', text: 'x'.repeat(Math.min(left, PIECE)) };
    }
    if (turn > 0) return yield* say('x'.repeat(node.answer));
    for (const index of node.calls) yield* call(...(CALLS[index] as [string, object]), 'c');
    for (const [index, { agent, write }] of node.children.entries())
      yield* call('delegate', { task: `${task}.${index}`, ...(agent && { agent }), ...(write && { write }) }, 'd');
    yield* say('.');
  };
}

const parentOf = (runId: string) => runId.slice(0, runId.lastIndexOf('.'));
const isOpenHere = (name: string) => name === 'calculate' || name === 'summarize_columns' || name === 'read_changes';

describe('random trees of delegations', () => {
  it('allow no child what its parent is not allowed, and spend at most the budget of the root and one answer', async () => {
    let root: Node = { agent: undefined, write: undefined, calls: [], answer: 0, children: [] };
    const adapter = modelOf((task) => roleOf(root, task));
    let runs = 0;
    let writers = 0;
    let elsewhere = 0;
    await using kedge = await assistantOn(FILES, [], {
      adapter,
      delegation: DEPTH,
      agents: async () => port,
      commands: true,
      worktrees: true,
    });
    for (const args of [
      ['init', '--quiet'],
      ['add', '--all'],
      ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', '1'],
    ])
      execFileSync('git', args, { cwd: kedge.root });
    // What the root may do without asking, a child may do that writes. Nothing else is allowed, because every question is refused.
    kedge.granted.covers.push({ kind: 'edits' });
    const { assistant } = kedge;
    await fc.assert(
      fc.asyncProperty(tree, fc.constantFrom(...MODES), limits, async (grown, mode, given) => {
        root = grown;
        adapter.requests.length = 0;
        const session = await assistant.newSession();
        for (const [name, amount] of Object.entries(given) as [keyof SessionLimits, number | undefined][])
          if (amount !== undefined) session.note({ type: 'session_limit_set', limit: name, amount });
        const seen: AgentEvent[] = [];
        session.subscribe(
          (event) => {
            seen.push(event);
            if (event.type === 'approval_requested')
              queueMicrotask(() => void session.answerApproval(event.approvalId, { approve: false }).catch(() => undefined));
          },
          { withChildren: true },
        );
        await session.prompt({ text: 't', mode, ...(root.agent && { agent: root.agent }) });
        if (session.state.lastRun?.status === 'paused') await session.stop();
        expectNarrowed(seen, adapter.requests);
        expectAlone(seen, session.state);
        expectBudget(seen, given);
        assert.equal(session.state.children.size, 0);
        runs += eventsOf(seen, 'run_started').length;
        writers += eventsOf(seen, 'run_started').filter(({ parent, mode: own }) => parent && own === 'agent').length;
        elsewhere += eventsOf(seen, 'run_started').filter(({ worktree }) => worktree !== undefined).length;
        await kedge.write('new.txt', '-');
      }),
      { numRuns: TREES, seed: Number(process.env.KEDGE_SEED ?? 1) },
    );
    assert.ok(runs > 2 * TREES, `only ${runs} runs`);
    assert.ok(writers > TREES / 20, `only ${writers} runs that write`);
    assert.ok(elsewhere > TREES / 40, `only ${elsewhere} runs in worktrees`);
  });
});

function expectNarrowed(events: readonly AgentEvent[], requests: readonly ModelRequest[]): void {
  const started = new Map(eventsOf(events as AgentEvent[], 'run_started').map((event) => [event.runId, event]));
  const toolsOf = (task: string) => new Set(requests.find((request) => taskOf(request) === task)?.tools.map(({ name }) => name));
  const isBelow = (mode: Mode, other: Mode) => MODES.indexOf(mode) <= MODES.indexOf(other);
  for (const [runId, { mode, prompt, parent }] of started) {
    if (!parent) continue;
    const above = started.get(parentOf(runId));
    assert.ok(above && isBelow(mode, above.mode));
    assert.equal(parent.depth, runId.split('.').length - 1);
    assert.ok(parent.depth <= DEPTH);
    const isPlain = above.agent === undefined;
    for (const name of toolsOf(prompt)) assert.ok(toolsOf(above.prompt).has(name) || (isPlain && isOpenHere(name)), `${name} in ${runId}`);
  }
  const allowed = eventsOf(events as AgentEvent[], 'tool_started').filter(
    ({ runId, decision }) => runId.includes('.') && decision.kind === 'allow',
  );
  for (const { name, targets, effect, runId } of allowed) {
    const { mode, prompt } = started.get(runId) as EventOf<'run_started'>;
    assert.ok(mode === 'agent' || effect === 'readonly', name);
    assert.ok(targets.every(({ path, access }) => (mode === 'agent' || access === 'read') && path !== '.env'));
    assert.ok(toolsOf(prompt).has(name));
  }
}

/**
 * A run that writes in the user's folder runs alone: its siblings begin after it has ended. All its changes are also changes of the root. Nothing
 * that was changed in a worktree is, because nobody approves it here.
 */
function expectAlone(events: readonly AgentEvent[], root: SessionState): void {
  const open = new Map<string, boolean>();
  const worktrees = new Map<string, string>();
  for (const { runId, type, ...event } of events) {
    if (type === 'run_started') {
      const siblings = [...open].filter(([id]) => id.includes('.') && parentOf(id) === parentOf(runId));
      const { mode, worktree, applies, parent } = event as EventOf<'run_started'>;
      const isAlone = mode === 'agent' && !applies && worktree === worktrees.get(parent?.runId ?? '');
      if (parent) assert.ok(siblings.length === 0 || (!isAlone && siblings.every(([, other]) => !other)));
      open.set(runId, isAlone);
      if (worktree !== undefined) worktrees.set(runId, worktree);
    } else if (type === 'run_finished') open.delete(runId);
  }
  const staged = eventsOf(events as AgentEvent[], 'changes_staged').flatMap(({ callId, runId }) => (worktrees.has(runId) ? [] : [callId]));
  assert.deepEqual(
    root.staged.map(({ callId }) => callId),
    staged,
  );
  assert.ok(root.staged.every(({ runId }) => runId === root.lastRun?.runId));
}

function expectBudget(
  events: readonly AgentEvent[],
  { turns, callsPerRun, tokens }: SessionLimits | Record<string, number | undefined>,
): void {
  const count = (type: AgentEvent['type']) => events.filter((event) => event.type === type).length;
  if (turns !== undefined) assert.ok(count('turn_started') <= turns);
  if (callsPerRun !== undefined) assert.ok(count('tool_finished') <= callsPerRun, `${count('tool_finished')} calls of ${callsPerRun}`);
  const added = eventsOf(events as AgentEvent[], 'message_added');
  const answers = added.map(({ estimated = 0 }) => estimated);
  const sum = answers.reduce((total, each) => total + each, 0);
  // Each answer that was cut off had received one more piece.
  const pieces = added.filter(({ message }) => message.role === 'assistant' && message.stop === 'aborted').length;
  if (tokens !== undefined)
    assert.ok(sum <= tokens + Math.max(0, ...answers) + (pieces * PIECE) / 4, `${sum} tokens of ${tokens}: ${answers}`);
}
