/** An open folder may itself be a protected place, or may lie in another open folder. Protected files stay protected under every name. */
import assert from 'node:assert/strict';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { touchesPath } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { aliasesIn } from '../../../src/workspace/aliases.ts';
import { answerAll, assistantOn, eventsOf, type Files, type HarnessOptions, resultTexts } from '../../support/harness.ts';
import { toolsOn } from '../../support/tools.ts';

const WORD = 'treasure';
type Call = [name: string, input: Record<string, unknown>];
type Run = { asked: string[]; results: string[] };

/** Runs calls one after another, with grants for edits and read-only commands. All questions are rejected. */
async function run(files: Files, calls: readonly Call[], options: HarnessOptions = {}): Promise<Run> {
  const script = [...calls.map(([name, input]) => turn(call(name, input))), turn(say('Done.'))];
  const policy = () => ({ rules: [], problems: [], readOnlyCommands: true });
  await using kedge = await assistantOn(files, script, { commands: true, shellParsers: nodeShellParsers, policy, ...options });
  kedge.granted.covers.push({ kind: 'edits' });
  answerAll(kedge.session, { approve: false });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  return { asked: eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule), results: resultTexts(kedge.session) };
}

const opening = (directory: string) => ({ fileSystem: (roots: string[]) => new NodeFileSystem([`${roots[0]}/${directory}`]) });

describe('an open folder that is a secret place', () => {
  for (const [directory, file] of [
    ['.ssh', 'mykey'],
    ['.aws', 'config'],
    ['.kube', 'config'],
    ['.docker', 'config.json'],
    ['.config/gh', 'hosts.yml'],
    ['.git', 'config'],
    ['bare.git', 'config'],
    ['.gnupg', 'deep/x'],
  ] as const)
    it(`is not read without approval: ${file} in ${directory}`, async () => {
      const calls: Call[] = [
        ['read_file', { path: file }],
        ['search_text', { pattern: WORD }],
        ['run_command', { command: `cat ${file}` }],
        ['run_command', { command: 'cat *' }],
        ['run_command', { command: `grep -r ${WORD} .` }],
        ['replace_in_file', { path: file, edits: [{ old_text: WORD, new_text: 'x' }] }],
      ];
      const { asked, results } = await run({ [`${directory}/${file}`]: WORD }, calls, opening(directory));
      assert.doesNotMatch(results.filter((text) => !text.startsWith('No matches')).join('\n'), new RegExp(WORD));
      assert.ok(asked.includes('secret') && asked.length >= 4, asked.join());
    });

  it('is an ordinary folder if only its parent has such a name', async () => {
    for (const directory of ['.cursor/worktrees/project', 'secrets/project', '.git-stuff/a/b']) {
      const calls: Call[] = [
        ['read_file', { path: 'a.json' }],
        ['create_file', { path: 'b.ts', content: 'b' }],
        ['run_command', { command: 'cat a.json' }],
      ];
      assert.deepEqual((await run({ [`${directory}/a.json`]: 'a' }, calls, opening(directory))).asked, [], directory);
    }
  });
});

describe('an open folder that is a protected place', () => {
  for (const [directory, file] of [
    ['.git', 'hooks/other'],
    ['.git/hooks', 'other'],
    ['.vscode', 'tasks.json'],
    ['.github', 'workflows/ci.yml'],
    ['.github/workflows', 'ci.yml'],
    ['.husky', 'other'],
    ['.kedge', 'rules.md'],
  ] as const)
    it(`is not written to without approval: ${file} in ${directory}`, async () => {
      const files = { [`${directory}/x`]: 'one\n' };
      const { asked } = await run(
        files,
        [
          ['create_file', { path: file, content: 'x' }],
          ['move_file', { from: 'x', to: file }],
        ],
        opening(directory),
      );
      assert.deepEqual(asked, ['protected-path', 'protected-path']);
      // A workspace file in a repository can open this folder together with the repository, under any name.
      const beside = { fileSystem: (roots: string[]) => new NodeFileSystem([roots[0] as string, `${roots[0]}/${directory}`]) };
      const name = directory.split('/').at(-1);
      assert.deepEqual((await run(files, [['create_file', { path: `${name}/${file}`, content: 'x' }]], beside)).asked, ['protected-path']);
    });
});

