/** Tests files that decide what an allowed command does. Each change of such a file needs approval, whatever the user has granted. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PlanDraft } from '../../../src/core/plan/plan.ts';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Files, type Harness, type HarnessOptions, lastOf } from '../../support/harness.ts';

const done = turn(say('Done.'));
const command = (text: string, ...folders: string[]): Permission => ({
  kind: 'command',
  prefix: text.split(' '),
  ...(folders.length > 0 && { folders }),
});
const create = (path: string) => call('create_file', { path, content: 'x\n' });
const rules = (kedge: Harness) => eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`);
/** Runs the model with a grant for edits and these further grants. Every question is rejected. */
async function writing(
  paths: readonly string[],
  grants: readonly Permission[],
  options: HarnessOptions = {},
  files: Files = {},
): Promise<string[]> {
  await using kedge = await assistantOn(files, [turn(...paths.map(create)), done], options);
  kedge.granted.covers.push({ kind: 'edits' }, ...grants);
  answerAll(kedge.session, { approve: false });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  return rules(kedge);
}

const words = (text: string) => text.trim().split(/\s+/);
/** Lists for each command the files of its ecosystem. The files of "make" affect all commands. */
const STEERED: Record<string, string[]> = {
  'npm test':
    words(`package.json packages/web/package.json pnpm-workspace.yaml turbo.json jest.config.ts vitest.config.mts vite.config.js .mocharc.json
    .eslintrc.cjs eslint.config.mjs babel.config.js .babelrc webpack.prod.js rollup.config.js tsup.config.ts karma.conf.js playwright.config.ts
    tsconfig.json tsconfig.test.json gulpfile.js next.config.mjs Jakefile hardhat.config.ts test/jest-e2e.json cucumber.js spec/support/jasmine.json
    test/mocha.opts nodemon.json node_modules/mocha/index.js`),
  'pytest -q':
    words(`conftest.py tests/conftest.py pytest.ini tox.ini setup.cfg setup.py pyproject.toml noxfile.py requirements-dev.txt pytest.toml
    tox.toml .venv/lib/x.py`),
  'cargo test': words('Cargo.toml build.rs crates/a/build.rs .config/nextest.toml'),
  'go test': words('go.mod'),
  './gradlew test': words(`pom.xml build.gradle app/build.gradle.kts settings.gradle gradle.properties gradlew gradle/libs.versions.toml
    buildSrc/src/X.kt deps.edn project.clj`),
  'bundle exec rspec': words('Gemfile Rakefile lib/tasks/x.rake .rspec x.gemspec'),
  phpunit: words('composer.json phpunit.xml'),
  'mix test': words('mix.exs'),
  'swift test': words('Package.swift'),
  'dart test': words('pubspec.yaml'),
  'dotnet test': words('App.csproj x.runsettings Directory.Build.rsp Directory.Build.props'),
  'dune test': words('dune sub/dune-project'),
  'forge test': words('foundry.toml'),
  make: words(`Makefile sub/makefile rules.mk justfile Taskfile.yml CMakeLists.txt cmake/x.cmake BUILD.bazel defs.bzl Snakefile CMakeUserPresets.json
    meson.options`),
};
const STEERING = Object.values(STEERED).flat();
const ORDINARY =
  `src/a.ts src/package.ts src/config.ts src/app.config.ts test/a.test.ts tests/test_a.py README.md docs/Makefile.md src/build.ts
  src/main.rs lib/gradle.kt src/jest.ts src/eslint/rule.js data/package.csv assets/tsconfig.png src/next.ts src/setup.ts src/tasks.ts`.split(
    /\s+/,
  );

