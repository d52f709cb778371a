/**
 * Attacks on files. Even with a permanent grant for edits, no call may leave the workspace or change a file that is executed automatically.
 */
import assert from 'node:assert/strict';
import { link } from 'node:fs/promises';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Files, type Harness, resultTexts } from '../../support/harness.ts';

const SECRET = 'hunter2-swordfish';
const WORKSPACE: Files = {
  'src/a.ts': 'export const a = 1;\n',
  'old.txt': 'old\n',
  '.env': `API_KEY=${SECRET}\n`,
  '.env.example': 'API_KEY=\n',
  'config/prod.pem': `${SECRET}\n`,
  '.git/config': '[core]\n\thooksPath = "tools/hooks"\n',
  'tools/hooks/pre-push': '#!/bin/sh\n',
  '.vscode/settings.json': '{}\n',
  'to-outside': '-> ../beside',
  'to-passwd': '-> ../beside/passwd',
  'to-env': '-> .env',
  '.env.link': '-> old.txt',
  'to-git': '-> .git',
  loop: '-> loop',
};
const BESIDE: Files = { 'beside/passwd': `root:${SECRET}\n`, 'workspace-2/a.txt': 'a\n' };

/** Runs with a permanent grant for edits. Every question is rejected. */
async function attack(...calls: ReturnType<typeof call>[]): Promise<Harness & { asked: string[] }> {
  const kedge = await assistantOn(WORKSPACE, [turn(...calls), turn(say('Done.'))], { beside: BESIDE });
  kedge.granted.covers.push({ kind: 'edits' });
  kedge.session.subscribe((event) => {
    if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: false });
  });
  const before = await kedge.snapshot();
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  assert.deepEqual(await kedge.snapshot(), before, 'nothing was changed');
  return Object.assign(kedge, { asked: eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule) });
}

const create = (path: string) => call('create_file', { path, content: 'x\n' });
const edit = (path: string, old_text = 'x') => call('replace_in_file', { path, edits: [{ old_text, new_text: 'y' }] });
const read = (path: string) => call('read_file', { path });

describe('a path that leads out of the workspace', () => {
  const REFUSED: [attack: string, made: ReturnType<typeof call>][] = [
    ['by ..', create('../x.txt')],
    ['by .. from below', create('src/../../x.txt')],
    ['by .. with backslashes', create('src\\..\\..\\x.txt')],
    ['to a folder whose name begins alike', create('../workspace-2/b.txt')],
    ['by its root', create('/tmp/kedge-owned.txt')],
    ['by a drive', create('C:\\Windows\\x.txt')],
    ['by a drive without a slash', create('C:x.txt')],
    ['to a server', create('\\\\host\\share\\x.txt')],
    ['by the home directory', create('~/.bashrc')],
    ['by a URL', read('file:///etc/passwd')],
    ['by a NUL character', create('src/a.ts\u0000.txt')],
    ['by a line break', create('src/a\nb.ts')],
    ['through a link to a directory', create('to-outside/x.txt')],
    ['through a link to a file', read('to-passwd')],
    ['through a link to a file, to change it', edit('to-passwd', 'root')],
    ['through a link and back', create('to-outside/../../x.txt')],
    ['by a name that is far too long', create(`${'a/'.repeat(3_000)}x`)],
    ['through a link that leads to itself', read('loop/x')],
    ['by moving out', call('move_file', { from: 'old.txt', to: '../old.txt' })],
    ['by moving in', call('move_file', { from: '../beside/passwd', to: 'passwd.txt' })],
    ['by deleting a link', call('delete_file', { path: 'to-passwd' })],
    ['by a patch', call('apply_patch', { input: '*** Begin Patch\n*** Add File: ../x.txt\n+x\n*** End Patch' })],
  ];
  for (const [what, made] of REFUSED)
    it(`${what} is refused`, async () => {
      await using kedge = await attack(made);
      assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR /);
      assert.ok(!JSON.stringify(kedge.adapter.requests).includes(SECRET));
      assert.deepEqual(kedge.asked, []);
    });
});

describe('a file that runs automatically', () => {
  const PLACES = [
    ['a git hook', '.git/hooks/pre-commit'],
    ['a git hook, in capitals', '.GIT/hooks/pre-commit'],
    ['a git hook, with a dot that Windows drops', '.git./hooks/pre-commit'],
    ['a git hook, with a blank', '.git /hooks/pre-commit'],
    ['a git hook, by a stream of NTFS', '.git::$INDEX_ALLOCATION/hooks/pre-commit'],
    ['a git hook, by the short name of Windows', 'GIT~1/hooks/pre-commit'],
    ['a git hook, by a letter that nobody sees', '.g\u200Cit/hooks/pre-commit'],
    ['a git hook, by a letter that folds', '.\u0067\u0131t/../.git/hooks/x'],
    ['a git hook, through a link', 'to-git/hooks/pre-commit'],
    ['a git hook, by ..', 'src/../.git/hooks/pre-commit'],
    ['a git hook of a folder below', 'packages/a/.git/hooks/pre-commit'],
    ['a hook where core.hooksPath says', 'tools/hooks/pre-commit'],
    ['a hook there, in capitals', 'TOOLS/Hooks/pre-commit'],
    ['tasks of the editor', '.vscode/tasks.json'],
    ['a workspace file', 'x.code-workspace'],
    ['a run configuration', '.run/all.run.xml'],
    ['the agents’ rules', 'AGENTS.md'],
    ['the agents’ rules, below', 'docs/claude.md'],
    ['an MCP server', '.mcp.json'],
    ['a skill', '.claude/skills/x/SKILL.md'],
    ['Kedge’s own policy', '.kedge/policy.json'],
    ['Kedge’s own ignore file', '.kedgeignore'],
    ['a pipeline', '.github/workflows/ci.yml'],
    ['a pipeline of another service', '.gitlab-ci.yml'],
    ['a bot', 'renovate.json'],
    ['a commit hook of husky', '.husky/pre-commit'],
    ['a commit hook of lefthook', 'lefthook.yml'],
    ['the shell’s start', '.bashrc'],
    ['the directory’s environment', '.envrc'],
    ['the package manager', '.npmrc'],
    ['the debugger', '.gdbinit'],
    ['a container', '.devcontainer/devcontainer.json'],
    ['a service', 'etc/systemd/system/x.service'],
    ['what Python loads first', 'sitecustomize.py'],
    ['an agent of macOS', 'Library/LaunchAgents/x.plist'],
    ['a Windows profile', 'Microsoft.PowerShell_profile.ps1'],
    ['the hooks of git attributes', '.gitattributes'],
    ['an editor’s own script', '.nvim.lua'],
  ] as const;
  for (const [what, path] of PLACES)
    it(`needs approval although edits are allowed: ${what}`, async () => {
      await using kedge = await attack(create(path));
      assert.equal(kedge.asked.length, 1, resultTexts(kedge.session)[0]);
      assert.match(kedge.asked[0] ?? '', /^(protected-path|secret)$/);
    });

  it('needs approval if a file is moved to its place', async () => {
    await using kedge = await attack(call('move_file', { from: 'old.txt', to: '.git/hooks/post-merge' }));
    assert.deepEqual(kedge.asked, ['protected-path']);
  });
});

