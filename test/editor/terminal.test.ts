import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Commands } from '../../src/hosts/node/commands/commands.ts';
import { Terminals } from '../../src/hosts/vscode/terminal/terminal.ts';
import type { CommandResult } from '../../src/workspace/commands.ts';
import { withoutLongTimers } from '../support/clock.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;

describe('commands in the integrated terminal', () => {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath as string;
  let storage: string;
  let terminals: Terminals;
  let others: ReadonlySet<vscode.Terminal>;
  let commands: Commands;

  before(async () => {
    storage = await realpath(await mkdtemp(join(tmpdir(), 'kedge-terminal-')));
    // The terminals in which other tests ran commands.
    others = new Set(vscode.window.terminals);
    terminals = new Terminals();
    commands = new Commands({ storage, directory: ({ path }) => join(root, path), launch: terminals.launch });
  });
  after(async () => {
    terminals.dispose();
    await rm(storage, { recursive: true, force: true });
  });

  type Options = { timeoutMs?: number; background?: boolean; signal?: AbortSignal; onOutput?: (tail: string) => void; path?: string };
  const run = (text: string, { timeoutMs = 120_000, background = false, signal = never, onOutput, path = '' }: Options = {}) =>
    commands.run({ text, cwd: { folder: 0, path }, timeoutMs, background }, { signal, ...(onOutput && { onOutput }) });
  const ending = ({ state }: CommandResult) => (state.kind === 'exited' ? (state.signal ?? state.code) : state.kind);
  const ours = () => vscode.window.terminals.filter((terminal) => terminal.name.startsWith('Kedge') && !others.has(terminal));
  const untilGone = async (pid: number) => {
    for (;;) {
      try {
        process.kill(pid, 0);
      } catch {
        return;
      }
      await delay(5);
    }
  };

  it('report their output and exit code, in one terminal that is reused', async () => {
    const first = await run('echo one; echo two >&2; test -t 1 && echo a terminal; exit 3');
    assert.equal(ending(first), 3);
    assert.deepEqual(first.output, { head: 'one\ntwo\na terminal\n' });
    for (let count = 0; count < 5; count++) {
      const next = await run(`echo ${count}`);
      assert.deepEqual([ending(next), next.output.head], [0, `${count}\n`]);
    }
    assert.deepEqual(
      ours().map(({ name }) => name),
      ['Kedge'],
    );
  });

  it('run in the given folder, without input, and leave nothing behind', async () => {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(join(root, "it's a dir")));
    const { output } = await run('pwd; cd /; export LEFT=x; read answer; echo "read: $?"; echo $PAGER', { path: "it's a dir" });
    assert.equal(output.head, `${join(root, "it's a dir")}\nread: 1\ncat\n`);
    assert.equal((await run('pwd; echo "[$LEFT]"')).output.head, `${root}\n[]\n`);
    assert.equal(ours().length, 1);
    await vscode.workspace.fs.delete(vscode.Uri.file(join(root, "it's a dir")));
  });

  it('keep several lines, quotes and tabs unchanged', async () => {
    const { output } = await run(`for i in 1 2; do\n\techo "it's $i !!" # a comment\ndone\ncat <<'END'\n$HOME\tx\\n\nEND`);
    assert.equal(output.head, `it's 1 !!\nit's 2 !!\n$HOME\tx\\n\n`);
  });

  it('give the model no escape codes, and only the end of a progress bar', async () => {
    const { output } = await run(`printf '\\033[32mgreen\\033[0m\\n 10%%\\r 50%%\\r100%%\\n\\033]0;title\\007end\\n'`);
    assert.equal(output.head, 'green\n100%\nend\n');
  });

  it('keep a long output completely', async () => {
    const result = await run('seq 1 20000');
    assert.deepEqual(result.output.gap, { from: 101, to: 19_900 });
    assert.equal((await commands.read(result.id, 10_000, never))?.text.split('\n')[0], '10000');
    assert.match(result.output.tail ?? '', /\n20000\n$/);
  });

  it('are stopped while they hang, without waiting for a timer', async () => {
    for (let count = 0; count < 4; count++) {
      const stop = new AbortController();
      const begun = Promise.withResolvers<void>();
      const ended = run('echo $$; sleep 300', { signal: stop.signal, onOutput: (tail) => tail && begun.resolve() });
      await begun.promise;
      const result = await withoutLongTimers(() => {
        stop.abort();
        return ended;
      });
      assert.equal(result.state.kind, 'stopped');
      await untilGone(Number.parseInt(result.output.head, 10));
    }
  });

  it('are killed if they ignore signals', async () => {
    const result = await run(`trap '' INT TERM HUP; echo $$; while true; do sleep 1; done`, { timeoutMs: 500 });
    assert.equal(result.state.kind, 'timed_out');
    await untilGone(Number.parseInt(result.output.head, 10));
    assert.equal((await run('echo again')).output.head, 'again\n');
  });

  it('run in the background in a separate terminal', async () => {
    const before = new Set(vscode.window.terminals);
    const opened = () => vscode.window.terminals.filter((terminal) => !before.has(terminal)).map(({ name }) => name);
    const result = await run('echo $$; echo ready; sleep 300', { background: true });
    assert.equal(result.state.kind, 'running');
    assert.match(result.output.head, /^\d+\nready\n$/);
    assert.equal((await run('echo meanwhile')).output.head, 'meanwhile\n');
    await until('its terminal', () => opened().length > 0);
    assert.deepEqual(opened(), ['Kedge: echo $$; echo ready; sleep 300']);
    await commands.stop(result.id);
    await untilGone(Number.parseInt(result.output.head, 10));
  });

  it('run in parallel', async () => {
    const both = await Promise.all([run('sleep 0.3; echo a'), run('sleep 0.3; echo b')]);
    assert.deepEqual(
      both.map(({ output }) => output.head),
      ['a\n', 'b\n'],
    );
  });

  it('end when the user closes their terminal', async () => {
    const closing = run('echo begun; sleep 300', { onOutput: (tail) => tail.includes('begun') && ours()[0]?.dispose() });
    const others = ours().slice(1);
    for (const terminal of others) terminal.dispose();
    const result = await closing;
    assert.equal(result.state.kind, 'exited');
    assert.notEqual(ending(result), 0);
  });

  it('run in a terminal also where its shell says nothing about commands', async () => {
    const settings = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
    await settings.update('enabled', false, vscode.ConfigurationTarget.Global);
    try {
      assert.equal((await run('test -t 1 && echo a terminal')).output.head, 'a terminal\n');
    } finally {
      await settings.update('enabled', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('are listed while they run in the background, and afterwards', async () => {
    const { id } = await run('echo listed; sleep 300', { background: true });
    const [entry] = terminals.background;
    assert.deepEqual([entry?.text, entry?.ended], ['echo listed; sleep 300', undefined]);
    entry?.stop();
    await commands.stop(id);
    await until('its end', () => entry?.ended);
    assert.equal(entry?.ended, 'stopped by SIGTERM');
  });

  it('get no variables that are withheld, and no start-up files', async () => {
    process.env.BASH_ENV = '/does/not/exist';
    try {
      assert.equal((await run('echo "[$BASH_ENV]"; shopt -q login_shell || echo "$-"')).output.head.includes('i'), false);
    } finally {
      delete process.env.BASH_ENV;
    }
  });
});
