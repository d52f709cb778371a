/** Sessions that contain every kind of event, recorded from real runs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelEvent } from '../../src/core/model/model.ts';
import type { PlanDraft } from '../../src/core/plan/plan.ts';
import type { Tool } from '../../src/core/run/tool.ts';
import type { AgentEvent, ApprovalAnswer } from '../../src/core/session/events.ts';
import { FIELDS } from '../../src/core/session/shapes/event-shape.ts';
import { call, hang, type ScriptedTurn, say, turn } from '../../src/providers/scripted/index.ts';
import { assistantOn, type Files, type Harness, type HarnessOptions, lastOf, nextEvent } from './harness.ts';

export type RecordedLog = {
  name: string;
  kedge: Harness;
  log: Buffer;
  sent: Sent;
};

/** `times` counts the executions of each call of the tool that must not be repeated. Calls hang until the recording `isOver`. */
export type Sent = { times: Map<string, number>; isOver: boolean };

const FILES: Files = { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': `one\ntwo\n${'…\n'.repeat(20)}nine\n` };
const done = turn(say('Done.'), { type: 'usage', usage: { input: 900, output: 100, cached: 10 } });
const edit = (path: string, to = 'new', from = 'old') => call('replace_in_file', { path, edits: [{ old_text: from, new_text: to }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const send = () => call('post__send', { text: 'once' });

const NAMES = ['edits', 'plan', 'questions', 'interrupted', 'waiting', 'fork', 'import'] as const;

export async function recordLogs(): Promise<RecordedLog[]> {
  const all: RecordedLog[] = [];
  for (const name of NAMES) {
    const sent: Sent = { times: new Map(), isOver: false };
    const kedge = await RECORDERS[name](name, sent);
    kedge.assistant.close();
    sent.isOver = true;
    all.push({ name, kedge, sent, log: await readFile(join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`)) });
  }
  const types = new Set(all.flatMap(({ kedge }) => kedge.session.events.map(({ type }) => type)));
  const missing = Object.keys(FIELDS).filter((type) => !types.has(type as AgentEvent['type']));
  assert.deepEqual(missing, [], 'These events are in no recording.');
  return all;
}

const RECORDERS: Record<(typeof NAMES)[number], (name: string, sent: Sent) => Promise<Harness>> = {
  /** Two runs whose edits are approved, revised and rejected, and then undone completely, undone in part, and restored. */
  async edits(name, sent) {
    const two = call('replace_in_file', {
      path: 'c.txt',
      edits: [
        { old_text: 'two\n', new_text: 'TWO\n' },
        { old_text: 'nine\n', new_text: 'NINE\n' },
      ],
    });
    const script = [
      turn(edit('a.txt'), two, call('create_file', { path: 'deep/er/new.txt', content: 'new\n' })),
      turn(call('move_file', { from: 'b.txt', to: 'moved/b.txt' }), call('delete_file', { path: 'deep/er/new.txt' }), send()),
      done,
      turn(edit('a.txt', 'newer', 'new'), call('read_file', { path: 'a.txt' }), call('no_such_tool', {})),
      turn(call('create_file', { path: 'full-disk.txt', content: '' })),
      done,
    ];
    const kedge = await recording(name, sent, script, {
      writer: (real) => ({
        commit: async (changes) => {
          if (changes.some(({ path }) => path === 'full-disk.txt')) throw new Error('ENOSPC: no space left on device, write');
          await real.commit(changes);
        },
      }),
    });
    answering(kedge, [
      { approve: true, grant: 'run', covers: 1 },
      { approve: true, revised: { 'c.txt': { without: [1] } } },
    ]);
    await kedge.session.prompt({ text: 'Change the files', mode: 'agent' });
    await kedge.session.prompt({ text: 'More', mode: 'agent', attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] });
    const [first = '', second = ''] = kedge.session.state.runs.keys();
    kedge.session.revokeGrants();
    await kedge.session.changes.undo(second);
    await kedge.session.changes.restore({ undoId: lastOf(kedge.events, 'changes_undone').undoId ?? '' });
    await kedge.session.changes.restore({ runId: first, callId: kedge.session.state.staged[0]?.callId ?? '' });
    await kedge.session.changes.restore({ undoId: lastOf(kedge.events, 'changes_restored').undoId });
    await kedge.session.changes.undo(first, { path: 'c.txt' });
    return kedge;
  },

  /** A plan with a step that fails its check and is rolled back, a step that is widened, and a step that is added by an edit. */
  async plan(name, sent) {
    const plan: PlanDraft = {
      goal: 'Make it new',
      steps: [
        { title: 'First', files: ['a.txt'], check: { search_empty: { pattern: 'old', glob: 'a.txt' } } },
        { title: 'Second', files: ['b.txt'], detail: 'With care' },
      ],
      assumptions: ['None'],
      checks: ['Look at it', { search_empty: { pattern: 'old', glob: 'b.txt' } }],
    };
    const script = [
      turn(call('propose_plan', plan)),
      turn(call('propose_plan', { ...plan, goal: 'Make it newer' })),
      turn(step(1, 'started'), edit('a.txt', 'old and new')),
      turn(step(1, 'done')),
      turn(step(2, 'started'), edit('b.txt'), edit('c.txt', 'TWO', 'two')),
      turn(step(2, 'done'), send()),
      done,
    ];
    const kedge = await recording(name, sent, script);
    answering(kedge, [{ approve: true, widen: true }]);
    replying(kedge, ['Skip', 'Roll back']);
    await kedge.session.prompt({ text: 'Plan it', mode: 'plan' });
    await kedge.session.plans.change(lastOf(kedge.events, 'plan_proposed').plan.id, 'Newer');
    const { id } = lastOf(kedge.events, 'plan_proposed').plan;
    await kedge.session.plans.answer(id, 'run');
    await kedge.session.plans.again(id);
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'discard');
    return kedge;
  },

  /** Questions of the model, messages that are added to the run, limits, pauses, and a failure. */
  async questions(name, sent) {
    const script = [
      turn(call('ask_user', { question: 'Which?', options: ['This', 'That'] }), { type: 'usage', usage: { input: 900, output: 100 } }),
      turn(call('read_file', { path: 'a.txt' }), send()),
      turn(call('read_file', { path: 'b.txt' })),
      turn(say('Half an an'), { type: 'stop', reason: 'max_tokens' }),
      done,
    ];
    const kedge = await recording(name, sent, script, {
      hooks: true,
      userFolder: { 'hooks.json': JSON.stringify({ hooks: [{ event: 'before_prompt', command: `printf '{"notify":"Seen."}'` }] }) },
      budgets: () => ({ day: {}, run: { tokens: 1_500 } }),
      limits: { callsPerRun: 2 },
      facts: () => ({ prices: { input: 10, output: 10 } }),
      memory: async () => ({ free: 1, total: 100 }),
    });
    const { session } = kedge;
    answering(kedge, [{ approve: true }]);
    const asked = nextEvent(session, 'question_asked');
    const ended = session.prompt({ text: 'Ask me', mode: 'agent' });
    const { questionId } = await asked;
    await session.say({ text: 'One more thing', mode: 'agent' });
    const [queued = ''] = session.state.queue.keys();
    session.queue.edit(queued, 'Another thing');
    await session.say({ text: 'Forget this', mode: 'agent' });
    session.queue.remove([...session.state.queue.keys()][1] ?? '');
    await session.answerQuestion(questionId, { option: 'That', words: 'of course' });
    await ended;
    for (let round = 0; round < 8 && session.state.lastRun?.status === 'paused'; round++) await session.resume({ raise: true });
    await session.prompt({ text: 'Beyond the script', mode: 'ask' });
    return kedge;
  },

  /** A run whose process is killed during its third call. */
  async interrupted(name, sent) {
    const calls = [edit('a.txt'), send(), call('post__hang', {}), edit('b.txt'), send()];
    const kedge = await recording(name, sent, [turn(...calls)]);
    answering(kedge, []);
    const begun = nextEvent(kedge.session, 'tool_progress');
    void kedge.session.prompt({ text: 'Go', mode: 'agent' });
    await begun;
    return kedge;
  },

  /** A run whose process is killed while it waits for an answer. */
  async waiting(name, sent) {
    const kedge = await recording(name, sent, [turn(send()), turn(edit('a.txt'), send()), hang()]);
    const asked = () => nextEvent(kedge.session, 'approval_requested');
    let next = asked();
    void kedge.session.prompt({ text: 'Go', mode: 'agent' });
    for (let round = 0; round < 2; round++) {
      const { approvalId } = await next;
      next = asked();
      void kedge.session.answerApproval(approvalId, { approve: true });
    }
    await next;
    return kedge;
  },

  /** A fork of a session, with a to-do list, a title, a rating and permissions, that is pinned, compacted and repaired. */
  async fork(name, sent) {
    const items = [{ text: 'Look', state: 'doing' }, { text: 'Send' }];
    const long = say('a line of the log of the ship\n'.repeat(300));
    const script = [turn(edit('a.txt')), done, turn(long, call('todo', { items }), send()), done, turn(say('Goal: make it new.')), done];
    const first = await recording(name, sent, script);
    answering(first, []);
    await first.session.prompt({ text: 'Change it', mode: 'agent' });
    const library = await first.assistant.library();
    const kedge = await copyOf(first, (await library.fork(first.session.id)).session);
    answering(kedge, []);
    await kedge.session.prompt({ text: 'And send it', mode: 'agent' });
    await kedge.session.compact('what was sent');
    await library.rename(kedge.session.id, 'A fork');
    await library.pin(kedge.session.id, true);
    kedge.session.note({ type: 'session_repaired' });
    kedge.session.note({ type: 'session_worktree_closed', worktree: '1f0c2d3e4a5b', outcome: 'dropped' });
    kedge.session.note({ type: 'session_titled', title: 'A sent change', usage: { input: 90, output: 10 } });
    kedge.session.note({ type: 'session_permission_set', about: { action: 'network' }, effect: 'ask' });
    kedge.session.note({ type: 'session_limit_set', limit: 'turns', amount: 50 });
    kedge.session.note({ type: 'session_grant_revoked', covers: { kind: 'edits' } });
    await library.rate(kedge.session.id, kedge.session.state.lastRun?.runId ?? '', 'up', 'Well done');
    await kedge.session.prompt({ text: 'Anything else?', mode: 'ask' });
    return kedge;
  },

  /** A session that was imported from the log of another one. */
  async import(name, sent) {
    const first = await recording(name, sent, [turn(edit('a.txt'), send()), done, turn(edit('b.txt')), done]);
    answering(first, []);
    await first.session.prompt({ text: 'Change it', mode: 'agent' });
    const library = await first.assistant.library();
    const log = await readFile(join(first.storage, 'sessions', `${first.session.id}.jsonl`));
    const kedge = await copyOf(first, (await library.importLog(log)).session);
    answering(kedge, []);
    await kedge.session.prompt({ text: 'Change more', mode: 'agent' });
    return kedge;
  },
};

/** Deletes the session that was copied. @returns the same assistant with the copy */
async function copyOf(first: Harness, { id }: Harness['session']): Promise<Harness> {
  const library = await first.assistant.library();
  library.remove(first.session.id);
  return first.show(id);
}

async function recording(name: string, sent: Sent, script: readonly ScriptedTurn[], options: HarnessOptions = {}): Promise<Harness> {
  const mcp = { toolsFor: async () => [post('post__send', sent), post('post__hang', sent)], close: async () => undefined };
  return assistantOn(FILES, script.map(withIdsOf(name)), { ...options, mcp });
}

/** Makes the call ids of each recording unique. */
function withIdsOf(name: string): (entry: ScriptedTurn) => ScriptedTurn {
  const renamed = (event: ModelEvent): ModelEvent =>
    event.type === 'part' && event.part.type === 'tool_call'
      ? { ...event, part: { ...event.part, id: event.part.id.replace('call', name) } }
      : event;
  return (entry) =>
    async function* (request, signal) {
      for await (const event of typeof entry === 'function' ? entry(request, signal) : entry) yield renamed(event);
    };
}

/** Creates a tool whose calls cannot be undone. */
function post(name: string, sent: Sent): Tool {
  return {
    name,
    description: 'Sends something.',
    inputSchema: { type: 'object' },
    effect: 'external',
    source: 'mcp:post',
    prepare: async () => ({
      title: 'Send',
      targets: [],
      async execute({ callId, signal, progress }) {
        sent.times.set(callId, (sent.times.get(callId) ?? 0) + 1);
        if (name === 'post__hang' && !sent.isOver) {
          progress('Sending');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        }
        return { content: 'Sent.', note: 'sent' };
      },
    }),
  };
}

/** Answers approvals in order with these answers, and then approves all others. */
function answering({ session }: Harness, answers: ApprovalAnswer[]): void {
  session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, answers.shift() ?? { approve: true });
  });
}

function replying({ session }: Harness, answers: string[]): void {
  session.subscribe((event) => {
    if (event.type === 'question_asked') void session.answerQuestion(event.questionId, { option: answers.shift() ?? 'Retry' });
  });
}
