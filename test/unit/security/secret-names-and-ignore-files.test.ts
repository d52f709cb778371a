/** Tests less known secrets, rules and permissions that cover less than they say, ignore files, Git's index, and misleading characters. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { namesIn } from '../../../src/app/facts/git-index.ts';
import { hookPlaces } from '../../../src/app/facts/hook-places.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { harmless } from '../../../src/hosts/cli/output/terminal.ts';
import { isPrivateHost } from '../../../src/hosts/node/fetch/address.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { mcpTool } from '../../../src/mcp/tools.ts';
import { isProtected } from '../../../src/policy/protected.ts';
import { matchesHost, touchesPath } from '../../../src/policy/rules.ts';
import { isSecret } from '../../../src/policy/secrets.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { judgedOn } from '../../support/command-judge.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';

const list = (text: string) => text.trim().split(/\s*,\s*/);
const lines = (text: string) => text.trim().split(/\s+/);

describe('the name of a less known secret', () => {
  const SECRETS = list(`.env copy, .env (copy), .env - Copy, prod copy.env, id_rsa (1), id_rsa copy, credentials (1).json,
    service-account (2).json, gcp-credentials.json, aws_credentials.csv, db-credentials.yml, my-app-secrets.yml, rootkey.csv,
    user_accessKeys.csv, accessKeys.csv, new_user_credentials.csv, deploy_key, deploy-key, ssh_key, github_rsa, server_ed25519,
    .databrickscfg, .dbt/profiles.yml, ngrok.yml, .sentryclirc, .config/github-copilot/hosts.json, .config/github-copilot/apps.json,
    .cache/huggingface/token, .huggingface/token, kaggle.json, .vault_pass.txt, vault_pass.txt, .vault-password, .config/sops/age/keys.txt,
    age/keys.txt, .oci/config, .aliyun/config.json, .config/configstore/firebase-tools.json, .config/doctl/config.yaml,
    .config/glab-cli/config.yml, .authinfo, .msmtprc, .fetchmailrc, .snowsql/config, .config/op/config, .cloudflared/abc.json, Login Data,
    .local/share/fish/fish_history, ConsoleHost_history.txt, .zhistory, .histfile, .irb_history, .lesshst, .viminfo, .envrc.local,
    firebase-adminsdk-x.json, .secret, secret_key_base, key.properties, htpasswd, tokens.txt, token.txt, slack_token.txt, .slack-token,
    .gh_token, .openai, .anthropic_api_key, .kube/cache/x, .azure/msal_token_cache.json, terraform.tfstate.backup, .pgpass.bak`);
  for (const path of SECRETS) it(`is known: ${path}`, () => assert.ok(isSecret(path)));
  const OPEN = list(`src/copy.ts, docs/a copy.md, a (1).ts, src/rsa.ts, src/credentials.ts, credentials.md, src/deploy-key.ts, src/token.ts,
    tokenizer.json, accessKeys.ts, src/history.ts, profiles.yml, keys.txt, config.json, package (1).json`);
  for (const path of OPEN) it(`is not secret: ${path}`, () => assert.ok(!isSecret(path)));
});

describe('the name of a file that a less known program runs automatically', () => {
  const PLACES =
    lines(`.gitpod.yml .gitpod/automations.yaml .replit replit.nix .codesandbox/tasks.json .stackblitzrc .idx/dev.nix devfile.yaml
    lint-staged.config.js .lintstagedrc.json .clinerules/x.md .kilocode/rules/x.md .kilocodemodes .openhands/setup.sh .aiassistant/rules/x.md
    .rovodev/x .copilot/mcp-config.json AGENT.md replit.md .amp/settings.json .tabnine/x .zencoder/rules/x .firebender/x .codebuddy/x
    .iflow/settings.json IFLOW.md .mise.local.toml mise.production.toml .mise/tasks/x mise/config.toml .config/mise/config.toml
    .venv/bin/activate venv/bin/activate .venv/Scripts/activate.bat node_modules/.bin/tsc node_modules/.hooks/postinstall .ideavimrc
    _vimrc .gvimrc .spacemacs .doom.d/init.el .xonshrc .config/nushell/config.nu rust-toolchain rust-toolchain.toml tools/bazel .buckconfig
    pip.ini nuget.config .envrc.local .pythonrc.py pyvenv.cfg .gemrc x.url x.scf x.library-ms .vscode-insiders/x .continuerc.json
    .ebextensions/x.config .platform/hooks/x .local/bin/x .my.cnf .mailcap .lessfilter .Renviron`);
  for (const path of PLACES) it(`is known: ${path}`, () => assert.ok(isProtected(path)));
  const OPEN = lines(
    'src/agents.ts docs/mise.md src/bin/a.ts node_modules/a/index.js src/venv.ts src/url.ts tools/bazel.md Makefile package.json',
  );
  for (const path of OPEN) it(`is an ordinary file: ${path}`, () => assert.ok(!isProtected(path)));

  it('is protected if the configuration of git includes it', async () => {
    await using kedge = await assistantOn({
      '.git/config': '[include]\n\tpath = ../tools/gitcfg\n[includeIf "x"]\n\tpath = "../more.cfg"\n',
    });
    assert.deepEqual(await hookPlaces(kedge.fs), ['tools/gitcfg', 'more.cfg']);
    assert.ok(isProtected('tools/gitcfg', await hookPlaces(kedge.fs)));
  });
});

