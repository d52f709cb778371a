import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { Controls } from '../../../../../src/hosts/cli/chat/front.ts';
import { Terminal } from '../../../../../src/hosts/cli/chat/terminal.ts';

type Timer = { ms: number; fire: () => void };

/** Runs `work` while timers of 200 ms or more fire only when the test fires them. `timers` are those that were set, the newest last. */
async function withTimers(work: (timers: readonly Timer[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const timers: Timer[] = [];
  globalThis.setTimeout = ((callback: () => void, ms = 0) => {
    if (ms < 200) return setTimeout(callback, ms);
    timers.push({ ms, fire: callback });
    return setTimeout(() => undefined, 0);
  }) as typeof setTimeout;
  try {
    await work(timers);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a key that is typed while a question appears', () => {
  it('does not answer it, also after a short stop and while the program is busy', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: false });
    const streams = { stdin, stdout, stderr: new PassThrough() } as unknown as ConstructorParameters<typeof Terminal>[2];
    stdout.resume();
    const terminal = new Terminal([], () => undefined, streams);
    const left = terminal.converse({ isRunning: true, queued: [], facts: [] } as unknown as Controls);
    await withTimers(async (timers) => {
      let answer: string | undefined;
      const ask = async () => {
        answer = await terminal.prompter.ask('Approve? > ', new AbortController().signal, [{ key: 'y', label: 'yes' }]);
      };
      stdin.write('a');
      await turn();
      void ask();
      await turn();
      const { ms = 0, fire } = timers.at(-1) ?? {};
      assert.ok(ms > 300, `a question appears ${ms} ms after a key`);
      // The timer fires late, and the key is read after it.
      fire?.();
      stdin.write('y');
      await turn();
      stdin.write('y');
      await turn();
      assert.equal(answer, undefined);
      timers.at(-1)?.fire();
      await turn();
      stdin.write('y');
      await turn();
      assert.equal(answer, 'y');
    }).finally(() => terminal.leave());
    await left;
  });
});
