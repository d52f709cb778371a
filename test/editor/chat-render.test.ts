import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { user } from '../../src/core/model/messages.ts';
import type { ChangeSummary } from '../../src/core/session/effects.ts';
import type { EventBody, RunError } from '../../src/core/session/events.ts';
import type { RuleId } from '../../src/core/session/rule-ids.ts';
import { answer, lastMetadata } from '../../src/hosts/vscode/chat/chat.ts';
import { ChatRenderer } from '../../src/hosts/vscode/chat/chat-render.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { until } from '../support/until.ts';

const kedgeIn = async () => (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;

/** Records the output for the native Chat as lines. A button is recorded as `[title] command`. */
function streamInto(lines: string[]): vscode.ChatResponseStream {
  const stream = {
    markdown: (text: string | vscode.MarkdownString) => lines.push(typeof text === 'string' ? text : text.value),
    progress: (text: string) => lines.push(text),
    button: ({ title, command }: vscode.Command) => lines.push(`[${title}] ${command}`),
  };
  return stream as unknown as vscode.ChatResponseStream;
}

/** Shows the links in a row like buttons, without their arguments. */
const withLinks = (line: string) => (line.includes('](command:') ? line.trim().replace(/\]\(command:([\w.]+)\?[^)]*\)/g, '] $1') : line);

async function tellerOf(kedge: Kedge) {
  const session = await kedge.assistant.newSession();
  return (...events: EventBody[]): string[] => {
    const lines: string[] = [];
    const renderer = new ChatRenderer(kedge, session, streamInto(lines));
    for (const body of events) {
      const event = { ...body, runId: 'run', seq: 1, at: 0 };
      renderer.event(event);
      if (event.type === 'run_finished') renderer.ended(event);
    }
    return lines;
  };
}

/** The model that is selected in VS Code. */
const OFFLINE = { vendor: 'kedge', id: 'offline/offline' };

describe('a failure in the native Chat', () => {
  let told: Awaited<ReturnType<typeof tellerOf>>;
  before(async () => {
    told = await tellerOf(await kedgeIn());
  });

  const failed = (kind: RunError['kind']) =>
    told({ type: 'run_finished', outcome: 'failed', error: { kind, message: 'It failed.' }, usage: {}, durationMs: 1 });

  it('that is temporary is followed by a wait, which is shown with a button', () => {
    assert.deepEqual(told({ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 12_000 }), [
      'Rate limited. Trying again in 12 s (2 of 5)',
      '[Try now] kedge.retryNow',
    ]);
  });

  for (const [kind, button] of [
    ['auth', '[Connect a model] kedge.connectModel'],
    ['unknown_model', '[Choose a model] kedge.pickModel'],
    ['no_credit', '[Choose another model] kedge.pickModel'],
    ['context_overflow', '[Start a new session] workbench.action.chat.newChat'],
    ['network', '[Check the connection] kedge.connectModel'],
  ] as const) {
    it(`of the kind ${kind} has a button with a remedy, whose commands exist`, async () => {
      const lines = failed(kind);
      assert.deepEqual(lines, [button, '[Try again] kedge.chat.continue']);
      const known = await vscode.commands.getCommands(true);
      for (const line of lines) assert.ok(known.includes(line.split('] ')[1] ?? ''), line);
    });
  }
});

describe('an approval in the native Chat', () => {
  let kedge: Kedge;
  let tell: Awaited<ReturnType<typeof tellerOf>>;
  before(async () => {
    kedge = await kedgeIn();
    tell = await tellerOf(kedge);
  });
  const change = (path: string, more: Partial<ChangeSummary> = {}): ChangeSummary => ({
    path,
    kind: 'edit',
    added: 0,
    removed: 0,
    diff: '',
    ...more,
  });
  const asked = (rule: RuleId, changes: ChangeSummary[], title = 'Edit') =>
    tell({
      type: 'approval_requested',
      approvalId: 'a',
      callId: 'c',
      title,
      rule,
      reason: 'This edit changes 1 file.',
      changes,
      ...(rule === 'edit' && { covers: [{ kind: 'edits' as const }], similar: 2 }),
    });

  it('lists every change, with or without a diff, and opens each', () => {
    const lines = asked('edit', [
      change('b.ts', { kind: 'move', from: 'a.ts' }),
      change('new/', { kind: 'create' }),
      change('c.ts', { added: 1, diff: '+x' }),
    ]);
    assert.deepEqual(lines.map(withLinks), [
      '**Edit?** This edit changes 1 file\\.\n\n',
      '`move` a\\.ts → b\\.ts\n\n',
      '`create` new\\/\n\n',
      '`edit` c\\.ts +1 −0\n\n',
      '```diff\n+x\n```\n\n',
      '[Open diff of b\\.ts] kedge.openDiff · [Open diff of new\\/] kedge.openDiff · [Open diff of c\\.ts] kedge.openDiff · [Choose hunks in the panel] kedge.showInPanel',
      '[Reject] kedge.answerApproval · [Approve all 3 like this] kedge.answerApproval · [Approve edits in this workspace for this run] kedge.answerApproval',
      '[Approve] kedge.answerApproval',
    ]);
  });

  it('of many files opens all of them together', async () => {
    const lines = asked(
      'edit',
      [1, 2, 3, 4, 5, 6].map((number) => change(`${number}`)),
    );
    assert.ok(lines.some((line) => withLinks(line).startsWith('[Open all 6 diffs] kedge.openDiffs · ')));
    assert.ok((await vscode.commands.getCommands(true)).includes('kedge.openDiffs'));
  });

  it('of a call that is not an edit can only be given once', () => {
    assert.equal(
      asked('deletes', [change('a.ts')])
        .join()
        .includes('this run'),
      false,
    );
  });

  it('shows the text of a model as plain text', () => {
    const [line] = asked('edit', [], 'Edit [x](command:y) **b**\n# c');
    assert.equal(line, '**Edit \\[x\\]\\(command\\:y\\) \\*\\*b\\*\\* \\# c?** This edit changes 1 file\\.\n\n');
  });
});

