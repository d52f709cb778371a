import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import type { AgentEvent, EventBody } from '../../../../../src/core/session/events.ts';
import type { Controls } from '../../../../../src/hosts/cli/chat/front.ts';
import { Terminal } from '../../../../../src/hosts/cli/chat/terminal.ts';
import { promptForAnswer, promptForApproval } from '../../../../../src/hosts/cli/questions.ts';

/** The sequences that the screen itself writes: they move the cursor, clear below it, and mark pastes. */
const OWN =
  /^(?:\u001b\[\d+A)?\r|\u001b\[K(?=\n)|\u001b\[J(?=(?:\u001b\[\d+A)?\r|$)|(?:\u001b\[\d+A)?\r(?:\u001b\[\d+C)?$|^\u001b\[2J\u001b\[H$|^\u001b\[\?2004[hl]$/g;
const STYLES = /\u001b\[(?:1|2|3|22|23|31|32|36|39)m/g;
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Sequences that control terminals, in pieces that can be combined with each other and with any byte. */
const attack = fc.constantFrom(
  '\u001b]0;title\u0007',
  '\u001b]8;;https://evil.example\u001b\\label\u001b]8;;\u001b\\',
  '\u001b[2J',
  '\u001b[Kx',
  '\u001b[?1049h',
  '\u009b31m',
  '\u001b[31m',
  '\u001bc',
  'safe\rhidden',
  '\u202etxt.exe',
  '\u0008\u0008\u0008',
  '\u001bP1$r\u001b\\',
  '\u2066x\u2069',
  '```\n\u001b[2K',
  '[a](\u001b[1A)',
  '| \u001b[A |\n|---|\n',
);
const byte = fc.nat(255).map((code) => String.fromCharCode(code));
const anything = fc.array(fc.oneof(byte, attack, fc.string()), { maxLength: 30 }).map((parts) => parts.join(''));

type Fake = { written: string[]; terminal: Terminal; stdin: PassThrough; stderr: PassThrough };

/** Makes a terminal whose output is recorded. */
function fakeTerminal(columns: number, hasColor: boolean): Fake {
  const written: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const write = (text: string) => {
    written.push(text);
    return true;
  };
  const stdout = Object.assign(new PassThrough(), { write, columns, rows: 24, isTTY: hasColor });
  const stderr = Object.assign(new PassThrough(), { write });
  const streams = { stdin, stdout, stderr } as unknown as ConstructorParameters<typeof Terminal>[2];
  return { written, stdin, stderr, terminal: new Terminal([], () => undefined, streams) };
}

/** The events of a run whose every text is `text`, which the model sends in two pieces. */
function eventsWith(text: string, cut: number): AgentEvent[] {
  const change = {
    path: text,
    kind: 'edit' as const,
    added: 1,
    removed: 1,
    diff: `@@ -1 +1 @@\n-${text}\n+${text}`,
    before: '',
    after: '',
  };
  const model = { provider: 'offline', model: text };
  const result = { type: 'tool_result', callId: 'c', name: text, content: [{ type: 'text', text }], isError: true };
  const plan = { id: 'p', revision: 1, goal: text, steps: [{ title: text, files: [text], detail: text, check: { command: text } }] };
  const bodies = [
    { type: 'run_started', mode: 'agent', prompt: text, model, limits: {} },
    { type: 'turn_started', turn: 1 },
    { type: 'reasoning_delta', text },
    { type: 'text_delta', text: text.slice(0, cut) },
    { type: 'text_delta', text: text.slice(cut) },
    { type: 'message_added', message: { role: 'assistant', content: [{ type: 'text', text }] } },
    {
      type: 'tool_started',
      callId: 'c',
      name: text,
      title: text,
      effect: 'write',
      targets: [],
      decision: { verdict: 'allow', rule: 'edit', reason: text },
    },
    { type: 'tool_progress', callId: 'c', text },
    { type: 'file_changed', callId: 'c', changes: [change] },
    { type: 'tool_finished', callId: 'c', result, durationMs: 1 },
    { type: 'todo_changed', items: [{ text, state: 'open' }] },
    { type: 'model_waiting', reason: text, attempt: 1, waitMs: 1000, kind: 'rate_limit' },
    { type: 'plan_proposed', plan },
    { type: 'run_paused', reason: 'user', summary: text },
    { type: 'run_finished', outcome: 'failed', error: { kind: 'internal', message: text }, usage: {}, durationMs: 1 },
  ] as unknown as EventBody[];
  return bodies.map((body, index) => ({ ...body, runId: 'r', seq: index + 1, at: 0 }) as AgentEvent);
}

function controlsWith(text: string): Controls {
  return {
    isRunning: true,
    queued: [text],
    facts: ['ask', text],
    submit: async () => undefined,
    interrupt: () => false,
    pauseOrContinue: () => undefined,
    nextMode: () => undefined,
    retryNow: () => false,
    complete: async () => ({
      from: 0,
      items: [
        { insert: text, label: text, detail: text },
        { insert: 'b', label: 'b' },
      ],
    }),
  };
}

/** Shows a text in every place of the terminal where foreign text can appear, and returns what was written. */
async function writtenFor(text: string, cut: number, columns: number, hasColor: boolean): Promise<string[]> {
  const { terminal, written, stdin, stderr } = fakeTerminal(columns, hasColor);
  const left = terminal.converse(controlsWith(text));
  const redraw = async () => {
    stdin.write('\u000c');
    await new Promise((resolve) => setImmediate(resolve));
  };
  const shown = terminal.show(undefined, () => true);
  for (const event of eventsWith(text, cut)) {
    shown.handle(event);
    if (event.type === 'text_delta' || event.type === 'tool_progress') await redraw();
  }
  terminal.say(text);
  terminal.markdown(text);
  terminal.echo(text);
  terminal.draft(text);
  stderr.write(text);
  const stop = new AbortController();
  const asked = { type: 'question_asked', questionId: 'q', callId: 'c', runId: 'r', seq: 1, at: 0 } as const;
  const question = { id: 'q', text, reason: text, options: [{ label: text, detail: text }] };
  void promptForAnswer({ ...asked, question }, terminal.prompter, stop.signal);
  const request = {
    type: 'approval_requested',
    approvalId: 'a',
    callId: 'c',
    runId: 'r',
    seq: 1,
    at: 0,
    title: text,
    rule: 'edit',
    reason: text,
  } as const;
  const covers = [{ kind: 'path' as const, tool: text, glob: text }];
  const changes = [{ path: text, kind: 'edit' as const, added: 1, removed: 0, diff: `+${text}`, before: '', after: '' }];
  const options = { interactive: true, yes: false, prompter: terminal.prompter };
  void promptForApproval({ ...request, changes, covers, input: { text } } as never, 'edit', options, stop.signal);
  stdin.write(`\u001b[200~${text.replaceAll('\u001b', '\\e')}\u001b[201~\t`);
  await redraw();
  stop.abort();
  terminal.leave();
  await left;
  return written;
}

describe('what a conversation writes to the terminal', () => {
  it('contains no control character of any text, in whatever pieces the text arrives', async () => {
    await fc.assert(
      fc.asyncProperty(anything, fc.nat(40), fc.constantFrom(40, 80, 200), fc.boolean(), async (text, cut, columns, hasColor) => {
        for (const each of await writtenFor(text, cut, columns, hasColor)) {
          const foreign = hasColor ? each.replace(OWN, '').replace(STYLES, '') : each.replace(OWN, '');
          assert.equal(CONTROL.exec(foreign)?.[0], undefined, JSON.stringify(each));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('contains none for each single byte', async () => {
    for (let code = 0; code < 256; code += 1) {
      const text = `a${String.fromCharCode(code)}b`;
      for (const each of await writtenFor(text, 1, 80, false))
        assert.equal(CONTROL.exec(each.replace(OWN, ''))?.[0], undefined, JSON.stringify(each));
    }
  });
});
