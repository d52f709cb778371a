import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSecret } from '../../../src/policy/secrets.ts';
import { assertCheap, assertGrowsLinearly } from '../../support/clock.ts';

const SECRET: Record<string, string[]> = {
  'environment files': [
    '.env',
    '.env.local',
    '.env.production',
    'app/.env.test.local',
    '.env-prod',
    '.env_old',
    'prod.env',
    'env.local',
    '.envrc',
    '.dev.vars',
  ],
  keys: [
    'id_rsa',
    'keys/id_ed25519',
    'id_ed25519_sk',
    'id_rsa.bak',
    'server.pem',
    'tls/server.key',
    'a.p12',
    'a.pfx',
    'a.jks',
    'release.keystore',
    'a.kdbx',
    'k.ppk',
  ],
  'credential stores': [
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.pgpass',
    '.htpasswd',
    '.docker/config.json',
    'home/.kube/config',
    '.git/config',
    'vendor/lib/.git/config',
    '.git/config.worktree',
    '.git/config.lock',
    '.git/config.bak',
    '.git/credentials',
    '.git/modules/lib/config',
    '.git/worktrees/other/config.worktree',
    'mirror.git/config',
    '.GIT/Config',
    '.hg/hgrc',
  ],
  'what clouds keep': [
    '.aws/credentials',
    '.aws/config',
    '.azure/x',
    '.config/gcloud/credentials.db',
    'gcloud-key.json',
    'service-account.json',
    'service_account_prod.json',
    'application_default_credentials.json',
    'x-firebase-adminsdk-abc-12.json',
    'client_secret_1.apps.json',
  ],
  'directories of keys': ['.ssh/config', 'x/.ssh/known_hosts', '.gnupg/secring.gpg', '.password-store/mail.gpg'],
  'what tools keep': [
    'terraform.tfstate',
    'terraform.tfstate.backup',
    'prod.tfvars',
    'prod.auto.tfvars.json',
    'secrets.yml',
    'secrets.prod.yaml',
    'secret.json',
    'credentials.json',
    'credentials',
    'wp-config.php',
    'local.settings.json',
    '.bash_history',
    '.vault_pass',
  ],
  'in other spellings': [
    '.ENV',
    '.Env.Local',
    '.env.',
    '.env ',
    '.env::$DATA',
    '.e\u200Bnv',
    '.env\u200D',
    'ID_RSA',
    'Server.PEM',
    '.\u017Fsh/config',
    'ENV~1',
    'ID_RSA~1',
    '.e\u034Fnv',
  ],
};
const OPEN = [
  '.git/HEAD',
  '.git/info/exclude',
  '.gitignore',
  'src/git/config',
  '.github/config',
  '.env.example',
  '.env.sample',
  '.env.template',
  'app/.env.dist',
  'secrets.example.yml',
  'secrets.yml.sample',
  'id_rsa.pub',
  '.ssh/id_rsa.pub',
  'src/env.ts',
  'environment.ts',
  'src/secrets.ts',
  'src/credentials.tsx',
  'keyboard.ts',
  'monkey.md',
  'tokens.css',
  'src/token.ts',
  'package.json',
  'keys.md',
  'passwords.md',
  'environment.yml',
  'a.envelope',
  'config.json',
  'docs/secrets/README.md',
  '.',
];

describe('secrets', () => {
  for (const [what, paths] of Object.entries(SECRET))
    it(`are ${what}`, () => {
      for (const path of paths) assert.ok(isSecret(path), path);
    });

  it('do not include files meant to be read, such as examples', () => {
    for (const path of OPEN) assert.ok(!isSecret(path), path);
  });

  it('stay secret in any folder and any case', () => {
    const all = Object.values(SECRET).flat();
    const folder = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.array(folder, { maxLength: 3 }), fc.boolean(), (path, folders, upper) => {
        const full = [...folders, path].join('/');
        assert.ok(isSecret(upper ? full.toUpperCase() : full), full);
      }),
    );
  });

  it('are recognized quickly, however long the name', () => {
    const names = ['secrets', 'a.env', 'client_secret', 'service-account', '.gitlab-ci'];
    for (const name of names) assertGrowsLinearly((size) => isSecret(`${name}${'-x.'.repeat(size)}`), 1_300);
  });

  it('is determined quickly for any word', () => {
    const names = ['#'.repeat(9_000), `${'.'.repeat(120)}a${' copy'.repeat(26)}`, `${'.#'.repeat(125)}a`, '~ 1'.repeat(80)];
    for (const name of names) assert.equal(isSecret(`${name}x`), false);
    assertCheap(() => names.map((name) => isSecret(name)), 250);
    assertCheap(() => names.map((name) => isSecret(`${name}x`)), 250);
  });
});
