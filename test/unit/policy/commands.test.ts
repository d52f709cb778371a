// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells have placeholders too
import assert from 'node:assert/strict';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand, evaluateCommand, suggestedPrefix } from '../../../src/policy/commands/index.ts';
import type { Shell } from '../../../src/policy/commands/shells/syntax.ts';
import type { CommandRules } from '../../../src/policy/commands/types.ts';

const analyze = async (command: string, shell: Shell = 'bash') => analyzeCommand(command, shell, await nodeShellParsers(shell));
const judge = async (command: string, rules: Partial<CommandRules>, shell?: Shell) =>
  evaluateCommand(await analyze(command, shell), { allow: [], deny: [], ask: [], ...rules });

describe('the command policy', () => {
  describe('allows a command line if every command in it is allowed', () => {
    const cases: [allow: string[], command: string][] = [
      [['ls'], 'ls'],
      [['ls'], 'ls -la src'],
      [['ls'], 'ls *.ts ~/x'],
      [['ls'], "\"ls\" -la; l\\s; 'l's; $'\\x6cs'"],
      [['ls', 'wc'], 'ls | wc -l'],
      [['ls', 'wc'], 'ls |& wc -l && ls || wc x; ls & wc x\nls'],
      [['ls'], '(ls; { ls; }) && ! ls'],
      [['ls', 'true'], 'if true; then ls; elif ls; then ls; else ls; fi'],
      [['ls', 'true'], 'while true; do ls; done; until ls; do true; done'],
      [['ls'], 'case a in a|b) ls ;; *) ls ;; esac'],
      [['[', 'ls'], '[ -f x ] && ls'],
      [['[[', 'ls'], '[[ -f x && $? -eq 0 ]] && ls'],
      [['ls'], 'ls 2>/dev/null >&2 1>&2 2>&-'],
      [['cat'], 'cat < a.txt'],
      [['cat'], 'cat <<< "some text"'],
      [['echo'], 'echo "it failed: $?"'],
      [['npm test'], 'npm test -- --grep "a; rm -rf /"'],
      [['npm test'], 'CI=1 FORCE_COLOR=0 npm test'],
      [['npm test'], 'timeout -k 5 60 nice -n 5 env CI=1 npm test'],
      [['npm run build'], 'npm run build'],
      [['git status'], 'git --no-pager status --short'],
      [['git'], "git log -5 --format='%h %s' -- src; git diff HEAD~1; git commit -qm 'x'"],
      [['git commit'], 'git commit -m "it\'s 5$; (really)"'],
      [['node build.mjs'], 'node build.mjs --watch -e x'],
      [['python -m pytest'], 'python -m pytest -q tests'],
      [['npx tsc'], 'npx tsc --noEmit'],
      [['make test'], 'make test -j4'],
      [['rg'], "rg -n 'a|b' ./src/*.ts"],
      [['find'], "find . -name '*.ts' -not \\( -path './x/*' \\) -print0"],
      [['sed'], "sed -n '1,20p;/a/,/b/p' x; sed -E 's|(a)|\\1|g' x"],
      [['awk'], "awk -F: '{ print $1, $2 }' x"],
      [['tar'], 'tar tzf a.tgz'],
      [['./gradlew test'], './gradlew test'],
      [['npm test'], 'npm test -- --reporter=dot --grep plan test/a.test.ts'],
      [['npm run build'], 'npm run build -- --mode production --env=prod'],
      [['npm run lint'], 'npm run lint -- --fix src/a.ts'],
      [['npx eslint', 'npx prettier'], 'npx eslint . --fix && npx prettier --write src/a.ts --no-config'],
      [['npx jest'], 'npx jest --testPathPattern src/a.test.ts --coverage'],
      [['npx vitest run'], 'npx vitest run src/a.test.ts -t name'],
      [['npx playwright test'], 'npx playwright test --project chromium --headed'],
      [['pytest'], 'pytest -q -k name tests/test_a.py'],
      [['cargo test', 'go test'], 'cargo test --all-features -p core -- --nocapture; go test -run TestA -count=1 ./...'],
      [['dotnet test'], 'dotnet test --filter Name -c Release --no-build'],
      [['ps', 'ruff check'], 'ps aux; ps -ef; ruff check --fix --output-format json src'],
      [['git fetch', 'git pull'], 'git fetch origin feature/x; git pull --rebase origin main'],
    ];
    for (const [allow, command] of cases) {
      it(`${JSON.stringify(command)} by ${allow.join(', ')}`, async () => {
        const { kind, reason } = await judge(command, { allow });
        assert.equal(kind, 'allow', reason);
      });
    }
  });

  describe('asks, and says why', () => {
    const cases: [allow: string[], command: string, rule: string][] = [
      [[], 'ls', 'command'],
      [['ls'], 'ls; touch x', 'command'],
      [['npm run test'], 'npm run test-all', 'command'],
      [['git status'], 'git stash', 'command'],
      [['npx', 'node', 'python -m'], 'npx tsc; node x.js', 'command'],
      [['ls'], './ls', 'command'],
      [['ls', 'a b'], '"a b" x', 'unreadable'],
      [['ls'], 'ls "', 'unreadable'],
      [['ls'], 'ls # and more', 'unreadable'],
      [['ls'], 'ls \\\n -la', 'unreadable'],
      [['ls'], 'ls\r', 'unreadable'],
      [['ls'], `ls ${'x'.repeat(10_000)}`, 'unreadable'],
      [['ls'], 'ls;'.repeat(51), 'unreadable'],
      [['ls'], '', 'unreadable'],
      [['ls'], ' \n', 'unreadable'],
      [['ls'], 'ls > a b', 'unreadable'],
      [['ls'], 'ls $HOME', 'dynamic'],
      [['ls'], 'ls "$(ls)"', 'dynamic'],
      [['ls'], '$x', 'dynamic'],
      [['ls'], 'ls {a,b}', 'dynamic'],
      [['rg'], 'rg x *', 'dynamic'],
      [['cat'], 'cat <<A\nx\nA', 'here-document'],
      [['ls'], 'ls > x', 'writes'],
      [['ls'], 'f() { ls; }', 'shadowed'],
      [['ls'], 'FOO=1 ls', 'environment'],
      [['ls', 'sudo'], 'sudo ls', 'runs-other'],
      [['bash'], "bash -c 'ls'", 'inline-code'],
      [['rm'], 'rm x', 'deletes'],
      [['curl'], 'curl https://a.example', 'sends'],
      [['npm install'], 'npm install left-pad', 'installs'],
      [['chmod'], 'chmod +x a', 'system'],
      [['cd', 'git'], 'cd a && git status', 'other-folder'],
    ];
    for (const [allow, command, rule] of cases) {
      it(`${rule}: ${JSON.stringify(command).slice(0, 80)}`, async () => {
        const decision = await judge(command, { allow });
        assert.deepEqual([decision.kind, decision.rule], ['ask', rule], decision.reason);
        assert.match(decision.reason, /^\S.*\.$/s);
      });
    }

    it('names the option, not only the program', async () => {
      assert.equal(
        (await judge('sort -u --compress-prog=x a', { allow: ['sort'] })).reason,
        '`sort --compress-prog=x` can run other programs.',
      );
    });

    it('shows a command with nothing hidden in it', async () => {
      assert.match((await judge('ls\u202e', { allow: ['ls'] })).reason, /⟨U\+202E⟩/);
    });
  });

  describe('orders its rules: deny, ask, allow', () => {
    it('denies a command that other rules ask for and allow', async () => {
      assert.equal((await judge('npm test', { allow: ['npm test'], ask: ['npm'], deny: ['npm test'] })).kind, 'deny');
    });
    it('asks for a command that another rule allows', async () => {
      assert.equal((await judge('npm test', { allow: ['npm'], ask: ['npm test'] })).rule, 'command-asked');
    });
    it('denies one command of several', async () => {
      assert.equal((await judge('ls && git push', { allow: ['ls'], deny: ['git push'] })).kind, 'deny');
    });
    it('does not deny a command that only names the word', async () => {
      assert.equal((await judge('echo git push', { allow: ['echo'], deny: ['git push'] })).kind, 'allow');
    });
    it('ignores an empty prefix', async () => {
      assert.equal((await judge('ls', { allow: ['', ' ', []] })).kind, 'ask');
      assert.equal((await judge('ls', { allow: ['ls'], deny: ['', []] })).kind, 'allow');
    });
  });

  describe('recognizes read-only commands', () => {
    const reading = [
      'ls -la',
      'cat a | head -5 | sort | uniq -c',
      'pwd',
      'echo done',
      'git status',
      'git log --oneline -3',
      'git diff --stat',
      'git show HEAD:a',
      'git branch -a',
      'git remote -v',
      'git stash list',
      'git tag',
      'rg x',
      'grep -rn x src',
      'find . -name x',
      'wc -l < a',
      'command -v node',
      "sed -n '1,9p' a",
      'test -f a && echo yes',
      'timeout 5 ls',
      'date +%s',
      'jq .a b',
    ];
    const changing = [
      'npm test',
      'git commit -m x',
      'git branch x',
      'git tag x',
      'git stash',
      'git remote add a b',
      'ls > a',
      'echo $x',
      'rg --pre x y',
      'find . -delete',
      './ls',
      'cd a',
      'sed -i s/a/b/ x',
      'git log --output=x',
      'tee a',
      'sort -o a b',
      'node x.js',
      'jq -n env',
      'env',
      'printenv',
    ];
    for (const command of reading) {
      it(`${command} reads`, async () => {
        assert.equal((await analyze(command)).isReadOnly, true);
        assert.equal((await judge(command, { allowReadOnly: true })).kind, 'allow');
        assert.equal((await judge(command, {})).kind, 'ask');
      });
    }
    for (const command of changing) {
      it(`${command} may do more`, async () => {
        assert.equal((await analyze(command)).isReadOnly, false);
        assert.equal((await judge(command, { allowReadOnly: true })).kind, 'ask');
      });
    }
  });

  describe('lists', () => {
    const programs = async (command: string) =>
      (await analyze(command)).commands.map(({ argv, within }) => [argv.join(' '), within.join(' ')].join(': '));

    it('every simple command, and where it stands', async () => {
      assert.deepEqual(await programs('a; b | c && (d)'), ['a: ', 'b: list pipe', 'c: list pipe', 'd: list subshell']);
      assert.deepEqual(await programs('a & b'), ['a: background', 'b: ']);
      assert.deepEqual(await programs('x() { a; }'), ['a: function group']);
      assert.deepEqual(await programs('a "$(b `c`)"'), ['c: substitution substitution', 'b : substitution', 'a : ']);
      assert.deepEqual(await programs('cat <<E\n$(a)\nE'), ['cat: ', 'a: heredoc heredoc substitution']);
      assert.deepEqual(await programs('timeout 5 env CI=1 a'), ['timeout 5 env CI=1 a: ', 'env CI=1 a: wrapper', 'a: wrapper wrapper']);
      assert.deepEqual(await programs("bash -c 'a; b'"), ['bash -c a; b: ', 'a: script', 'b: script']);
      assert.deepEqual(await programs('find . -exec a {} +'), ['find . -exec a {} +: ', 'a {} +: wrapper']);
    });
    it('what redirections write', async () => {
      assert.deepEqual((await analyze('a > b 2>> c; d &> "e f" < g >| h >& j > $k 2>/dev/null')).writes, ['b', 'c', 'e f', 'h', 'j', '$k']);
    });
    it('words that may name files', async () => {
      const { paths } = await analyze('cat .env --file=b -fc HEAD:d @e < f');
      for (const path of ['.env', 'b', 'c', 'd', 'e', 'f']) assert.ok(paths.includes(path), `${path} is not in ${paths}`);
    });
    it('and calls the guard for each of them', async () => {
      const guard = (path: string) => (path.endsWith('.env') ? { reason: `${path} holds secrets.` } : undefined);
      assert.deepEqual(await judge('cat src/.env', { allow: ['cat'], guard }), {
        kind: 'ask',
        rule: 'guarded-path',
        reason: 'src/.env holds secrets.',
      });
      assert.equal((await judge('git show HEAD:.env', { allow: ['git'], guard })).kind, 'ask');
      assert.equal((await judge('cat a', { allow: ['cat'], guard })).kind, 'allow');
    });
    it('the environment of a command', async () => {
      const [command] = (await analyze('A=1 B="x y" c')).commands;
      assert.deepEqual(command?.environment, [
        { name: 'A', value: '1' },
        { name: 'B', value: 'x y' },
      ]);
      assert.equal(command?.source, 'c');
    });
  });

  describe('offers a prefix for "always allow"', () => {
    const cases: [command: string, prefix: string | undefined][] = [
      ['ls -la src', 'ls'],
      ['git log --oneline', 'git log'],
      ['git --no-pager diff', 'git diff'],
      ['npm test -- x', 'npm test'],
      ['npm run build -- x', 'npm run build'],
      ['cargo build --release', 'cargo build'],
      ['go test ./...', 'go test'],
      ['docker ps', 'docker ps'],
      ['make test', 'make test'],
      ['./gradlew test', './gradlew test'],
      ['mytool deploy x', 'mytool deploy'],
      ['mytool deploy --to x', 'mytool deploy --to x'],
      ['mytool ./x', 'mytool'],
      ['ls a; ls b', 'ls'],
      ['ls | wc', undefined],
      ['rm x', undefined],
      ['ls > x', undefined],
      ['ls "', undefined],
      ['node x.js', undefined],
      ['timeout 5 ls', undefined],
      ['npx tsc', undefined],
      ['$x', undefined],
      ['', undefined],
    ];
    for (const [command, prefix] of cases) {
      it(`${JSON.stringify(command)}: ${prefix ?? 'none'}`, async () => {
        const suggested = suggestedPrefix(await analyze(command));
        assert.equal(suggested?.join(' '), prefix);
        if (suggested) assert.equal((await judge(command, { allow: [suggested] })).kind, 'allow');
      });
    }
  });

  describe('in PowerShell', () => {
    it('allows simple commands by prefix', async () => {
      for (const command of [
        'git status',
        "git log 'x y' --oneline",
        'git status; git diff | Select-String "x y"',
        'git status && git diff',
      ]) {
        assert.equal((await judge(command, { allow: ['git', 'Select-String'] }, 'powershell')).kind, 'allow', command);
      }
    });
    it('needs approval for everything else', async () => {
      for (const command of [
        'git status $x',
        'git status > x',
        '& git status',
        'if ($x) { git status }',
        'git status # x',
        'git status\n$x',
        'git @(1)',
      ]) {
        assert.equal((await judge(command, { allow: ['git'] }, 'powershell')).kind, 'ask', command);
      }
    });
  });

  describe('without a grammar', () => {
    it('asks for everything, and still denies', () => {
      for (const shell of ['bash', 'sh', 'powershell', 'other'] as const) {
        const analysis = analyzeCommand('ls', shell, undefined);
        assert.deepEqual(evaluateCommand(analysis, { allow: ['ls'], deny: [], ask: [], allowReadOnly: true }).rule, 'unreadable');
        assert.equal(evaluateCommand(analysis, { allow: ['ls'], deny: ['ls'], ask: [] }).kind, 'deny');
      }
    });
  });
});

