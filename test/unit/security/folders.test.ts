/**
 * A grant for a command covers only the code of the folder in which it was given. No `cwd`, `cd`, option or argument may lead to other
 * code.
 */
import assert from 'node:assert/strict';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { type CommandJudged, judgedOn } from '../../support/command-judge.ts';
import type { Files } from '../../support/harness.ts';

const PACKAGE = '{"scripts":{"test":"node evil.js"}}';
const WORKSPACE: Files = {
  'package.json': PACKAGE,
  Makefile: 'test:\n\techo fine\n',
  'src/a.ts': 'x',
  'src/deep/b.ts': 'x',
  'test/unit/x.test.ts': 'x',
  'tests/conftest.py': 'x',
  'tests/test_x.py': 'x',
  'scripts/x.sh': 'x',
  'docs/Makefile': 'x',
  'docs/a.md': 'x',
  'vendor/evil/package.json': PACKAGE,
  'vendor/evil/Makefile': 'test:\n\techo evil\n',
  'vendor/evil/test_x.py': 'x',
  'vendor/evil/x.test.js': 'x',
  'vendor/plain/test_y.py': 'x',
  'third_party/x/test_x.py': 'x',
  'libs/evil/package.json': PACKAGE,
  'libs/evil/test/x.test.js': 'x',
  'packages/web/package.json': PACKAGE,
  'packages/web/src/a.ts': 'x',
  'packages/api/pyproject.toml': 'x',
  'packages/api/tests/test_a.py': 'x',
  'crates/evil/Cargo.toml': 'x',
  'svc/evil/go.mod': 'x',
  'cloned/.git/config': 'x',
  'cloned/test_x.py': 'x',
  'sub/scripts/x.sh': 'x',
  'node_modules/evil/package.json': PACKAGE,
  'node_modules/evil/test.js': 'x',
  link: '-> vendor/evil',
  'src/link': '-> ../libs/evil',
};

