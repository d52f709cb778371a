import assert from 'node:assert/strict';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { createCommandJudge } from '../../../src/policy/command.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { expectStopped } from '../../support/attacks.ts';
import { answerAll, assistantOn, eventsOf, type Files } from '../../support/harness.ts';
import { ATTACKS_BY_TOOL } from './commands-by-tool.attacks.ts';

describe('attacks by shells, programs, git and build tools', () => {
  expectStopped(ATTACKS_BY_TOOL, async ({ command, shell, allow, deny }) => {
    const rules = (effect: SourcedRule['effect'], commands: string[]) =>
      commands.map((prefix): SourcedRule => ({ effect, command: prefix, from: 'user' }));
    const judge = createCommandJudge({ text: command, shell, cwd: '.' }, await nodeShellParsers(shell), { readOnlyCommands: true });
    return judge([...rules('allow', allow), ...rules('deny', deny)], []);
  });
});

describe('a command that reaches files it does not name', () => {
  const SECRET = 'hunter2-swordfish';
  const WORKSPACE: Files = {
    'src/a.ts': 'export const key = 1;\n',
    'src/keys/prod.pem': `${SECRET} key\n`,
    'docs/a.md': 'key\n',
    '.env': `key=${SECRET}\n`,
    '.gitignore': '.env\n*.pem\n',
    'private/map.txt': `${SECRET} key\n`,
    'notes.txt': '-> .env',
    'more.txt': '-> ../beside/passwd',
    out: '-> ../beside',
    'packages/bare/HEAD': 'ref: refs/heads/main\n',
    'packages/bare/config': '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "echo owned > ../../owned.txt; false"\n',
    'packages/bare/objects/': '',
    'packages/bare/refs/': '',
  };
  const run = async (command: string, prefix: string, cwd?: string) => {
    const kedge = await assistantOn(WORKSPACE, [turn(call('run_command', { command, ...(cwd && { cwd }) })), turn(say('Done.'))], {
      beside: { 'beside/passwd': SECRET },
      commands: true,
      shellParsers: nodeShellParsers,
      policy: () => ({ rules: [{ effect: 'deny', path: 'private/**', from: 'user' }], problems: [], readOnlyCommands: true }),
    });
    kedge.granted.covers.push({ kind: 'command', prefix: prefix.split(' ') });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    return kedge;
  };

  const REACHING: [what: string, command: string, prefix: string, cwd?: string][] = [
    ['by a glob for a secret', 'cat .e*', 'cat'],
    ['by a glob with a set', 'cat .[e]nv', 'cat'],
    ['by a glob with one letter open', 'cat .en?', 'cat'],
    ['by a glob of a directory', 'cat src/*/*', 'cat'],
    ['by a glob in a redirection', 'cat < .e*', 'cat'],
    ['by a glob for a place that a rule denies', 'cat priv*/map.txt', 'cat'],
    ['by a glob for a link that leads out', 'head mor*.txt', 'head'],
    ['by a link to a secret', 'cat notes.txt', 'cat'],
    ['by a link that leads out', 'cat more.txt', 'cat'],
    ['by a link to a directory that leads out', 'cat out/passwd', 'cat'],
    ['by a redirection from a link', 'cat < notes.txt', 'cat'],
    ['by a search of everything', 'grep -rn key .', 'grep'],
    ['by a search of everything, unsaid', 'grep -rn key', 'grep'],
    ['by a search with its letters put together', 'grep -nRi key src', 'grep'],
    ['by a search, said at length', 'grep --recursive key src', 'grep'],
    ['by a search by another option', 'grep -d recurse key src', 'grep'],
    ['by a search with a pattern behind -e', 'grep -r -e key src', 'grep'],
    ['by rgrep', 'rgrep key', 'rgrep'],
    ['by a search with ripgrep', 'rg key', 'rg'],
    ['by ripgrep in hidden files', 'rg --hidden key .', 'rg'],
    ['by ripgrep without any filter', 'rg -uuu key src/keys', 'rg'],
    ['by ripgrep whose pattern is called as a directory', 'rg docs', 'rg'],
    ['by ripgrep with an option whose value is a word', 'rg --max-columns 80 key', 'rg'],
    ['by a comparison of directories', 'diff -r src docs', 'diff'],
    ['by a search where a rule denies', 'grep -rn key private', 'grep'],
    ['by a search from below', 'grep -rn key .', 'grep', 'src'],
    ['git, in a directory that is a repository of its own', 'git status', 'git status', 'packages/bare'],
    ['git, below a directory that is one', 'git log', 'git log', 'packages/bare/refs'],
  ];
  for (const [what, command, prefix, cwd] of REACHING)
    it(`needs approval or is denied: ${what}`, async () => {
      await using kedge = await run(command, prefix, cwd);
      const [started] = eventsOf(kedge.events, 'tool_started');
      assert.match(started?.decision.kind ?? '', /ask|deny/, started?.decision.reason);
      assert.ok(!JSON.stringify(kedge.adapter.requests).includes(SECRET));
      assert.ok(!Object.keys(await kedge.snapshot()).some((path) => path.includes('owned')));
    });

  const FINE: [command: string, prefix: string, cwd?: string][] = [
    ['cat src/*.ts', 'cat'],
    ['grep -rn key docs', 'grep'],
    ['grep -n key src/a.ts', 'grep'],
    ['rg key docs', 'rg'],
    ['ls -la', 'ls'],
    ['ls *', 'ls', 'docs'],
    ['wc -l docs/*.md', 'wc', '.'],
    ['cat a.md', 'cat', 'docs'],
  ];
  for (const [command, prefix, cwd] of FINE)
    it(`runs without approval: ${command}`, async () => {
      await using kedge = await run(command, prefix, cwd);
      const [started] = eventsOf(kedge.events, 'tool_started');
      assert.equal(started?.decision.kind, 'allow', started?.decision.reason);
    });

  it('that read a secret makes later sending of data need approval', async () => {
    const script = [
      turn(call('run_command', { command: 'cat .env' })),
      turn(call('fetch_url', { url: 'https://docs.example/?q=1' })),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn(WORKSPACE, script, {
      commands: true,
      shellParsers: nodeShellParsers,
      fetcher: { isPrivate: () => false, get: () => assert.fail('it was sent') },
    });
    kedge.granted.covers.push({ kind: 'host', host: 'docs.example' });
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(event.approvalId, event.command ? { approve: true } : { approve: false });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
      ['guarded-path', 'sends-after-secret'],
    );
  });
});