describe('a command as the dialog shows it', () => {
  const cases: [name: string, text: string, shown: string][] = [
    ['plain text as it is', "echo 'für 你'; ls\n ls", "echo 'für 你'; ls\n ls"],
    ['a hidden direction', 'a\u202eb', 'a⟨U+202E⟩b'],
    ['zero width', 'a\u200bb\ufeff', 'a⟨U+200B⟩b⟨U+FEFF⟩'],
    ['blanks that are none', 'a\u00a0b\u3000c', 'a⟨U+00A0⟩b⟨U+3000⟩c'],
    ['tabs, returns and escapes', 'a\tb\rc\x1b[2K\0', 'a⟨U+0009⟩b⟨U+000D⟩c⟨U+001B⟩[2K⟨U+0000⟩'],
    ['other line ends', 'a\u2028b\u2029c\u0085d', 'a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d'],
    ['invisible letters', 'a\u115fb\u3164c\u2800d\u{e0001}', 'a⟨U+115F⟩b⟨U+3164⟩c⟨U+2800⟩d⟨U+E0001⟩'],
    ['halves of letters', 'a\ud800', 'a⟨U+D800⟩'],
    ['padding in a line', `a${' '.repeat(200)}b`, 'a ⟨200 blanks⟩ b'],
    ['padding by lines', `a${'\n'.repeat(50)}b`, 'a ⟨50 blanks⟩\nb'],
    ['padding at the end', `a${' '.repeat(20)}`, 'a ⟨20 blanks⟩ '],
  ];
  for (const [name, text, shown] of cases) it(name, () => assert.equal(visibleCommand(text), shown));
});