/** Grants in the top folder, and commands that they must not cover. */
const OTHER_CODE: readonly [allow: string, commands: (string | [command: string, cwd: string])[]][] = [
  [
    'npm test,cd',
    [
      ['npm test', 'vendor/evil'],
      ['npm test', 'libs/evil'],
      ['npm test', 'packages/web'],
      ['npm test', 'packages/web/src'],
      ['npm test', 'link'],
      ['npm test', 'node_modules/evil'],
      'npm test -w vendor/evil',
      'npm test -w evil',
      'npm test --workspace=packages/web',
      'npm test --workspace packages/web',
      'npm test --workspaces',
      'npm test -ws',
      'npm test --include-workspace-root -w libs',
      'npm test --prefix vendor/evil',
      'npm --prefix vendor/evil test',
      'npm -C vendor/evil test',
      'npm test -C vendor/evil',
      'cd vendor/evil && npm test',
      'cd vendor/evil; npm test',
      'cd libs/evil && npm test 2>&1 | tail',
      'cd libs && cd evil && npm test',
      'cd link && npm test',
      'cd src/link && npm test',
      'cd ./vendor/evil/ && npm test',
      '(cd vendor/evil && npm test)',
      'npm test; cd vendor/evil && npm test',
      'cd packages/web && npm test',
      'npm test -- vendor/evil/x.test.js',
      'npm test -- libs/evil',
      'npm test -- link/x.test.js',
      'npm test -- "vendor/**/*.test.js"',
      'npm test -- "li*/*/test/*.js"',
      'npm test -- --spec=libs/evil/test/x.test.js',
      'npm test -- "**/evil/test/*.js"',
      'npm test node_modules/evil/test.js',
    ],
  ],
  [
    'pnpm test',
    [
      'pnpm test --filter evil',
      'pnpm test -r',
      'pnpm --dir vendor/evil test',
      'pnpm -C vendor/evil test',
      'pnpm -r test',
      'pnpm test -F evil',
    ],
  ],
  [
    'yarn test',
    ['yarn --cwd vendor/evil test', 'yarn test --cwd vendor/evil', 'yarn workspace evil test', 'yarn workspaces run test', 'yarn test -T'],
  ],
  ['bun test', ['bun test vendor/evil', 'bun test --cwd vendor/evil', 'bun --filter evil test', 'bun test ./libs/evil/test/x.test.js']],
  [
    'pytest,python -m pytest,cd',
    [
      'pytest vendor/evil',
      'pytest vendor',
      'pytest libs',
      'pytest --ignore=x libs/',
      "pytest '+(libs)/evil'",
      'pytest a,libs/evil',
      'pytest file:libs/evil',
      'pytest vendor/evil/test_x.py',
      'pytest vendor/evil/test_x.py::test_y',
      'pytest ./vendor/evil',
      'pytest -x vendor/evil',
      'pytest -q -- vendor/evil',
      'pytest vendor/plain/test_y.py',
      'pytest third_party/x',
      'pytest packages/api',
      'pytest packages/api/tests/test_a.py',
      'pytest tests vendor/evil',
      'pytest ven*',
      'pytest v*/*/test_x.py',
      'pytest cloned',
      'pytest link',
      'pytest --rootdir=vendor/evil',
      'pytest --rootdir vendor/evil',
      'pytest -c vendor/evil/pytest.ini',
      'pytest --confcutdir=vendor/evil vendor/evil',
      'pytest --pyargs evil',
      'python -m pytest vendor/evil',
      ['pytest', 'vendor/evil'],
      ['pytest', 'packages/api/tests'],
      ['python -m pytest', 'packages/api'],
      ['python -m pytest', 'tests'],
      'cd packages/api && pytest',
      'cd cloned && pytest',
    ],
  ],
  [
    'python -m unittest,python manage.py test',
    [
      'python -m unittest vendor.evil.test_x',
      'python -m unittest -v vendor.evil.test_x.Case.test_y',
      'python -m unittest tests.test_a vendor.plain.test_y',
      'python -m unittest packages.api.tests.test_a',
      'python -m unittest third_party.x.test_x',
      'python manage.py test packages.api',
    ],
  ],
  [
    'make,make test,cd',
    [
      'make -C vendor/evil test',
      'make -Cvendor/evil',
      'make --directory=vendor/evil',
      'make -f vendor/evil/Makefile',
      'make -fvendor/evil/Makefile',
      'cd vendor/evil && make test',
      'cd docs && make',
      ['make test', 'docs'],
      ['make', 'vendor/evil'],
      'make -I vendor/evil',
    ],
  ],
  [
    'cargo test',
    [
      'cargo test --manifest-path crates/evil/Cargo.toml',
      'cargo --manifest-path crates/evil/Cargo.toml test',
      'cargo -C crates/evil test',
      ['cargo test', 'crates/evil'],
    ],
  ],
  [
    'go test,go build',
    [
      'go test ./vendor/...',
      'go test ./svc/evil/...',
      'go test ./svc/evil',
      'go -C svc/evil test',
      'go test -C svc/evil',
      'go build ./vendor/evil',
      'go test example.com/evil/...',
      'go test -v evil/...',
      'go test all',
      'go vet evil/x',
      ['go test ./...', 'svc/evil'],
    ],
  ],
  [
    'npx mocha',
    [
      'npx mocha vendor/evil/x.test.js',
      'npx mocha test/unit/x.test.ts libs/evil/test',
      "npx mocha 'libs/*/test/**/*.js'",
      'npx mocha --spec libs/evil/test/x.test.js',
      "npx mocha '{test,vendor/evil}/*.js'",
      ['npx mocha', 'libs/evil'],
    ],
  ],
  ['npx eslint,npx prettier', ['npx eslint packages/web/src', 'npx prettier --check packages/web', ['npx eslint .', 'packages/web']]],
  ['node --test', ['node --test vendor/evil/', 'node --test libs/evil/test/x.test.js', ['node --test', 'libs/evil']]],
  [
    'bash scripts/x.sh,node src/a.ts',
    [['bash scripts/x.sh', 'sub'], ['bash scripts/x.sh', 'src'], 'cd sub && bash scripts/x.sh', ['node src/a.ts', 'src/deep']],
  ],
  ['mvn test', ['mvn -f vendor/evil test', 'mvn test -pl evil', ['mvn test', 'vendor/evil']]],
  ['./gradlew test', ['./gradlew -p vendor/evil test', './gradlew :evil:test', ['./gradlew test', 'src']]],
  ['dotnet test', ['dotnet test vendor/evil', 'dotnet test libs/evil']],
  ['deno test', ['deno test vendor/evil', 'deno test -A libs/evil']],
  ['turbo run test', ['turbo run test --cwd vendor/evil', ['turbo run test', 'libs/evil']]],
  ['some-tool', ['some-tool vendor/evil', ['some-tool', 'libs/evil']]],
];

/** Grants, and commands that run the same code and therefore need no new approval. */
const SAME_CODE: readonly [allow: string, commands: (string | [command: string, cwd: string])[]][] = [
  [
    'npm test,cd',
    [
      'npm test',
      'npm test -- --grep x',
      'npm test -- test/unit/x.test.ts',
      'npm test -- "test/**/*.test.ts"',
      'npm test -- "**/*.test.ts"',
      ['npm test', 'src'],
      ['npm test', 'src/deep'],
      'cd src && npm test',
      'cd nowhere && npm test',
    ],
  ],
  ['pytest', ['pytest tests/test_x.py', 'pytest tests', 'pytest tests/test_x.py::test_y -x', 'pytest -k vendor', ['pytest', 'tests']]],
  ['python -m unittest', ['python -m unittest tests.test_x.Case', 'python -m unittest vendor.json']],
  ['npx mocha', ['npx mocha test/unit/x.test.ts', "npx mocha 'test/**/*.test.ts'"]],
  [
    'npx eslint,npx prettier',
    ['npx eslint .', 'npx eslint src', 'npx prettier --write src/a.ts docs/a.md', 'npx prettier --check "src/**/*.ts"'],
  ],
  ['cargo test', ['cargo test -p evil', 'cargo test --workspace']],
  ['go test', ['go test ./...', 'go test -run TestX/sub ./src/...', 'go test -count 1 -v ./...']],
  ['make test', ['make test', 'make -j4 test']],
  ['bash scripts/x.sh', ['bash scripts/x.sh', 'bash scripts/x.sh src']],
  ['node --test', ['node --test', 'node --test "test/**/*.test.js"']],
  ['cat,ls,git log', [['cat a.ts', 'src'], 'cat vendor/evil/test_x.py', ['ls', 'vendor/evil'], 'git log -- vendor/evil']],
  ['ruff check,docker ps,tsc', [['ruff check', 'packages/api'], ['docker ps', 'vendor/evil'], 'tsc --noEmit -p packages/web']],
];