describe('a thread of the native Chat that a reload interrupted', () => {
  let kedge: Kedge;
  before(async () => {
    kedge = await kedgeIn();
  });
  const request = (prompt: string) => turn(vscode.ChatRequestTurn, { prompt, participant: 'kedge.agent' });
  const response = (metadata?: object) => turn(vscode.ChatResponseTurn, { result: { metadata }, participant: 'kedge.agent' });
  function turn(kind: { prototype: object }, fields: object) {
    const descriptors = Object.entries(fields).map(([name, value]) => [name, { value }]);
    return Object.create(kind.prototype, Object.fromEntries(descriptors)) as vscode.ChatRequestTurn & vscode.ChatResponseTurn;
  }

  it('finds its own session again', async () => {
    const [one, two] = [await kedge.assistant.newSession(), await kedge.assistant.newSession()];
    await one.prompt({ text: 'first', mode: 'ask', model: { provider: 'offline', model: 'offline' } });
    await two.prompt({ text: 'second', mode: 'plan', model: { provider: 'offline', model: 'offline' } });
    await kedge.context.workspaceState.update('kedge.liveChats', [one.id, two.id]);
    try {
      assert.deepEqual(await lastMetadata(kedge, { history: [request('first'), response()] }), { sessionId: one.id, mode: 'ask' });
      assert.deepEqual(await lastMetadata(kedge, { history: [request('second'), response()] }), { sessionId: two.id, mode: 'plan' });
      assert.equal(await lastMetadata(kedge, { history: [request('third'), response()] }), undefined);
      const history = [request('a'), response({ sessionId: two.id, mode: 'ask' }), request('first'), response()];
      assert.deepEqual(await lastMetadata(kedge, { history }), { sessionId: two.id, mode: 'plan' });
    } finally {
      await kedge.context.workspaceState.update('kedge.liveChats', undefined);
    }
  });

  it('shows the same question again, also when the run is to be continued', async () => {
    const id = 'asked-before';
    const log = new SessionStore(join(kedge.storage, 'sessions')).log(id);
    const model = { provider: 'offline', model: 'offline' };
    const limits = { turns: 9, callsPerTurn: 9, callsPerRun: 9, minutes: 9 };
    const edit = { type: 'tool_call', id: 'c', name: 'create_file', input: {} } as const;
    const events: EventBody[] = [
      { type: 'run_started', mode: 'agent', prompt: 'go', model, limits },
      { type: 'message_added', message: user('go') },
      { type: 'turn_started', turn: 1 },
      { type: 'message_added', message: { role: 'assistant', content: [edit], from: model, stop: 'tool_use' } },
      {
        type: 'approval_requested',
        approvalId: 'a',
        callId: 'c',
        title: 'Edit',
        rule: 'edit',
        reason: 'This edit changes 1 file.',
        changes: [],
      },
    ];
    for (const [index, body] of events.entries()) log.append({ ...body, runId: 'run', seq: index + 1, at: 1 });
    log.close();
    const lines: string[] = [];
    const stopping = new vscode.CancellationTokenSource();
    const asking = { command: 'continue', prompt: '', references: [], model: OFFLINE } as unknown as vscode.ChatRequest;
    const context = { history: [request('go'), response({ sessionId: id, mode: 'agent' })] };
    const answered = answer(kedge, asking, context, streamInto(lines), stopping.token);
    await until('the question', async () => lines.includes('[Approve] kedge.answerApproval'));
    stopping.cancel();
    await answered;
    assert.equal((await kedge.assistant.session(id))?.state.lastRun?.outcome, 'stopped');
  });
});

describe('the last session', () => {
  it('is replaced by a new session if it cannot be read', async () => {
    const { context } = await kedgeIn();
    const kept = new Map<string, unknown>([['kedge.session', '../elsewhere']]);
    const workspaceState = {
      get: (key: string, otherwise?: unknown) => kept.get(key) ?? otherwise,
      update: async (key: string, value: unknown) => void kept.set(key, value),
    };
    const kedge = new Kedge(Object.create(context, { workspaceState: { value: workspaceState } }));
    try {
      assert.equal((await kedge.sessions.current()).id, kept.get('kedge.session'));
      assert.notEqual(kept.get('kedge.session'), '../elsewhere');
    } finally {
      kedge.dispose();
    }
  });
});
