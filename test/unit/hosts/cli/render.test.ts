import assert from 'node:assert/strict';
import type { EventBody } from '../../../../src/core/events.ts';
import type { AssistantMessage } from '../../../../src/core/messages.ts';
import { TextRenderer } from '../../../../src/hosts/cli/render.ts';
import { diffText, harmless, paintFor } from '../../../../src/hosts/cli/terminal.ts';

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

describe('the text that the terminal program writes', () => {
  let before: string | undefined;
  beforeEach(() => {
    before = process.env.NO_COLOR;
    delete process.env.NO_COLOR;
  });
  afterEach(() => {
    if (before !== undefined) process.env.NO_COLOR = before;
  });

  it('is on stdout the answer and nothing else', () => {
    const { out, err } = rendered(false, [...says('Let me look.', call), finished, ...says('It is **here**.\n')]);
    assert.equal(out, 'It is **here**.\n');
    assert.equal(err, 'Let me look.\n✗ read_file: no such file  12 ms\n');
  });

  it('dims thoughts on a terminal, and streams a long answer', () => {
    const long = 'word '.repeat(100).trim();
    const thought = rendered(true, says('Let me look.', call));
    assert.equal(thought.out, '');
    assert.equal(thought.err, '\u001b[2mLet me look.\u001b[22m\n');
    const deltas = says(long).slice(0, -1);
    assert.match(rendered(true, deltas).out, /^(word ){90,}word$/);
    assert.equal(rendered(false, deltas).out, '');
    assert.equal(rendered(true, says(long)).out, `${long}\n`);
  });

  it('says instead of a link to an editor what to do here, also while it streams', () => {
    const link = 'Otherwise: [Connect a model](command:kedge.connectModel)';
    assert.match(rendered(false, says(link)).out, /^Otherwise: name a model with --model, .*OPENAI_API_KEY.*\n$/);
    const long = `${'word '.repeat(100)}[Connect a model](command:kedge.connectModel) [a](b) and [so`;
    const { out } = rendered(true, says(long));
    assert.match(out, /word name a model with --model, .* \[a\]\(b\) and \[so\n$/);
    assert.ok(!out.includes('command:'));
  });

  it('has no colours where none are wanted', () => {
    assert.equal(paintFor({ write: () => true, isTTY: false }, {}).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, { NO_COLOR: '1' }).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, { TERM: 'dumb' }).red('x'), 'x');
    assert.equal(paintFor({ write: () => true, isTTY: true }, {}).red('x'), '\u001b[31mx\u001b[39m');
  });

  it('says what changed, and how to take it back', () => {
    const change = { path: 'a.ts', kind: 'edit' as const, added: 2, removed: 1, diff: '' };
    const { err } = rendered(false, [
      { type: 'file_changed', callId: 'c', changes: [change] },
      { type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 },
    ]);
    assert.equal(err, 'Changed 1 file: a.ts +2 −1. Take it back: kedge undo\n');
  });

  it('lets nothing steer the terminal or turn the reading order', () => {
    assert.equal(harmless('a\u001b[2Jb\u009b1mc\r\nd\te\u202ef\rg'), 'a<001b>[2Jb<009b>1mc\nd\te<202e>f<000d>g');
    const { out } = rendered(true, says('\u001b]0;title\u0007 hello'));
    assert.equal(out, '<001b>]0;title<0007> hello\n');
    const diff = diffText(
      [{ path: 'x\u001b[8m', kind: 'edit', added: 1, removed: 0, diff: '@@ -1 +1 @@\n+evil\u001b[1A\u001b[2K\n ok' }],
      paintFor({ write: () => true }, {}),
    );
    assert.equal(diff, 'edit x<001b>[8m  +1 −0\n@@ -1 +1 @@\n+evil<001b>[1A<001b>[2K\n ok');
  });
});
