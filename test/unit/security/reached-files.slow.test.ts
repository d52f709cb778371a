/** Commands that read files which they do not name, on a real disk: with globs, links, searches, changed directories, and Git's history. */
import assert from 'node:assert/strict';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { type CommandJudged, commitAll, judgedOn } from '../../support/command-judge.ts';
import type { Files } from '../../support/harness.ts';
import { REACHING } from './reached-files.attacks.ts';

const RULES: SourcedRule[] = [
  { effect: 'deny', path: 'private/**', from: 'user' },
  { effect: 'deny', path: 'db/schema.sql', from: 'user' },
];
const WORKSPACE: Files = {
  'src/a.ts': 'export const key = 1;\n',
  'src/keys/prod.pem': 'key\n',
  'src/keys/other.txt': 'nothing\n',
  'src/credentials.json': '{}',
  'docs/a.md': 'key\n',
  'docs/out': '-> ../../beside',
  'docs/pass.txt': 'key',
  'packages/api/.env': 'key=1\n',
  'packages/api/index.ts': 'key\n',
  'private/map.txt': 'key\n',
  'private/deep/x.txt': 'key\n',
  'db/schema.sql': 'key\n',
  'lib/ln/secretlink.txt': '-> ../../packages/api/.env',
  'other/prod.pem': 'key',
  'empty/x': '',
  'node_modules/evil/package.json': '{}',
  dirlink: '-> src/keys',
  plink: '-> private',
  list: 'src/keys/prod.pem\n',
  '-r': 'x',
};

describe('a command that shows files it does not name', () => {
  let on: CommandJudged;
  before(async () => {
    on = await judgedOn(WORKSPACE, RULES, { 'beside/passwd': 'root' });
    commitAll(on.kedge.root);
  });
  after(() => on[Symbol.asyncDispose]());

  for (const [allow, cwd, commands] of REACHING)
    for (const command of commands)
      it(`needs approval or is denied: ${JSON.stringify(command)}${cwd === '.' ? '' : ` in ${cwd}`}`, async () => {
        const { kind, reason } = await on.judge(command, allow.split(','), cwd);
        assert.match(kind, /ask|deny/, reason);
      });

  const FINE: [allow: string, command: string, cwd?: string][] = [
    ['cat', 'cat src/[ab].ts'],
    ['cat', 'cat docs/*.md'],
    ['grep', 'grep -rnE "key|x" docs/a.md'],
    ['grep', 'grep -rn key . --include=*.ts'],
    ['rg', "rg -n key -g '*.ts'"],
    ['rg', 'rg -n key -t ts'],
    ['rg', 'rg --files'],
    ['ls', 'ls .env* packages/api/.env'],
    ['test', 'test -f packages/api/.env && echo yes'],
    ['find', "find . -name '.env*'"],
    ['git grep', 'git grep key -- docs/a.md'],
    ['git diff', 'git diff --stat'],
    ['git diff', 'git diff HEAD~1 -- src/a.ts'],
    ['git show', 'git show HEAD~1:src/a.ts'],
    ['git log', 'git log --oneline -5'],
    ['git log', 'git log -p -1 -- src/a.ts'],
    ['cd,cat', 'cd docs && cat a.md'],
    ['npm test', 'npm test', 'packages/api'],
  ];
  for (const [allow, command, cwd] of FINE)
    it(`needs no approval if it shows no such file: ${JSON.stringify(command)}`, async () => {
      const { kind, reason } = await on.judge(command, allow.split(','), cwd);
      assert.equal(kind, 'allow', reason);
    });
});

describe('a PowerShell command that shows files it does not name', () => {
  let on: CommandJudged;
  before(async () => {
    on = await judgedOn({ ...WORKSPACE, '.env': 'key=1' }, RULES, { 'beside/passwd': 'root' }, 'powershell');
  });
  after(() => on[Symbol.asyncDispose]());

  const SHOWING = [
    'Get-Content .e*',
    "Get-Content '.e*'",
    'Get-Content src/*/*',
    'Get-Content src\\keys\\p*',
    'Get-Content D:notes.txt',
    'Get-Content Temp:x',
    'Get-ChildItem -Force | Get-Content',
    'Get-ChildItem src -Recurse | Get-Content',
    'Get-ChildItem src -Recurse | Select-String key',
    'Get-ChildItem -Recurse -Filter *.pem | Get-Content',
    'Get-Item .env | Get-Content',
    'Resolve-Path src/keys/* | Get-Content',
    'Write-Output .env | Get-Content',
    'Get-ChildItem private | Get-Content',
    'Join-Path src/keys prod.* | Get-Content',
    'Get-Process -ComputerName evil',
  ];
  for (const command of SHOWING)
    it(`needs approval or is denied: ${command}`, async () => {
      const { kind, reason } = await on.judge(command, []);
      assert.match(kind, /ask|deny/, reason);
    });
  for (const command of [
    'Get-ChildItem -Recurse',
    'Get-ChildItem src -Filter *.ts',
    'Get-ChildItem docs/a.md | Get-Content',
    'Get-Content src\\a.ts',
  ])
    it(`needs no approval: ${command}`, async () => {
      const { kind, reason } = await on.judge(command, []);
      assert.equal(kind, 'allow', reason);
    });
});