describe('a change of what an allowed command does', () => {
  for (const [allowed, path] of Object.entries(STEERED).flatMap(([allowed, paths]) => paths.map((path) => [allowed, path] as const)))
    it(`needs approval, with its diff: ${path}, for ${allowed}`, async () => {
      await using kedge = await assistantOn({}, [turn(create(path)), done]);
      kedge.granted.covers.push({ kind: 'edits' }, command(allowed));
      answerAll(kedge.session, { approve: true, grant: 'session' });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      const { rule, reason, changes, covers } = lastOf(kedge.events, 'approval_requested');
      assert.deepEqual([rule, covers], ['steers-command', undefined]);
      assert.equal(reason, `\`${allowed}\` runs without asking, and ${path} determines what it does.`);
      assert.match(changes[0]?.diff ?? '', /\+x/);
      assert.equal(await kedge.read(path), 'x\n');
    });

  it('needs approval for the files of all ecosystems if the command may run anything', async () => {
    const anything = [
      'make',
      'bash x.sh',
      './x.sh',
      'npm run',
      'npm test -w web',
      'uv run',
      'uv run make',
      'npx foo',
      'tox',
      'cargo xtask',
      'composer test',
    ];
    for (const allowed of anything) {
      const asked = await writing(STEERING, [command(allowed)]);
      assert.deepEqual([...new Set(asked)], ['ask steers-command'], allowed);
    }
  });

  it('does not include files of another ecosystem', async () => {
    const one: [string, string[]][] = [
      ['npm test', ['Cargo.toml', 'pom.xml', 'requirements.txt', 'Gemfile', 'go.mod', 'App.csproj']],
      ['cargo test', ['package.json', 'conftest.py', 'pom.xml']],
      ['uv run pytest', ['package.json', 'Cargo.toml']],
      ['timeout 60 npx mocha', ['pyproject.toml']],
    ];
    for (const [allowed, paths] of one)
      assert.deepEqual([...new Set(await writing(paths, [command(allowed)]))], ['allow edits-granted'], allowed);
  });

  it('includes files of another ecosystem that a script of the package.json runs', async () => {
    const paths = ['Cargo.toml', 'pyproject.toml', 'pom.xml'];
    const askedFor = async (scripts: Record<string, string>) => {
      const asked = await writing(paths, [command('npm test')], {}, { 'package.json': JSON.stringify({ scripts }) });
      return paths.filter((_, at) => asked[at] === 'ask steers-command');
    };
    assert.deepEqual(await askedFor({ test: 'npm run -s core && mocha', core: 'cd core && cargo test' }), ['Cargo.toml']);
    assert.deepEqual(await askedFor({ test: 'mocha', pretest: 'python gen.py' }), ['pyproject.toml']);
    assert.deepEqual(await askedFor({ test: 'sh all.sh' }), paths);
    assert.deepEqual(await askedFor({ test: 'rimraf out && run-s build:*', 'build:x': 'mvn test' }), ['pom.xml']);
    assert.deepEqual(await askedFor({ test: 'run-s "core -- -q"', core: 'cargo test' }), ['Cargo.toml']);
    assert.deepEqual(await askedFor({ test: 'tsc && c8 mocha', other: 'cargo test' }), []);
  });

  it('does not include ordinary files', async () => {
    assert.deepEqual([...new Set(await writing(ORDINARY, [command('npm test')]))], ['allow edits-granted']);
  });

  it('is impossible if no command is allowed, or only commands that run no code of the workspace', async () => {
    const paths = ['package.json', 'Makefile', 'conftest.py'];
    const expected = paths.map(() => 'allow edits-granted');
    assert.deepEqual(await writing(paths, []), expected);
    const harmless = [
      command('git status'),
      command('ls'),
      command('grep -rn'),
      command('gh pr view'),
      command('ruff check'),
      command('cd'),
    ];
    assert.deepEqual(await writing(paths, harmless), expected);
  });

  it('needs approval if a rule of the user allows the command, but not if a rule allows the file itself', async () => {
    const policy = (...more: Omit<SourcedRule, 'from'>[]) => ({
      policy: () => ({
        rules: [{ effect: 'allow', command: 'npm test' }, ...more].map((rule) => ({ ...rule, from: 'user' }) as SourcedRule),
        problems: [],
      }),
    });
    assert.deepEqual(await writing(['package.json'], [], policy()), ['ask steers-command']);
    assert.deepEqual(await writing(['package.json'], [], policy({ effect: 'allow', path: '**' })), ['ask steers-command']);
    assert.deepEqual(await writing(['package.json', 'Makefile'], [], policy({ effect: 'allow', path: 'package.json' })), [
      'allow rule',
      'ask steers-command',
    ]);
  });

  it('needs approval in the folder that the rule names', async () => {
    const inFolder = (path: string) => ({
      policy: () => ({ rules: [{ effect: 'allow', command: 'bash run.sh', path, from: 'user' } as SourcedRule], problems: [] }),
    });
    const paths = ['run.sh', 'tools/run.sh', 'tools/sub/run.sh'];
    const askedFor = async (path: string) => {
      const asked = await writing(paths, [], inFolder(path));
      return paths.filter((_, at) => asked[at] === 'ask steers-command');
    };
    assert.deepEqual(await askedFor('tools'), ['tools/run.sh']);
    assert.deepEqual(await askedFor('tools/'), ['tools/run.sh']);
    assert.deepEqual(await askedFor('tools/**'), ['tools/run.sh', 'tools/sub/run.sh']);
    assert.deepEqual(await askedFor('*'), ['tools/run.sh']);
  });

  it('needs approval for files that a differently spelled command runs', async () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { build: 'node tools/x.js', prepare: 'node tools/x.js' } }),
      'web/package.json': JSON.stringify({ scripts: { build: 'node x.js' } }),
    };
    const spelled: [string, string][] = [
      ['npm run -s build', 'tools/x.js'],
      ['npm --silent run build', 'tools/x.js'],
      ['npm --prefix . run build', 'tools/x.js'],
      ['npm --prefix web run build', 'web/x.js'],
      ['cd web && npm run build', 'web/x.js'],
      ['npm run', 'tools/x.js'],
      ['npm ci', 'tools/x.js'],
      ['timeout 60 npm run build', 'tools/x.js'],
      ['cd tools && ./x.sh', 'tools/x.sh'],
      ['cd tools && cd sub && ../x.sh', 'tools/x.sh'],
      ['timeout 60 ./tools/x.sh', 'tools/x.sh'],
      ['timeout -k 5 -s KILL 60s ./tools/x.sh', 'tools/x.sh'],
      ['nice -n 5 bash tools/x.sh', 'tools/x.sh'],
      ['env -u A B=1 bash tools/x.sh', 'tools/x.sh'],
      ['uv run tools/x.sh', 'tools/x.sh'],
      ['uv run main.py', 'main.py'],
      ['uv run --with requests python tools/x.py', 'tools/x.py'],
      ['poetry run python tools/x.py', 'tools/x.py'],
      ['bundle exec ruby tools/x.rb', 'tools/x.rb'],
      ['pnpm exec tsx tools/x.ts', 'tools/x.ts'],
      ['.\\tools\\x.ps1', 'tools/x.ps1'],
      ['.\\tools\\x', 'tools/x.ps1'],
      ['& .\\tools\\x.ps1', 'tools/x.ps1'],
      ['node tools\\x.js', 'tools/x.js'],
      ['pwsh -File tools\\x.ps1', 'tools/x.ps1'],
      ['cd tools; .\\x.ps1', 'tools/x.ps1'],
    ];
    const checked = async (text: string, path: string) => {
      const policy = () => ({ rules: [{ effect: 'allow', command: text, from: 'user' } as SourcedRule], problems: [] });
      return [...(await writing([path], [], { policy }, files)), ...(await writing([path], [command(text)], {}, files))];
    };
    for (const [text, path] of spelled) {
      const [byRule, byGrant] = await checked(text, path);
      assert.equal(byRule, 'ask steers-command', text);
      // Only a simple command can be granted.
      if (!/[;&]/.test(text)) assert.equal(byGrant, 'ask steers-command', `${text} as a grant`);
    }
  });

  it('needs approval for files that the command or its scripts run', async () => {
    const files = {
      'package.json': JSON.stringify({
        scripts: { pretest: 'node tools/before.js', test: 'npm run build && mocha', build: 'node ./build.mjs', start: 'node src/main.js' },
      }),
      'packages/web/package.json': JSON.stringify({ scripts: { test: 'bash run.sh' } }),
    };
    const paths = [
      'tools/before.js',
      'build.mjs',
      'src/main.js',
      'scripts/x.sh',
      'packages/web/run.sh',
      'manage.py',
      'test/a.test.js',
      'run',
      'pytest.py',
    ];
    const grants = [
      command('npm test', '.', 'packages/web'),
      command('bash scripts/x.sh'),
      command('python manage.py'),
      command('node test/a.test.js'),
      command('./run'),
      command('python -m pytest'),
    ];
    const asked = await writing(paths, grants, {}, files);
    assert.deepEqual(
      paths.filter((_, at) => asked[at] === 'ask steers-command'),
      ['tools/before.js', 'build.mjs', 'scripts/x.sh', 'packages/web/run.sh', 'manage.py', 'run', 'pytest.py'],
    );
  });

  it('needs approval for files with another name: without their extension, in a directory, in quotes, from a Makefile, through a link', async () => {
    const edited = async (command: Permission, path: string, files: Files) => {
      const edit = call('replace_in_file', { path, edits: [{ old_text: 'OLD', new_text: 'NEW' }] });
      await using kedge = await assistantOn({ [path]: '# OLD\n', ...files }, [turn(edit), done]);
      kedge.granted.covers.push({ kind: 'edits' }, command);
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      return rules(kedge).join();
    };
    const script = (test: string) => ({ 'package.json': JSON.stringify({ scripts: { test } }) });
    const makefile = { Makefile: 'include rules/common\n-include more\ntest:\n\t@sh ./t.sh\n\t$(PYTHON) gen.py \\\n\t  x\n' };
    const asking: [Permission, string, Files][] = [
      [command('node run'), 'run.js', {}],
      [command('node ./tool'), 'tool/index.js', {}],
      [command('node .'), 'index.js', {}],
      [command('python tool'), 'tool/__main__.py', {}],
      [command('go run ./cmd/x'), 'cmd/x/main.go', {}],
      [command('Rscript x.R'), 'x.R', {}],
      [{ kind: 'command', prefix: ['bash', 'a b.sh'] }, 'a b.sh', {}],
      [command('npm test'), 'build/t.js', script('node build/t')],
      [command('npm test'), 'setup.js', script('node -r ./setup.js main.js')],
      [command('npm test'), 'a b.sh', script('sh "a b.sh"')],
      [command('npm test'), 't.sh', { ...script('make test'), ...makefile }],
      [command('make test'), 't.sh', makefile],
      [command('make test'), 'gen.py', makefile],
      [command('make test'), 'rules/common', makefile],
      [command('make test'), 'more', makefile],
      [command('npm test'), 'manifest.txt', { 'package.json': '-> manifest.txt' }],
      [command('./t.sh'), 'lib/real', { 't.sh': '-> lib/real' }],
      [command('bash tools/d/t.sh'), 'real/t.sh', { 'tools/d': '-> ../real' }],
      [command('make', 'sub'), 'real/rules.txt', { 'sub/x.mk': '-> ../real/rules.txt' }],
      [command('./gradlew test'), 'plugins/src/X.kt', { buildSrc: '-> plugins' }],
    ];
    for (const [allowed, path, files] of asking) assert.equal(await edited(allowed, path, files), 'ask steers-command', path);
    const ordinary: [Permission, string, Files][] = [
      [command('make test'), 'src/a.c', { ...makefile, lib: '-> src' }],
      [command('npm test'), 'src/a.ts', script('node build/t && mocha test')],
      [command('pytest tests'), 'tests/test_a.py', {}],
    ];
    for (const [allowed, path, files] of ordinary) assert.equal(await edited(allowed, path, files), 'allow edits-granted', path);
  });

  it('needs approval for git hooks that run code of the workspace, and only for these', async () => {
    const hook = (name: string, text: string): Files => ({
      [name]: `#!/bin/sh\n# npm test\n${text}\n`,
      '.git/config': '[core]\n\tbare = false\n',
    });
    const husky = { ...hook('.husky/pre-commit', 'npm test'), '.git/config': '[core]\n\thooksPath = .husky/_\n' };
    const lfs = `command -v git-lfs >/dev/null 2>&1 || { echo >&2 "git-lfs (x) was not found; npm test"; exit 2; }\ngit lfs pre-push "$@"`;
    const paths = ['package.json', 'scripts/hook.sh'];
    const [both, one, none] = [paths, ['package.json'], []];
    const expected: [string, Files, string[]][] = [
      ['git commit', hook('.git/hooks/pre-commit', 'if true; then\n  sh scripts/hook.sh || exit 1\nfi'), both],
      ['git commit', hook('.git/hooks/pre-commit', 'exec npx lint-staged'), one],
      ['git push', husky, one],
      ['git status', hook('.git/hooks/pre-commit', 'npm test'), none],
      ['git commit', hook('.git/hooks/pre-commit.sample', 'npm test'), none],
      ['git push', hook('.git/hooks/pre-push', lfs), none],
      ['git commit', hook('.git/hooks/commit-msg', 'git interpret-trailers --in-place "$1"'), none],
      ['git commit', hook('.git/hooks/pre-commit', 'if [ -f x ]; then\n  git diff --check\nelse\n  exit 1\nfi'), none],
      ['git commit', {}, none],
    ];
    for (const [allowed, files, asking] of expected) {
      const asked = await writing(paths, [command(allowed)], {}, files);
      assert.deepEqual(
        paths.filter((_, at) => asked[at] === 'ask steers-command'),
        asking,
        `${allowed} ${JSON.stringify(files)}`,
      );
    }
  });

  it('needs approval for a hook behind a link, and for the files of other hooks, although one cannot be read', async () => {
    const edited = async (path: string, files: Files) => {
      const edit = call('replace_in_file', { path, edits: [{ old_text: 'OLD', new_text: 'NEW' }] });
      await using kedge = await assistantOn({ [path]: '# OLD\n', ...files }, [turn(edit), done]);
      kedge.granted.covers.push({ kind: 'edits' }, command('git commit'));
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      return rules(kedge).join();
    };
    const link = { '.git/hooks/pre-commit': '-> ../../scripts/pre-commit.sh' };
    const script = 'scripts/pre-commit.sh';
    const whole = { [script]: '# OLD\nnode tools/x.js\n' };
    assert.equal(await edited(script, link), 'ask steers-command', 'what the link leads to');
    assert.equal(await edited('tools/x.js', { ...link, ...whole }), 'ask steers-command', 'what it runs');
    const elsewhere = { '.git/hooks': '-> ../ci', 'ci/pre-push': 'node tools/x.js\n' };
    assert.equal(await edited('tools/x.js', elsewhere), 'ask steers-command', 'all hooks behind a link');
    assert.equal(await edited('src/a.js', { ...link, ...whole }), 'allow edits-granted');
    const others = { '.git/hooks/pre-push': 'node tools/x.js\n' };
    assert.equal(
      await edited('tools/x.js', { ...others, '.git/hooks/commit-msg': '-> /etc/hostname' }),
      'ask steers-command',
      'one outside',
    );
    assert.equal(
      await edited('tools/x.js', { ...others, '.git/hooks/commit-msg': '-> nowhere' }),
      'ask steers-command',
      'one that is not there',
    );
  });

  it('needs approval for links that the scripts of a package.json and a Makefile run', async () => {
    const files = {
      'package.json': '-> config/p.json',
      'config/p.json': JSON.stringify({ scripts: { test: 'node tools/x.js' } }),
      Makefile: '-> config/m',
      'config/m': 'test:\n\tsh tools/x.sh\n',
    };
    assert.deepEqual(await writing(['tools/x.js'], [command('npm test')], {}, files), ['ask steers-command']);
    assert.deepEqual(await writing(['tools/x.sh'], [command('make test')], {}, files), ['ask steers-command']);
  });

  it('needs no approval for a script that this run created', async () => {
    const edit = call('replace_in_file', { path: 'repro.js', edits: [{ old_text: 'x', new_text: 'y' }] });
    await using kedge = await assistantOn({}, [turn(create('repro.js')), turn(edit), done]);
    kedge.granted.covers.push({ kind: 'edits' });
    kedge.session.subscribe((event) => {
      if (event.type === 'file_changed') kedge.granted.covers.push(command('node repro.js'));
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['allow edits-granted', 'allow edits-granted']);
  });

  it('is mentioned when the command later needs approval', async () => {
    await using kedge = await assistantOn(
      {},
      [turn(create('package.json'), create('a.ts')), turn(call('run_command', { command: 'npm test' })), done],
      {
        commands: true,
        shellParsers: nodeShellParsers,
      },
    );
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'approval_requested').reason, '`npm test` is not on the allowlist. This run changed package.json.');
  });

  it('never happens without approval, in any order of grants and changes', async () => {
    const act = fc.oneof(
      fc.record({ write: fc.constantFrom(...STEERING, ...ORDINARY) }),
      fc.record({ allow: fc.constantFrom(...Object.keys(STEERED), 'bash x.sh', 'git status', 'ls') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(act, { selector: (each) => JSON.stringify(each), minLength: 2, maxLength: 10 }), async (acts) => {
        const turns = acts.map((each) => turn('write' in each ? create(each.write) : call('list_directory', {})));
        await using kedge = await assistantOn({}, [...turns, done]);
        kedge.granted.covers.push({ kind: 'edits' });
        const standing: string[] = [];
        let at = 0;
        answerAll(kedge.session, { approve: true });
        const unasked: string[] = [];
        kedge.session.subscribe((event) => {
          if (event.type === 'tool_started' && event.decision.rule === 'edits-granted')
            unasked.push(...event.targets.map(({ path }) => `${path} while ${standing.join(', ')}`));
          if (event.type !== 'tool_finished') return;
          const did = acts[at++];
          if (!did || !('allow' in did)) return;
          kedge.granted.covers.push(command(did.allow));
          if (!/^(?:git|ls)/.test(did.allow)) standing.push(did.allow);
        });
        await kedge.session.prompt({ text: 'go', mode: 'agent' });
        for (const each of unasked) {
          const [path = '', commands] = each.split(' while ');
          const isSteered = (commands ?? '')
            .split(', ')
            .some((allowed) => (/^(?:make|bash)/.test(allowed) ? STEERING : (STEERED[allowed] ?? [])).includes(path));
          assert.ok(!isSteered && (commands === '' || !STEERED.make?.includes(path)), each);
        }
      }),
      { numRuns: 40 },
    );
  }).timeout(60_000);
});

