import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Commands } from '../../../src/hosts/node/commands/commands.ts';
import { PageFetcher } from '../../../src/hosts/node/fetch/fetch.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { commandOutputTool } from '../../../src/tools/commands/command-output.ts';
import { runCommandTool } from '../../../src/tools/commands/run-command.ts';
import { fetchUrlTool } from '../../../src/tools/network/fetch-url.ts';
import { Workspace } from '../../../src/workspace/workspace.ts';
import { withoutLongTimers } from '../../support/clock.ts';
import { executeContext } from '../../support/context.ts';
import {
  answerAll,
  assistantOn,
  eventsOf,
  type Files,
  type HarnessOptions,
  lastOf,
  nextEvent,
  resultTexts,
} from '../../support/harness.ts';
import { tokensOfTools } from '../../support/tokens.ts';

const never = new AbortController().signal;
const run = (command: string, more: object = {}) => call('run_command', { command, ...more });
const done = turn(say('Done.'));
const on = (files: Files, script: Parameters<typeof assistantOn>[1], options: HarnessOptions = {}) =>
  assistantOn(files, script, { commands: true, ...options });

describe('run_command', () => {
  it('requests an approval of the full command, and reports the outcome to the model', async () => {
    await using kedge = await on({ 'sub/a.txt': 'text\n' }, [turn(run('cat a.txt\nexit 2', { cwd: 'sub' })), done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { title, command, changes } = lastOf(kedge.events, 'approval_requested');
    assert.deepEqual([title, command, changes], ['Run cat a.txt …', { text: 'cat a.txt\nexit 2', cwd: 'sub', shell: 'bash' }, []]);
    assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR Exit code 2 after \d\.\d s\.\ntext$/);
    assert.equal(lastOf(kedge.events, 'tool_finished').note, 'exit 2');
  });

  it('names the withheld variables when a command may have failed without them', async () => {
    process.env.OPENAI_API_KEY = 'sk-1';
    try {
      await using kedge = await on({}, [turn(run('echo "No API key"; exit 1'), run('echo wrong; exit 1'), run('echo "No API key"')), done]);
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      const [missed, wrong, fine] = resultTexts(kedge.session);
      assert.match(
        missed ?? '',
        /\nNo API key\n\[Variables that were not passed to the command: .*OPENAI_API_KEY.*\. The user can allow them in the settings\.\]$/,
      );
      for (const text of [wrong, fine]) assert.doesNotMatch(text ?? '', /Not passed/);
      assert.doesNotMatch(resultTexts(kedge.session).join(), /sk-1/);
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  it('does not run when the user rejects it', async () => {
    await using kedge = await on({}, [turn(run('touch made')), done]);
    answerAll(kedge.session, { approve: false, words: 'no' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(existsSync(join(kedge.root, 'made')), false);
    assert.deepEqual(resultTexts(kedge.session), ['ERROR The user rejected this: no']);
  });

  it('exists only in Agent mode, in a trusted workspace, when the host can run commands', async () => {
    const names = async (mode: 'ask' | 'plan' | 'agent', options: HarnessOptions) => {
      await using kedge = await on({}, [done], { fetcher: new PageFetcher(), ...options });
      await kedge.session.prompt({ text: 'go', mode });
      return (kedge.adapter.requests[0]?.tools ?? []).map(({ name }) => name).filter((name) => /command|fetch/.test(name));
    };
    assert.deepEqual(await names('agent', {}), ['run_command', 'command_output', 'fetch_url']);
    assert.deepEqual(await names('agent', { commands: false }), ['fetch_url']);
    assert.deepEqual(await names('agent', { trusted: false }), []);
    assert.deepEqual(await names('plan', {}), []);
    assert.deepEqual(await names('ask', {}), []);
  });

  it('shows what it writes while it runs', async () => {
    await using kedge = await on({}, [turn(run('echo begun; sleep 0.3; echo more')), done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(eventsOf(kedge.events, 'tool_progress')[0]?.text, 'begun');
  });

  it('is stopped with its run, and its output is in the log', async () => {
    await using kedge = await on({}, [turn(run('echo begun; sleep 300')), done]);
    answerAll(kedge.session, { approve: true });
    const begun = nextEvent(kedge.session, 'tool_progress');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await begun;
    await withoutLongTimers(() => kedge.session.stop());
    await ended;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.match(JSON.stringify(lastOf(kedge.events, 'tool_finished').result.content), /Stopped after .*\\nbegun/);
  });

  it('is run once: not again after a crash in the middle of it', async () => {
    await using kedge = await on({}, [turn(run('echo ran >> log; echo begun; sleep 300')), done, done]);
    answerAll(kedge.session, { approve: true });
    const begun = nextEvent(kedge.session, 'tool_progress');
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    await begun;
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.pause, 'interrupted');
    await again.session.resume();
    assert.equal(await kedge.read('log'), 'ran\n');
    assert.deepEqual(resultTexts(again.session), [
      'ERROR This call was interrupted and may have taken effect. Check its effect before you continue.',
    ]);
    assert.deepEqual(eventsOf(again.events, 'approval_requested'), []);
  });

  it('is run once if the crash was between the question and the answer', async () => {
    await using kedge = await on({}, [turn(run('echo ran >> log')), done]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    const again = await kedge.reload();
    await again.session.answerApproval(approvalId, { approve: true });
    assert.equal(await kedge.read('log'), 'ran\n');
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
  });

  it('does not affect undo: a file that a command changed is refused, and the others are restored', async () => {
    const create = (path: string) => call('create_file', { path, content: 'mine\n' });
    await using kedge = await on({}, [turn(create('a.txt'), create('b.txt')), turn(run('echo more >> a.txt')), done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.changes.undo(lastOf(kedge.events, 'run_started').runId);
    const outcomes = lastOf(kedge.events, 'changes_undone').results.map(({ path, outcome }) => [path, outcome]);
    assert.deepEqual(outcomes.sort(), [
      ['a.txt', 'refused'],
      ['b.txt', 'restored'],
    ]);
    assert.equal(await kedge.read('a.txt'), 'mine\nmore\n');
  });

  it('runs servers in the background, to be read and stopped', async () => {
    await using kedge = await on({}, [turn(run('echo ready; sleep 300', { background: true })), done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const [, id = ''] = /^Running in the background as (\w+) after \d\.\d s\.\nready$/.exec(resultTexts(kedge.session)[0] ?? '') ?? [];
    assert.ok(id);
    assert.equal(lastOf(kedge.events, 'tool_finished').note, 'in the background');
  });

  describe('prepared', () => {
    const tools = async (files: Files = {}) => {
      const kedge = await assistantOn(files);
      const fs = kedge.fs as NodeFileSystem;
      const commands = new Commands({ storage: join(kedge.storage, 'commands'), directory: (at) => fs.directory(at) });
      const tool = runCommandTool(new Workspace(fs), commands);
      const output = commandOutputTool(commands);
      const context = executeContext();
      return {
        prepare: (input: unknown) => tool.prepare(input, never),
        run: async (input: unknown) => String((await (await tool.prepare(input, never)).execute(context)).content),
        output: async (input: unknown) => String((await (await output.prepare(input, never)).execute(context)).content),
        commands,
        [Symbol.asyncDispose]: async () => {
          commands.dispose();
          await kedge[Symbol.asyncDispose]();
        },
      };
    };

    it('is bound to exactly this command, directory and timeout', async () => {
      await using on = await tools({ 'a/': '', 'b/': '' });
      const digest = async (input: unknown) => (await on.prepare(input)).digest;
      const same = await digest({ command: 'ls', cwd: 'a' });
      assert.equal(await digest({ command: ' ls\n', cwd: './a/' }), same);
      const others = [
        { command: 'ls -l', cwd: 'a' },
        { command: 'ls', cwd: 'b' },
        { command: 'ls' },
        { command: 'ls', cwd: 'a', timeout_s: 5 },
        { command: 'ls', cwd: 'a', background: true },
      ];
      const digests = await Promise.all([...others.map(digest), same]);
      assert.equal(new Set(digests).size, 6);
    });

    it('runs in a directory of the workspace and nowhere else', async () => {
      await using on = await tools({ 'a.txt': '', link: '-> ..' });
      await assert.rejects(on.prepare({ command: 'ls', cwd: '..' }), /outside the workspace/);
      await assert.rejects(on.prepare({ command: 'ls', cwd: '/tmp' }), /not a path relative/);
      await assert.rejects(on.prepare({ command: 'ls', cwd: 'link' }), /leads outside the workspace/);
      await assert.rejects(on.prepare({ command: 'ls', cwd: 'a.txt' }), /a.txt is not a directory/);
      await assert.rejects(on.prepare({ command: 'ls', cwd: 'none' }), /There is no directory none/);
      await assert.rejects(on.prepare({ command: ' \n' }), /The command is empty/);
      await assert.rejects(on.prepare({ command: 'ls', timeout_s: 3_600 }), /timeout_s/);
    });

    it('has a title of one line without hidden characters', async () => {
      await using on = await tools();
      assert.equal((await on.prepare({ command: 'echo \u202eevil\u200b' })).title, 'Run echo \ufffdevil\ufffd');
      assert.equal((await on.prepare({ command: 'x'.repeat(100) })).title, `Run ${'x'.repeat(80)}…`);
    });

    it('says what is left out, and command_output reads the rest and stops the command', async () => {
      await using on = await tools();
      const report = await on.run({ command: 'seq 1 1000' });
      const [, id = ''] = /\n100\n\[… lines 101-900 omitted; read on with command_output, id (\w+) …\]\n901\n/.exec(report) ?? [];
      const next = await on.output({ id });
      assert.match(next, /^Exit code 0 after .*\n101\n/);
      assert.match(next, /\n300\n\[lines 101-300 of 1000; read on with from_line 301\]$/);
      assert.match(await on.output({ id, from_line: 999 }), /\n999\n1000\n\[lines 999-1000 of 1000\]$/);
      assert.match(await on.output({ id, from_line: 1_001 }), /\n\(no new output\)$/);
      await assert.rejects(on.output({ id: 'nothing' }), /There is no command nothing/);
      const background = await on.run({ command: 'echo ready; sleep 300', background: true });
      const [, server = ''] = /as (\w+) /.exec(background) ?? [];
      assert.match(await on.output({ id: server, stop: true }), /^Stopped after .*\n\(no new output\)$/);
    });

    it('reports missing output, a timeout, and leftover processes', async () => {
      await using on = await tools();
      assert.match(await on.run({ command: 'true' }), /^Exit code 0 after 0\.\d s\.\n\(no output\)$/);
      assert.match(
        await on.run({ command: 'sleep 20', timeout_s: 1 }),
        /^Stopped after 1\.\d s: it did not end within 1 s\. Use a longer timeout_s/,
      );
      assert.match(
        await on.run({ command: 'sleep 300 &' }),
        /Processes that the command left running were stopped\. Use background to keep them running\./,
      );
      assert.match(await on.run({ command: 'kill -9 $$' }), /^Ended by SIGKILL after/);
    });
  });

  it('costs few tokens', async function () {
    const fs = new NodeFileSystem([import.meta.dirname]);
    const commands = new Commands({ storage: '', directory: () => '' });
    const tools = [runCommandTool(new Workspace(fs), commands), commandOutputTool(commands), fetchUrlTool(new PageFetcher())];
    const tokens = tokensOfTools(tools);
    if (this.test) this.test.title += ` (${tokens} tokens)`;
    assert.ok(tokens <= 260, `${tokens} tokens`);
  });
});
