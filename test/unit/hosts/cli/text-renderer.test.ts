import assert from 'node:assert/strict';
import { type AssistantMessage, user } from '../../../../src/core/model/messages.ts';
import type { EventBody } from '../../../../src/core/session/events.ts';
import { diffText } from '../../../../src/hosts/cli/output/diff-text.ts';
import { ProgressLine } from '../../../../src/hosts/cli/output/progress-line.ts';
import { harmless, paintFor } from '../../../../src/hosts/cli/output/terminal.ts';
import { TextRenderer } from '../../../../src/hosts/cli/output/text-renderer.ts';

function rendered(isTTY: boolean, events: EventBody[]): { out: string; err: string } {
  const text = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    isTTY,
    write: (more: string) => {
      text[name] += more;
    },
  });
  const renderer = new TextRenderer(output('out'), output('err'));
  for (const event of events) renderer.handle({ ...event, runId: 'r', seq: 1, at: 0 });
  return text;
}

const says = (text: string, ...calls: AssistantMessage['content']): EventBody[] => [
  ...(text.match(/\S+\s*/g) ?? []).map((word): EventBody => ({ type: 'text_delta', text: word })),
  {
    type: 'message_added',
    message: { role: 'assistant', content: [{ type: 'text', text }, ...calls], from: { provider: 'p', model: 'm' }, stop: 'end_turn' },
  },
];
const call = { type: 'tool_call' as const, id: 'c', name: 'read_file', input: {} };
const finished: EventBody = {
  type: 'tool_finished',
  callId: 'c',
  result: { type: 'tool_result', callId: 'c', name: 'read_file', content: [{ type: 'text', text: 'no such\nfile' }], isError: true },
  durationMs: 12.4,
};

