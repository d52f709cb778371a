import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { EventBody, RunError } from '../../src/core/events.ts';
import { ChatRenderer } from '../../src/hosts/vscode/chat-render.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';

/** What the native Chat is told, as lines; a button as `[title] command`. */
describe('a failure in the native Chat', () => {
  let kedge: Kedge;
  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
  });

  function told(...events: EventBody[]): string[] {
    const lines: string[] = [];
    const stream = {
      markdown: (text: string | vscode.MarkdownString) => lines.push(typeof text === 'string' ? text : text.value),
      progress: (text: string) => lines.push(text),
      button: ({ title, command }: vscode.Command) => lines.push(`[${title}] ${command}`),
    };
    const renderer = new ChatRenderer(kedge, kedge.assistant.newSession(), stream as unknown as vscode.ChatResponseStream);
    for (const body of events) {
      const event = { ...body, runId: 'run', seq: 1, at: 0 };
      renderer.event(event);
      if (event.type === 'run_finished') renderer.ended(event);
    }
    return lines;
  }
  const failed = (kind: RunError['kind']) =>
    told({ type: 'run_finished', outcome: 'failed', error: { kind, message: 'It failed.' }, usage: {}, durationMs: 1 });

  it('that passes is waited for, in words and with a button', () => {
    assert.deepEqual(told({ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 12_000 }), [
      'Rate limited. Trying again in 12 s (2 of 5)',
      '[Try now] kedge.retryNow',
    ]);
  });

  for (const [kind, button] of [
    ['auth', '[Connect a model] kedge.connectModel'],
    ['unknown_model', '[Choose a model] kedge.pickModel'],
    ['no_credit', '[Choose another model] kedge.pickModel'],
    ['context_overflow', '[New session] workbench.action.chat.newChat'],
    ['network', '[Check the connection] kedge.connectModel'],
  ] as const) {
    it(`of the kind ${kind} has a button that helps, and commands behind it`, async () => {
      const lines = failed(kind);
      assert.deepEqual(lines, [button, '[Try again] kedge.chat.continue']);
      const known = await vscode.commands.getCommands(true);
      for (const line of lines) assert.ok(known.includes(line.split('] ')[1] ?? ''), line);
    });
  }
});
