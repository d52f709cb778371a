import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Commands } from '../../../../src/hosts/node/commands/commands.ts';
import { findShell } from '../../../../src/hosts/node/commands/process.ts';
import type { CommandResult } from '../../../../src/workspace/commands.ts';
import { withoutLongTimers } from '../../../support/clock.ts';

const never = new AbortController().signal;

describe('commands in a plain process', () => {
  let root: string;
  let commands: Commands;
  let open: () => Commands;

  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'kedge-commands-')));
    open = () => new Commands({ storage: join(root, 'outputs'), directory: ({ path }) => join(root, path) });
    commands = open();
  });
  after(async () => {
    commands.dispose();
    await rm(root, { recursive: true, force: true });
  });

  type Options = { timeoutMs?: number; background?: boolean; signal?: AbortSignal; onOutput?: (tail: string) => void; path?: string };
  const run = (text: string, { timeoutMs = 20_000, background = false, signal = never, onOutput, path = '' }: Options = {}) =>
    commands.run({ text, cwd: { folder: 0, path }, timeoutMs, background }, { signal, ...(onOutput && { onOutput }) });
  const ending = ({ state }: CommandResult) => (state.kind === 'exited' ? (state.signal ?? state.code) : state.kind);
  const isAlive = (pid: number) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  const untilGone = async (pid: number) => {
    while (isAlive(pid)) await delay(10);
  };

  it('returns the output in order, and the exit status', async () => {
    const result = await run('echo one; echo two >&2; echo three; exit 3');
    assert.equal(ending(result), 3);
    assert.deepEqual(result.output, { head: 'one\ntwo\nthree\n' });
    assert.equal(ending(await run('true')), 0);
    assert.equal(ending(await run('kill -KILL $$')), 'SIGKILL');
    assert.equal(ending(await run('no-such-program-here')), 127);
  });

  it('runs in its directory, and not at all when that does not exist', async () => {
    assert.equal((await run('pwd')).output.head, `${root}\n`);
    await assert.rejects(run('pwd', { path: 'nowhere' }), /ENOENT/);
  });

  it('has no input, pager or colors', async () => {
    const { output } = await run(
      'read answer; echo "read: $?"; cat; echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM $GIT_EDITOR',
    );
    assert.equal(output.head, 'read: 1\ncat cat 0 1 dumb true\n');
  });

  it('gets no keys of model services and no withheld variables, except those that the user passes on', async () => {
    const set = { OPENAI_API_KEY: 'sk-1', GITHUB_TOKEN: 'gh-2', TIDE_PASSWORD: 'pw-3', HF_TOKEN: 'hf-4', TIDE_LEVEL: '5' };
    Object.assign(process.env, set);
    const environment = () => ({ pass: ['HF_*'], withhold: ['TIDE_PASS*'] });
    const own = new Commands({ storage: join(root, 'kept'), directory: () => root, environment });
    try {
      const spec = { cwd: { folder: 0, path: '' }, timeoutMs: 20_000, background: false };
      const { output, withheld } = await own.run(
        { ...spec, text: `env | grep -E '${Object.keys(set).join('|')}' | sort` },
        { signal: never },
      );
      assert.equal(output.head, 'HF_TOKEN=hf-4\nTIDE_LEVEL=5\n');
      assert.deepEqual(
        withheld?.filter((name) => name in set),
        ['GITHUB_TOKEN', 'OPENAI_API_KEY', 'TIDE_PASSWORD'],
      );
    } finally {
      own.dispose();
      for (const name of Object.keys(set)) delete process.env[name];
    }
  });

  it('has the user’s environment, without shell startup variables and Kedge’s own', async () => {
    process.env.TIDE_TEST_VALUE = 'mine';
    process.env.KEDGE_API_KEY = 'sk-secret';
    process.env.BASH_ENV = join(root, 'surprise.sh');
    await writeFile(join(root, 'surprise.sh'), 'echo surprise\n');
    try {
      assert.equal((await run('echo $TIDE_TEST_VALUE $KEDGE_API_KEY')).output.head, 'mine\n');
    } finally {
      for (const name of ['TIDE_TEST_VALUE', 'KEDGE_API_KEY', 'BASH_ENV']) delete process.env[name];
    }
  });

  it('accepts several lines and any quoting', async () => {
    const { output } = await run(`x='it''s'\nfor i in 1 2; do\n  echo "$i $x !!"\ndone # end`);
    assert.equal(output.head, '1 its !!\n2 its !!\n');
  });

  it('shows the last state of redrawn lines', async () => {
    const { output } = await run(`printf '\\033[32m10%%\\r 50%%\\r100%%\\033[0m\\ndone\\n'`);
    assert.equal(output.head, '100%\ndone\n');
  });

  it('replaces invalid UTF-8, and reports binary output', async () => {
    assert.equal((await run(`printf 'caf\\xe9 is what latin1 has of coffee\\n'`)).output.head, 'caf\ufffd is what latin1 has of coffee\n');
    assert.equal((await run('head -c 5000 /dev/urandom')).output.head, '[binary output, not shown]');
    assert.equal((await run(`head -c 3 /dev/zero; echo`)).output.head, '[binary output, not shown]');
  });

  it('decodes characters that are split between chunks', async () => {
    assert.equal((await run(`printf '\\xe2\\x82'; sleep 0.1; printf '\\xac\\n'`)).output.head, '€\n');
  });

  it('is stopped by its timeout, and keeps its output', async () => {
    const result = await run('echo begun; sleep 60', { timeoutMs: 300 });
    assert.equal(result.state.kind, 'timed_out');
    assert.equal(result.output.head, 'begun\n');
    assert.ok(result.durationMs < 2_000, `${result.durationMs}`);
  });

  it('is stopped with all its child processes, also those that ignore signals', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const ended = run(`(trap '' TERM; sleep 301 & echo $!; wait) & echo $$; sleep 300`, {
      signal: stop.signal,
      onOutput: (tail) => {
        seen.push(tail);
        if (tail.split('\n').length >= 2) stop.abort();
      },
    });
    const result = await ended;
    assert.equal(result.state.kind, 'stopped');
    const pids = result.output.head.trim().split('\n').map(Number);
    assert.equal(pids.length, 2);
    for (const pid of pids) await untilGone(pid);
  });

  it('is stopped without a delay when it reacts to the signal', async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const ended = run('echo $$; sleep 300', { signal: stop.signal, onOutput: (tail) => tail && begun.resolve() });
    await begun.promise;
    const { output, state } = await withoutLongTimers(() => {
      stop.abort();
      return ended;
    });
    assert.equal(state.kind, 'stopped');
    await untilGone(Number(output.head));
  });

  it('shows its last lines while it runs', async () => {
    const seen: string[] = [];
    await run('for i in $(seq 1 30); do echo line $i; done; sleep 0.5; echo end; sleep 0.5', { onOutput: (tail) => seen.push(tail) });
    const whole = seen.find((tail) => tail.endsWith('line 30'));
    assert.equal(whole?.split('\n').length, 12);
    assert.ok(seen.at(-1)?.endsWith('end'));
  });

  it('leaves nothing running unless it is a background command', async () => {
    const result = await run('sleep 300 & echo $!');
    assert.deepEqual(result.state, { kind: 'exited', code: 0, leftovers: true });
    assert.ok(result.durationMs < 3_000);
    await untilGone(Number(result.output.head));
  });

  it('does not wait for a process that left the group and holds the output open', async () => {
    const result = await run('setsid sleep 20 & echo out; sleep 0.1');
    assert.equal(result.output.head, 'out\n');
    assert.ok(result.durationMs < 3_000, `${result.durationMs}`);
  });

  describe('of much output', () => {
    const gapOf = ({ output }: CommandResult) => output.gap;

    it('shows the first and the last lines, and the rest can be read', async () => {
      const result = await run('seq 1 5000');
      const { head, tail } = result.output;
      assert.equal(head, Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join(''));
      assert.equal(tail, Array.from({ length: 100 }, (_, index) => `${index + 4901}\n`).join(''));
      assert.deepEqual(gapOf(result), { from: 101, to: 4900 });
      const next = await commands.read(result.id, undefined, never);
      assert.equal(next?.text, Array.from({ length: 200 }, (_, index) => `${index + 101}`).join('\n'));
      assert.deepEqual([next?.from, next?.to, next?.now?.lines], [101, 300, 5000]);
      assert.equal((await commands.read(result.id, undefined, never))?.from, 301);
      const last = await commands.read(result.id, 4999, never);
      assert.deepEqual([last?.text, last?.to], ['4999\n5000', 5000]);
      const beyond = await commands.read(result.id, 6000, never);
      assert.deepEqual([beyond?.text, beyond?.to], ['', 5999]);
    });

    it('counts characters too, and cuts long lines', async () => {
      const result = await run(`for i in $(seq 1 100); do printf '%s ' $i; head -c 1000 /dev/zero | tr '\\0' x; echo; done`);
      const { head, tail = '', gap } = result.output;
      assert.ok(head.length <= 6_000 && tail.length <= 6_000);
      assert.match(head, /^1 x+\n2 x+\n.*\n5 x+\n$/s);
      assert.match(tail, /^96 x+\n.*\n100 x+\n$/s);
      assert.deepEqual(gap, { from: 6, to: 95 });
    });

    it('cuts a single long line in the middle', async () => {
      const { output, id } = await run(`head -c 500000 /dev/zero | tr '\\0' x; echo; echo end`);
      assert.match(output.head, /^x{6000}…$/);
      assert.deepEqual([output.tail, output.gap], ['end\n', { from: 1, to: 1 }]);
      const first = await commands.read(id, 1, never);
      assert.match(first?.text ?? '', /^x{2000}… \[498000 more characters\]\nend$/);
    });

    it('keeps 100 MB out of memory', async function () {
      globalThis.gc?.();
      const before = process.memoryUsage().rss;
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss);
      }, 20);
      const result = await run(`yes 'a line of a very talkative program' | head -c 100000000`, { timeoutMs: 60_000 });
      clearInterval(watch);
      const grown = Math.round((most - before) / 1_000_000);
      if (this.test) this.test.title += ` (${result.durationMs} ms, ${grown} MB more)`;
      assert.equal(ending(result), 0);
      assert.equal((await commands.read(result.id, 2_000_000, never))?.text.split('\n').length, 200);
      assert.ok(grown < 150, `${grown} MB`);
    });
  });

  describe('in the background', () => {
    it('returns with the first output, continues, and can be read and stopped', async () => {
      const result = await run('echo $$; echo ready; while [ ! -e go ]; do sleep 0.02; done; echo went; sleep 300', { background: true });
      assert.equal(result.state.kind, 'running');
      assert.match(result.output.head, /^\d+\nready\n$/);
      assert.ok(result.durationMs < 1_500, `${result.durationMs}`);
      const waiting = commands.read(result.id, undefined, never);
      await writeFile(join(root, 'go'), '');
      const more = await waiting;
      assert.deepEqual([more?.text, more?.from, more?.now?.state.kind], ['went', 3, 'running']);
      assert.equal(await commands.stop(result.id), true);
      await untilGone(Number.parseInt(result.output.head, 10));
      assert.equal((await commands.read(result.id, undefined, never))?.now?.state.kind, 'stopped');
    });

    it('returns after two seconds without output, and immediately when it exits', async () => {
      const silent = await run('sleep 300', { background: true });
      assert.equal(silent.state.kind, 'running');
      assert.ok(silent.durationMs >= 1_900 && silent.durationMs < 3_000, `${silent.durationMs}`);
      await commands.stop(silent.id);
      const short = await run('echo no; exit 4', { background: true });
      assert.equal(ending(short), 4);
    });

    it('is not stopped with its run, but with its host', async () => {
      const other = open();
      const stop = new AbortController();
      const spec = { text: 'echo $$; sleep 300', cwd: { folder: 0, path: '' }, timeoutMs: 100, background: true };
      const result = await other.run(spec, { signal: stop.signal });
      stop.abort();
      const pid = Number(result.output.head);
      assert.equal(isAlive(pid), true);
      other.dispose();
      await untilGone(pid);
    });
  });

  it('can still be read after a restart, and is deleted after a day', async () => {
    const { id } = await run('echo kept');
    const again = open();
    assert.deepEqual(await again.read(id, undefined, never), { text: 'kept', from: 1, to: 1 });
    assert.equal(await again.read('ffffff', undefined, never), undefined);
    assert.equal(await again.read('../../etc/passwd', undefined, never), undefined);
    assert.equal(await again.stop(id), false);
    const file = join(root, 'outputs', `${id}.txt`);
    assert.equal(await readFile(file, 'utf8'), 'kept\n');
    const old = new Date(Date.now() - 25 * 60 * 60_000);
    await utimes(file, old, old);
    await again.run({ text: 'true', cwd: { folder: 0, path: '' }, timeoutMs: 5_000, background: false }, { signal: never });
    assert.equal(existsSync(file), false);
  });

  it('uses bash, or else the shell of the system', () => {
    assert.deepEqual(findShell({ PATH: '/usr/bin' }), { name: 'bash', path: '/usr/bin/bash' });
    assert.equal(findShell({}, 'win32').name, 'powershell');
  });
});