describe('a rule that denies', () => {
  const TOUCHED: [glob: string, path: string][] = [
    ['db/[abc].sql', 'db/a.sql'],
    ['db/[abc].sql', 'db/[abc].sql'],
    ['src/secret[12].ts', 'src/secret1.ts'],
    ['a//b', 'a/b'],
    ['a/./b', 'a/b/c'],
    ['**/*.PEM', 'x/y.pem'],
    ['{private,db}', 'DB/x'],
  ];
  for (const [glob, path] of TOUCHED) it(`${glob} denies ${path}`, () => assert.ok(touchesPath(glob, path)));
  const HOSTS: [pattern: string, host: string][] = [
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.bücher.example', 'a.xn--bcher-kva.example'],
    ['::1', '[::1]'],
    ['127.1', '127.0.0.1'],
    ['EXAMPLE.com.', 'example.com:8080'],
  ];
  for (const [pattern, host] of HOSTS) it(`${pattern} denies ${host}`, () => assert.ok(matchesHost(pattern, host)));
  it('denies a command that runs in a denied directory', async () => {
    await using on = await judgedOn({ 'private/x': '' }, [{ effect: 'deny', path: 'private/**', from: 'user' }]);
    assert.equal((await on.judge('ls', ['ls'], 'private')).kind, 'deny');
  });
});