const all = (rows: typeof OTHER_CODE) =>
  rows.flatMap(([allow, commands]) => commands.map((each) => ({ allow: allow.split(','), ...asCall(each) })));
const asCall = (each: string | [string, string]) =>
  typeof each === 'string' ? { command: each, cwd: '.' } : { command: each[0], cwd: each[1] };

describe('a command that was allowed in one folder', () => {
  let on: CommandJudged;
  before(async () => {
    on = await judgedOn(WORKSPACE);
  });
  after(() => on[Symbol.asyncDispose]());

  for (const { allow, command, cwd } of all(OTHER_CODE))
    it(`needs approval to run other code: ${JSON.stringify(command)} in ${cwd}`, async () => {
      const { kind, rule, reason } = await on.judge(command, allow, cwd);
      assert.equal(kind, 'ask', `${rule}: ${reason}`);
    });
  for (const { allow, command, cwd } of all(SAME_CODE))
    it(`runs without approval: ${JSON.stringify(command)} in ${cwd}`, async () => {
      const { kind, rule, reason } = await on.judge(command, allow, cwd);
      assert.equal(kind, 'allow', `${rule}: ${reason}`);
    });

  const grant = (prefix: string, ...folders: string[]): Permission => ({ kind: 'command', prefix: prefix.split(' '), folders });
  const LONGER: readonly [command: string, cwd: string, covers: Permission | undefined][] = [
    ['npm test', '.', grant('npm test', '.')],
    ['npm test', 'vendor/evil', grant('npm test', 'vendor/evil')],
    ['npm test', 'packages/web/src', grant('npm test', 'packages/web/src')],
    ['npm test -w packages/web', '.', grant('npm test -w packages/web', '.')],
    ['pytest packages/api/tests/test_a.py', '.', grant('pytest', '.', 'packages/api')],
    ['npm test -- packages/web/src libs/evil', '.', grant('npm test', '.', 'packages/web', 'libs/evil')],
    ['cat src/a.ts', '.', { kind: 'command', prefix: ['cat'] }],
  ];
  for (const [command, cwd, covers] of LONGER)
    it(`can be allowed for its folders: ${command} in ${cwd}`, async () => {
      const asked = await on.judge(command, [], cwd, { readOnlyCommands: false });
      assert.deepEqual(asked.covers, covers && [covers]);
      const again = await on.judge(command, [], cwd, { grants: asked.covers ?? [], readOnlyCommands: false });
      assert.equal(again.kind, 'allow', again.reason);
    });

  it('shows the folder in which it is allowed, and the other code that it would run', async () => {
    const { rule, reason } = await on.judge('npm test', ['npm test'], 'vendor/evil');
    assert.deepEqual(
      [rule, reason],
      ['command-elsewhere', 'You allowed `npm test` in another folder, but this command runs code from vendor/evil.'],
    );
  });

  it('runs without approval only in the folder of its permission', async () => {
    const grants = [grant('npm test', 'packages/web')];
    const kinds = async (...calls: [command: string, cwd: string][]) =>
      Promise.all(calls.map(async ([command, cwd]) => (await on.judge(command, ['cd'], cwd, { grants })).kind));
    assert.deepEqual(await kinds(['npm test', 'packages/web'], ['npm test', 'packages/web/src'], ['cd packages/web && npm test', '.']), [
      'allow',
      'allow',
      'allow',
    ]);
    assert.deepEqual(
      await kinds(['npm test', '.'], ['npm test', 'packages/api'], ['cd packages/web; npm test', '.'], ['npm test', 'src']),
      ['ask', 'ask', 'ask', 'ask'],
    );
  });

  it('is allowed in the folders that a rule names', async () => {
    const rules = [{ effect: 'allow', command: 'npm test', path: 'packages/*', from: 'user' }] as const;
    await using own = await judgedOn(WORKSPACE, rules);
    const kind = async (cwd: string) => (await own.judge('npm test', [], cwd)).kind;
    assert.deepEqual(await Promise.all(['packages/web', 'packages/web/src', '.', 'vendor/evil'].map(kind)), [
      'allow',
      'allow',
      'ask',
      'ask',
    ]);
  });
});