describe('an open folder within another', () => {
  const READS = ['workspace/sub/p/x', 'sub/p/x'];
  const calls: Call[] = [
    ...READS.map((path): Call => ['read_file', { path }]),
    ...['**', 'workspace/**', 'workspace/sub/**', 'sub/**', 'p/**'].map((glob): Call => ['search_text', { pattern: WORD, glob }]),
    ['run_command', { command: 'cat p/x', cwd: 'sub' }],
    ['run_command', { command: 'cat sub/p/x', cwd: 'workspace' }],
    ['run_command', { command: `grep -r ${WORD} .`, cwd: 'sub' }],
  ];
  const told = ({ results }: Run) => results.filter((text) => text.includes(WORD) && !text.startsWith('No matches'));
  const nested = { folders: { 'workspace/sub': {} } };

  it('shows its files if nothing protects them', async () => {
    assert.equal(told(await run({ 'sub/p/x': WORD }, calls, nested)).length, calls.length);
  });

  for (const [where, files] of Object.entries<Files>({ outer: { '.kedgeignore': 'sub/p/\n' }, inner: { 'sub/.kedgeignore': 'p/\n' } }))
    it(`does not show files excluded by .kedgeignore of the ${where} folder`, async () => {
      assert.deepEqual(told(await run({ ...files, 'sub/p/x': WORD }, calls, nested)), []);
    });

  for (const path of ['sub/p/**', 'workspace/sub/p/**', 'p/**', 'workspace/*/p'])
    it(`obeys a rule with a path from either folder: ${path}`, async () => {
      const policy = () => ({ rules: [{ effect: 'deny' as const, path, from: 'user' as const }], problems: [], readOnlyCommands: true });
      assert.deepEqual(told(await run({ 'sub/p/x': WORD }, calls, { ...nested, policy })), []);
    });

  it('is protected if it contains the git hooks of the outer folder', async () => {
    const files = { '.git/config': '[core]\n  hooksPath = sub/own\n', 'sub/own/x': 'one\n' };
    const { asked } = await run(files, [['create_file', { path: 'sub/own/y', content: 'x' }]], nested);
    assert.deepEqual(asked, ['protected-path']);
  });

  it('has several names for each path', () => {
    const { names, places } = aliasesIn([
      { name: 'a', roots: ['/home/a'] },
      { name: 'hooks', roots: ['C:\\x', '/home/a/.git/hooks'] },
    ]);
    assert.deepEqual(names('hooks/x'), ['hooks/x', 'a/.git/hooks/x']);
    assert.deepEqual(names('a/.git/hooks/x'), ['a/.git/hooks/x', 'hooks/x']);
    assert.deepEqual(names('a/.git/hooksx'), ['a/.git/hooksx']);
    assert.ok(places('hooks/x').includes('.git/hooks/x'));
  });
});

describe('a path that is not shown', () => {
  it('is not revealed by a link that leads to it', async () => {
    const links: Files = {
      '.kedgeignore': 'hid\n',
      'a.txt': 'a',
      to: '-> hid',
      deep: '-> hid/deep',
      out: '-> ../beside',
      sub: '-> src',
      'src/b': '',
    };
    const worlds: [Files, Files][] = [
      [{ 'hid/deep/x': '' }, { beside: '', 'beside/x': '' }],
      [{ hid: '' }, { beside: '' }],
      [{}, {}],
    ].map(([files = {}, beside = {}]) => [files, 'beside/x' in beside ? { 'beside/x': '' } : beside]);
    const listed = [];
    for (const [files, beside] of worlds) {
      await using disk = await toolsOn({ ...links, ...files }, { beside });
      listed.push(await disk.use('list_directory', {}));
    }
    assert.deepEqual(listed.slice(1), [listed[0], listed[0]]);
    assert.match(listed[0] as string, /^sub\/ \(link\)$/m);
  });

  it('is excluded by a name with accents in any Unicode form', async () => {
    for (const [rule, name] of [
      ['caf\u00e9', 'cafe\u0301'],
      ['cafe\u0301', 'caf\u00e9'],
    ]) {
      await using disk = await toolsOn({ '.kedgeignore': `${rule}/\n`, [`${name}/x`]: WORD });
      assert.match(await disk.use('read_file', { path: `${name}/x` }), /excluded by \.kedgeignore/);
      assert.match(await disk.use('search_text', { pattern: WORD }), /^No matches/);
    }
  });

  it('is denied by a path with dots', () => {
    for (const glob of ['.', './', '/', 'private/../private/**', './x/../private', 'private/.'])
      assert.ok(touchesPath(glob, 'private/x.ts'), glob);
    for (const glob of ['..', '../private', 'other/../x', 'private/..x']) assert.ok(!touchesPath(glob, 'private/x.ts'), glob);
  });
});