describe('a secret', () => {
  const READ: [attack: string, made: ReturnType<typeof call>][] = [
    ['read', read('.env')],
    ['read by lines', call('read_file', { path: '.env', from_line: 1, to_line: 1 })],
    ['read through ..', read('src/../.env')],
    ['read through a link', read('to-env')],
    ['read through a link with a secret name', read('.env.link')],
    ['read in capitals', read('.ENV')],
    ['read with a trailing dot', read('.env.')],
    ['read by a stream', read('.env::$DATA')],
    ['a private key', read('config/prod.pem')],
    ['moved to a name that is not secret', call('move_file', { from: '.env', to: 'notes.txt' })],
    ['moved by a patch', call('apply_patch', { input: '*** Begin Patch\n*** Update File: .env\n*** Move to: n.txt\n*** End Patch' })],
    ['deleted', call('delete_file', { path: '.env' })],
    ['changed', edit('.env', 'API_KEY')],
  ];
  for (const [what, made] of READ)
    it(`needs approval and is not sent: ${what}`, async () => {
      await using kedge = await attack(made);
      assert.ok(!JSON.stringify(kedge.adapter.requests).includes(SECRET));
      const [result = ''] = resultTexts(kedge.session);
      assert.ok(
        kedge.asked.includes('secret') || /^ERROR (There is no|\*\*\* )|there is no tool/i.test(result),
        `${kedge.asked} ${result}`,
      );
    });

  const TOLD: [attack: string, made: ReturnType<typeof call>][] = [
    ['by a search', call('search_text', { pattern: 'API_KEY' })],
    ['by a search with a regular expression', call('search_text', { pattern: 'hunter\\d', regex: true })],
    ['by a search in that file alone', call('search_text', { pattern: 'API', glob: '.env' })],
    ['by an edit that does not fit, which shows the nearest passage', edit('.env', 'API_KEY=hunter2-swordfisch')],
    ['by an edit that fits twice', edit('.env', '')],
    ['by listing', call('list_directory', { path: '.' })],
    ['by finding', call('find_files', { glob: '**/.env' })],
  ];
  for (const [what, made] of TOLD)
    it(`is not revealed ${what}`, async () => {
      await using kedge = await attack(made);
      assert.ok(!JSON.stringify(kedge.adapter.requests).includes(SECRET));
    });

  it('that was not searched is named if it was the only file to search, whatever its content', async () => {
    for (const pattern of ['API_KEY', 'nothing of the kind']) {
      await using kedge = await attack(call('search_text', { pattern, glob: '.env' }));
      const told = `No matches for ${pattern} in .env. .env was not searched, because reading it needs the user’s approval. Use read_file.`;
      assert.deepEqual(resultTexts(kedge.session), [told]);
    }
  });

  it('can be read with approval, also in Ask mode, and never without approval in an unattended run', async () => {
    for (const approve of [true, false]) {
      await using kedge = await assistantOn({ '.env': SECRET }, [turn(read('.env')), turn(say('Done.'))]);
      kedge.session.subscribe((event) => {
        if (event.type === 'approval_requested')
          void kedge.session.answerApproval(event.approvalId, approve ? { approve } : { approve, by: 'nobody' });
      });
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      assert.equal(JSON.stringify(kedge.adapter.requests).includes(SECRET), approve);
    }
  });

  it('needs approval each time: an approval covers one call', async () => {
    await using kedge = await assistantOn({ '.env': 'a', 'x.pem': 'b' }, [
      turn(read('.env'), read('x.pem')),
      turn(read('.env')),
      turn(say('Done.')),
    ]);
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(event.approvalId, { approve: true, grant: 'workspace', covers: 0 });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 3);
    assert.deepEqual(kedge.granted.covers, []);
  });
});

describe('a file with several names', () => {
  it('has independent content for each hard link: a change to one does not reach the other', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one' }, [turn(edit('b.txt', 'one')), turn(say('Done.'))], {
      beside: { 'outside.txt': 'one' },
    });
    await link(`${kedge.parent}/outside.txt`, `${kedge.root}/b.txt`);
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal((await kedge.snapshot())['outside.txt'], 'one');
  });
});