describe('the text of the terminal program', () => {
  let before: string | undefined;
  beforeEach(() => {
    before = process.env.NO_COLOR;
    delete process.env.NO_COLOR;
  });
  afterEach(() => {
    if (before !== undefined) process.env.NO_COLOR = before;
  });

  it('is on stdout only the answer', () => {
    const { out, err } = rendered(false, [...says('Let me look.', call), finished, ...says('It is **here**.\n')]);
    assert.equal(out, 'It is **here**.\n');
    assert.equal(err, 'Let me look.\n✗ read_file: no such file  12 ms\n');
  });

  it('names what comes next when the user holds a run', () => {
    const paused: EventBody = { type: 'run_paused', reason: 'user', summary: '' };
    const edit = { ...call, id: 'd', name: 'replace_in_file', input: { path: 'a.ts' } };
    assert.match(rendered(false, [...says('', call, edit), finished, paused]).err, /\nPaused\.\nNext: Edit a\.ts\.\n/);
    assert.match(rendered(false, [...says('', call), finished, paused]).err, /\nNext: the model’s next turn\.\n/);
  });

  it('dims reasoning on a terminal, and streams a long answer', () => {
    const long = 'word '.repeat(100).trim();
    const thought = rendered(true, says('Let me look.', call));
    assert.equal(thought.out, '');
    assert.equal(thought.err, '\u001b[2mLet me look.\u001b[22m\n');
    const deltas = says(long).slice(0, -1);
    assert.match(rendered(true, deltas).out, /^(word ){90,}word$/);
    assert.equal(rendered(false, deltas).out, '');
    assert.equal(rendered(true, says(long)).out, `${long}\n`);
  });

  it('replaces links to editor commands by a hint for the terminal, also while streaming', () => {
    const link = 'Otherwise: [Connect a model](command:kedge.connectModel)';
    assert.match(rendered(false, says(link)).out, /^Otherwise: choose a model with --model, .*OPENAI_API_KEY.*\n$/);
    const long = `${'word '.repeat(100)}[Connect a model](command:kedge.connectModel) [a](b) and [so`;
    const { out } = rendered(true, says(long));
    assert.match(out, /word choose a model with --model, .* \[a\]\(b\) and \[so\n$/);
    assert.ok(!out.includes('command:'));
  });

  it('has no colors if they are turned off', () => {
    assert.equal(paintFor({ write: () => true, isTTY: false }, {}).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, { NO_COLOR: '1' }).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, { TERM: 'dumb' }).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, {}).red('x'), '\u001b[31mx\u001b[39m');
  });

  it('lists the changes, and how to undo them', () => {
    const change = { path: 'a.ts', kind: 'edit' as const, added: 2, removed: 1, diff: '' };
    const { err } = rendered(false, [
      { type: 'file_changed', callId: 'c', changes: [change] },
      { type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 },
    ]);
    assert.equal(err, 'Changed 1 file: a.ts +2 −1. To undo: kedge undo\n');
  });

  it('cannot control the terminal or change the reading direction', () => {
    assert.equal(harmless('a\u001b[2Jb\u009b1mc\r\nd\te\u202ef\rg'), 'a⟨U+001B⟩[2Jb⟨U+009B⟩1mc\nd\te⟨U+202E⟩f⟨U+000D⟩g');
    const { out } = rendered(true, says('\u001b]0;title\u0007 hello'));
    assert.equal(out, '⟨U+001B⟩]0;title⟨U+0007⟩ hello\n');
    const diff = diffText(
      [{ path: 'x\u001b[8m', kind: 'edit', added: 1, removed: 0, diff: '@@ -1 +1 @@\n+evil\u001b[1A\u001b[2K\n ok' }],
      paintFor({ write: () => true }, {}),
    );
    assert.equal(diff, 'edit x⟨U+001B⟩[8m  +1 −0\n@@ -1 +1 @@\n+evil⟨U+001B⟩[1A⟨U+001B⟩[2K\n ok');
  });

  it('counts a wait down in one line of the terminal, which is never wider than the terminal', async () => {
    const { TERM } = process.env;
    process.env.TERM = 'xterm';
    let err = '';
    let look = () => {};
    const write = (more: string) => {
      err += more;
      look();
    };
    const renderer = new TextRenderer({ write, isTTY: true }, { write, isTTY: true, columns: 60 }, true);
    process.env.TERM = TERM;
    if (TERM === undefined) delete process.env.TERM;
    const handle = (event: EventBody) => renderer.handle({ ...event, runId: 'r', seq: 1, at: 0 });
    handle({ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 1_500 });
    assert.equal(err, '\r\u001b[KRate limited. Trying again in 2 s (2 of 5). Enter to try n…');
    await new Promise<void>((resolve) => {
      look = () => err.includes('in 1 s') && resolve();
    });
    err = '';
    handle({ type: 'message_queued', id: 'm', message: user('Be quick.') });
    assert.match(err, /^\r\u001b\[K.*Your message is sent with the model’s next turn\..*\n$/);
    err = '';
    renderer.skipWait();
    assert.equal(err, 'Trying again now.\n');
    renderer.skipWait();
    handle({ type: 'text_delta', text: 'Here.' });
    assert.equal(err, 'Trying again now.\n');
  });

  const edited = (path: string, added: number): EventBody => ({
    type: 'file_changed',
    callId: 'c',
    changes: [{ path, kind: 'edit', added, removed: 0, diff: '' }],
  });
  const begins = (step: number): EventBody => ({ type: 'plan_step', planId: 'p', step, status: 'started' });
  const ended: EventBody = { type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 };

  it('does not count changes that a step rolled back', () => {
    const results = [
      { path: 'a.ts', outcome: 'restored' as const },
      { path: 'b.ts', outcome: 'restored' as const },
      { path: 'c.ts', outcome: 'refused' as const },
    ];
    const { err } = rendered(false, [
      begins(1),
      edited('a.ts', 1),
      begins(2),
      edited('a.ts', 2),
      edited('b.ts', 4),
      edited('c.ts', 8),
      { type: 'step_rolled_back', planId: 'p', step: 2, undoId: 'u', results },
      ended,
    ]);
    assert.match(err, /Changed 2 files: a\.ts \+1 −0, c\.ts \+8 −0\. To undo: kedge undo\n/);
    const rolledBack = { type: 'step_rolled_back', planId: 'p', step: 1, undoId: 'u', results: results.slice(0, 1) } as const;
    assert.doesNotMatch(rendered(false, [begins(1), edited('a.ts', 1), rolledBack, ended]).err, /Changed/);
  });

  it('shows the last lines of a running command on a terminal, replaces them each time, and removes them at the end', () => {
    const progress = (text: string): EventBody => ({ type: 'tool_progress', callId: 'c', text });
    const before = process.env.TERM;
    process.env.TERM = 'xterm';
    process.env.NO_COLOR = '1';
    const long = `${'x'.repeat(200)}\u001b[2J`;
    const { err } = rendered(true, [progress('1\n\n2'), progress(`1\n2\n3\n4\n5\n${long}`), finished]);
    const piped = rendered(false, [progress('1\n2'), finished]);
    if (before === undefined) delete process.env.TERM;
    else process.env.TERM = before;
    const [first, second, end] = err.split(/\u001b\[\dA\r\u001b\[J/);
    assert.equal(first, '  1\n  2\n');
    assert.equal(second, `  2\n  3\n  4\n  5\n  ${'x'.repeat(76)}…\n`);
    assert.equal(end, '✗ read_file: no such file  12 ms\n');
    assert.match(err, /\u001b\[2A.*\u001b\[5A/s);
    assert.equal(piped.err, end);
  });

  it('writes long times in seconds and minutes', () => {
    const times = [9_900, 12_340, 125_000].map((durationMs) => rendered(false, [{ ...finished, durationMs }]).err.split('  ')[1]);
    assert.deepEqual(times, ['9900 ms\n', '12.3 s\n', '2 min 5 s\n']);
  });
});

describe('the progress line', () => {
  function terminal() {
    const shown = Promise.withResolvers<string>();
    const texts: string[] = [];
    const write = (text: string) => {
      texts.push(text);
      shown.resolve(text);
    };
    return { output: { write, isTTY: true, columns: 20 }, texts, shown: shown.promise };
  }

  it('is one line that disappears again', async () => {
    const { output, texts, shown } = terminal();
    const waiting = new ProgressLine(output, 0);
    waiting.begin('Waiting for the model that thinks');
    assert.match(await shown, /Waiting for the m… /);
    assert.equal(waiting.end(), true);
    assert.equal(texts.at(-1), '\r\u001b[K');
    assert.equal(waiting.end(), false);
  });

  it('is not shown if other output came first', () => {
    const { output, texts } = terminal();
    const waiting = new ProgressLine(output);
    waiting.begin('Waiting');
    assert.equal(waiting.end(), false);
    assert.deepEqual(texts, []);
  });
});