describe('a confirmed plan whose check is a command', () => {
  const before = JSON.stringify({ scripts: { test: 'echo as it was > ran.txt' } });
  const plan = (files: string[]): PlanDraft => ({ goal: 'Do', steps: [{ title: 'All', files, check: { command: 'npm test --silent' } }] });
  const edit = call('replace_in_file', { path: 'package.json', edits: [{ old_text: 'as it was', new_text: 'evil' }] });
  const run = async (files: string[], approve: boolean) => {
    const script = [
      turn(call('propose_plan', plan(files))),
      turn(edit, create('src/a.ts')),
      turn(call('update_step', { step: 1, status: 'done' })),
      done,
    ];
    const kedge = await assistantOn({ 'package.json': before }, script, { commands: true, shellParsers: nodeShellParsers });
    await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
    answerAll(kedge.session, { approve });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    return kedge;
  };

  for (const files of [['**'], ['package.json', 'src/**']])
    it(`does not let its run decide what the check does: ${files.join(', ')}`, async () => {
      await using kedge = await run(files, false);
      assert.deepEqual(
        eventsOf(kedge.events, 'approval_requested').map(({ rule, changes }) => [rule, changes.map(({ path }) => path)]),
        [['steers-command', ['package.json']]],
      );
      assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'passed');
      assert.equal(await kedge.read('ran.txt'), 'as it was\n');
      assert.equal(await kedge.read('src/a.ts'), 'x\n');
    });

  it('needs no second approval for a file that it names, if only another command is allowed', async () => {
    for (const [files, expected] of [
      [['package.json'], []],
      [['**'], ['steers-command']],
    ] as const) {
      const named: PlanDraft = { goal: 'Do', steps: [{ title: 'All', files: [...files] }] };
      await using kedge = await assistantOn({ 'package.json': before }, [turn(call('propose_plan', named)), turn(edit), done]);
      kedge.granted.covers.push(command('npm test'));
      await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
      answerAll(kedge.session, { approve: false });
      await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
      assert.deepEqual(
        eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
        expected,
      );
    }
  });

  it('runs the check that the user has confirmed', async () => {
    await using kedge = await run(['**'], true);
    assert.equal(await kedge.read('ran.txt'), 'evil\n');
  });

  it('may name a script that it writes and runs', async () => {
    const steps = [{ title: 'All', files: ['check.sh', 'lib/**'], check: { command: 'bash check.sh' } }];
    const script = [turn(call('propose_plan', { goal: 'Do', steps })), turn(create('check.sh'), create('lib/check.sh')), done];
    await using kedge = await assistantOn({}, script);
    await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested'), []);
  });
});