describe('a permission of the user', () => {
  it('does not cover installed packages, which have their own scripts', async () => {
    await using on = await judgedOn({ 'node_modules/evil/package.json': '{}', 'packages/a/package.json': '{}' });
    assert.equal((await on.judge('npm test', ['npm test'], 'node_modules/evil')).rule, 'other-folder');
    assert.equal((await on.judge('cd node_modules/evil && npm test', ['cd', 'npm test'])).rule, 'other-folder');
    assert.equal((await on.judge('npm test', ['npm test'], 'packages/a')).rule, 'command-elsewhere');
    assert.equal((await on.judge('npm test', ['npm test'], 'packages')).kind, 'allow');
  });

  it('to read files by a glob does not make them public: sending data afterwards needs approval', async () => {
    const script = [
      turn(call('run_command', { command: 'cat prod*' })),
      turn(call('fetch_url', { url: 'https://docs.example/?q=1' })),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn({ 'prod.pem': 'x' }, script, {
      commands: true,
      shellParsers: nodeShellParsers,
      fetcher: { isPrivate: () => false, get: () => assert.fail('it was sent') },
    });
    kedge.granted.covers.push({ kind: 'host', host: 'docs.example' }, { kind: 'command', prefix: ['cat'] });
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

describe('a file excluded by .kedgeignore', () => {
  const FILES = {
    '.kedgeignore': 'hidden/\n*.map\n',
    'hidden/x.txt': 'hunter2-swordfish',
    'a.map': 'hunter2-swordfish',
    link: '-> hidden/x.txt',
  };
  const COMMANDS = [
    'cat hidden/x.txt',
    'cat hid*/x*',
    'cat a.map',
    'cat < a.map',
    'cat link',
    'grep -rn hunter .',
    'grep -rn hunter hidden',
    'cd hidden && cat x.txt',
    'rg hunter',
    'diff -r hidden src',
    'git grep hunter',
    'git show HEAD:hidden/gone.txt',
    'npm test -- a.map',
  ];
  for (const command of COMMANDS)
    it(`is not shown by a command without approval: ${command}`, async () => {
      await using kedge = await assistantOn(FILES, [turn(call('run_command', { command })), turn(say('Done.'))], {
        commands: true,
        shellParsers: nodeShellParsers,
        policy: () => ({ rules: [], problems: [], readOnlyCommands: true }),
      });
      for (const prefix of ['cd', 'git grep', 'git show', 'npm test', 'rg'])
        kedge.granted.covers.push({ kind: 'command', prefix: prefix.split(' ') });
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.deepEqual(
        eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
        ['guarded-path'],
      );
      assert.ok(!JSON.stringify(kedge.adapter.requests).includes('hunter2-swordfish'));
    });
});

describe('an index of git', () => {
  it('lists the tracked files, and nothing if its format is unknown', async () => {
    await using kedge = await assistantOn({ 'a.txt': '', 'b/ü.txt': '', [`${'long'.repeat(50)}/x`]: '', '.env.example': '' });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: kedge.root, stdio: 'ignore' });
    git('init', '-q');
    git('add', '-Af');
    const index = async () => namesIn(await readFile(`${kedge.root}/.git/index`));
    assert.deepEqual([...((await index()) ?? [])].sort(), ['.env.example', 'a.txt', 'b/ü.txt', `${'long'.repeat(50)}/x`]);
    git('update-index', '--index-version', '4');
    assert.equal(await index(), undefined);
  });
  it('is read safely, whatever its bytes', () => {
    const begin = Uint8Array.of(0x44, 0x49, 0x52, 0x43, 0, 0, 0, 2);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void namesIn(Uint8Array.of(...begin, ...bytes))));
  });
});

describe('deceptive characters', () => {
  const TAGS = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
  const SHOWN: [what: string, text: string, shown: string][] = [
    ['another reading order', 'if (admin\u202e) {', 'if (admin⟨U+202E⟩) {'],
    ['an isolate', '/*\u2066 } */', '/*⟨U+2066⟩ } */'],
    ['a letter without width', 'is\u200bAdmin', 'is⟨U+200B⟩Admin'],
    ['a letter that looks like a blank', 'const \u3164 = 1', 'const ⟨U+3164⟩ = 1'],
    ['tags', TAGS.slice(0, 2), '⟨U+E006F⟩'],
    ['a return that hides what came before', 'evil\rgood', 'evil⟨U+000D⟩good'],
    ['what a text may hold', 'a\tb\r\nc 👩‍👧 é', 'a\tb\r\nc 👩‍👧 é'],
  ];
  for (const [what, text, shown] of SHOWN) it(`are seen in a diff: ${what}`, () => assert.equal(visibleText(text), shown));

  for (const char of ['\u200b', '\u2060', '\ufeff', '\u00ad', TAGS])
    it(`are seen in a terminal: ${JSON.stringify(char)}`, () => assert.match(harmless(`is${char}Admin`), /^is(⟨U\+[\dA-F]+⟩)+Admin$/));

  for (const path of ['src/\u202egpj.ts', 'a\u2066b.ts', 'a\u2028b.ts'])
    it(`name no file: ${JSON.stringify(path)}`, async () => {
      await using kedge = await assistantOn({}, [turn(call('create_file', { path, content: 'x' })), turn(say('Done.'))]);
      kedge.granted.covers.push({ kind: 'edits' });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR The path contains a control character/);
    });

  it('are marked in the names, values and examples of a schema and in the title of a call', async () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { [`path${TAGS}`]: { enum: [`a${TAGS}`], default: `\u202e${TAGS}`, examples: [TAGS] } },
    };
    const connection = { misfit: () => undefined } as never;
    const server = { name: 's', open: async () => ({ connection, fingerprint: 'f' }) };
    const tool = mcpTool(server, { name: `read\u202e${TAGS}`, description: 'x', inputSchema }, 'f', () => 'asks');
    const { title } = await tool.prepare({}, new AbortController().signal);
    assert.match(`${JSON.stringify(tool.inputSchema)}${title}`, /^[\x20-\x7e]*$/);
  });
});

describe('the internal address of a cloud', () => {
  it('is private', () => assert.ok(isPrivateHost(new URL('http://168.63.129.16/machine'))));
});
