/**
 * Recognizes files with keys, passwords or tokens by name. Reading such a file needs approval in every mode, so that its content is not
 * sent to a model unnoticed. Names are normalized; see path-normalization.ts.
 */
import { isShortName, normalizedParts } from './path-normalization.ts';

const words = (text: string) => text.trim().split(/\s+/);

const DIRECTORIES = [
  ...words(
    '.ssh .gnupg .aws .azure .config/gcloud .kube .docker/contexts .password-store .secrets .vault .1password .envs .env.d keyrings',
  ),
  ...words('.config/github-copilot .config/op .config/configstore .config/doctl .config/glab-cli .config/sops .cloudflared .oci .aliyun'),
  ...words('.snowsql'),
];

const FILES = new Set([
  ...words(
    '.envrc .dev.vars .netrc _netrc .npmrc .yarnrc.yml .pypirc .git-credentials .htpasswd .pgpass .my.cnf .mylogin.cnf .s3cfg .boto',
  ),
  ...words('.dockercfg .dockerconfigjson .docker/config.json .vault-token .vault_pass .terraformrc terraform.rc credentials.tfrc.json'),
  ...words('kubeconfig .gem/credentials .cargo/credentials .cargo/credentials.toml .config/gh/hosts.yml gh/hosts.yml .config/hub'),
  ...words('.codex/auth.json .composer/auth.json .claude/.credentials.json .gemini/oauth_creds.json .cursor/auth.json'),
  ...words('wp-config.php local.settings.json wallet.dat logins.json key3.db key4.db cookies.sqlite .rhosts shadow'),
  ...words(
    '.bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history',
  ),
  ...words('.secrets secrets .credentials credentials .pgpass.conf application_default_credentials.json .gradle/gradle.properties'),
  ...words('pgpass.conf .flaskenv .token token.json .passwd auth.json .m2/settings.xml settings-security.xml rclone.conf'),
  ...words(
    '.databrickscfg .dbt/profiles.yml ngrok.yml .sentryclirc huggingface/token .huggingface/token kaggle.json age/keys.txt .hg/hgrc',
  ),
  ...words('.authinfo .msmtprc .fetchmailrc fish_history consolehost_history.txt .zhistory .histfile .irb_history .lesshst .viminfo'),
  ...words('rootkey.csv .secret secret_key_base key.properties htpasswd token.txt tokens.txt .openai'),
  'login data',
  ...words('sftp-config.json sftp.json filezilla.xml sitemanager.xml recentservers.xml cookies.txt'),
]);

const FAMILIES = [
  /\.env$/,
  /\.env\.(local|prod(uction)?|dev(elopment)?|test|stag(e|ing))$/,
  /\.(pem|key|p8|pk8|jceks|pvk|p12|pfx|jks|keystore|truststore|bks|kdbx?|ppk|keytab|ovpn|agekey|mobileprovision|asc|gpg|keychain|keychain-db)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?([._-].*)?$/,
  /^ssh_host_.*_key$/,
  /\.tfstate(\..*)?$/,
  /\.tfvars(\.json)?$/,
  /\.kubeconfig$/,
  /^\.?(secrets?|credentials?|passwords?)([._-][\w-]+)?\.(ya?ml|json|toml|ini|txt|xml|properties|conf|cfg|csv|env|php)$/,
  /^client_?secrets?[\w.-]*\.json$/,
  /^(google-)?service[-_]?account[\w.-]*\.json$/,
  /firebase-adminsdk[\w-]*\.json$/,
  /^gcloud[\w.-]*\.json$/,
  /^gha-creds-[\w-]+\.json$/,
  /^\.?(?:[\w-]*[_-])?(?:api|access|auth|oauth|private)[-_]?(?:keys?|tokens?)\.(txt|json|ya?ml)$/,
  /^[\w-]*[_-](secret|password|passphrase)s?\.(txt|json|ya?ml)$/,
  /^\.?(access|auth|api|refresh|github|gitlab|npm|gh|slack|bot|openai|anthropic|hf|sentry|bearer)[-_]?tokens?(\.(txt|json))?$/,
  /^\.[\w-]*(?:api|access|auth|private)[-_]?(?:key|token)$/,
  /^(?:[\w-]*[_-])?(?:credential|access-?key)s?\.(?:json|ya?ml|csv|txt|ini)$/,
  /(?:^|[_-])(?:rsa|dsa|ecdsa|ed25519|deploy[_-]?key|ssh[_-]?key)$/,
  /^\.?vault[-_]?pass(?:word)?(?:\.txt)?$/,
  /^\.envrc\..+$/,
];

/** Example files, which contain no real secrets: `.env.example`, `secrets.sample.yml`. */
const EXAMPLE = /[._-](example|sample|template|dist|defaults?|schema)(\.(ya?ml|json|toml|env|txt))?$/;
/** Inside a directory called `secrets`, only source files are not secret. */
const SOURCE = /\.([cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|swift|c|cc|cpp|h|md|html|css|vue|svelte)$/;
/** Matches prefixes and suffixes of backup files: `.env~`, `.id_rsa.swp`, `#a.key#`. */
const COPY = /(?:~|#|\.(?:bak|backup|old|orig|saved?|copy|tmp|sw[a-p]))+$/;
/** Suffixes of file copies made by operating systems: `.env copy`, `credentials (1).json`. */
const DUPLICATE = /(?: - copy| copy| \(copy\))?(?: ?\(\d+\)| \d+)?(?=(?:\.\w+)?$)/;
/** The longest file name that file systems support, in characters. */
const MAX_NAME = 255;
const ENV = /^\.?env([._-].*)?$/;
/** Configuration files of a Git repository, worktree or submodule. Their remote addresses and headers may contain tokens. */
const GIT = /^(config|config\.worktree|credentials)(\.lock)?$/;

/** @param path a workspace-relative path with forward slashes, after links and `..` were resolved */
export function isSecret(path: string): boolean {
  const parts = normalizedParts(path).filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  const whole = `/${parts.join('/')}/`;
  if (DIRECTORIES.some((directory) => whole.includes(`/${directory}/`))) return !/\.pub$/.test(name);
  // A short name may refer to any file: `ENV~1` may be `.env`.
  if (isShortName(name)) return true;
  const original = originalOf(name);
  if (
    original !== name &&
    original !== '' &&
    [original, original.replace(/^\./, '')].some((each) => isSecret([...parts.slice(0, -1), each].join('/')))
  )
    return true;
  if (parts.slice(0, -1).includes('secrets') && !SOURCE.test(name)) return true;
  if (GIT.test(name) && parts.slice(0, -1).some((part) => part.endsWith('.git'))) return true;
  if (FILES.has(name) || FILES.has(parts.slice(-2).join('/')) || FILES.has(parts.slice(-3).join('/'))) return true;
  if (/\.pub$/.test(name) || EXAMPLE.test(name)) return false;
  return isEnvironment(name) || FAMILIES.some((family) => family.test(name));
}

/**
 * Strips copy suffixes repeatedly. A loop is used because words of commands are checked too, and a crafted word could make a recursion too
 * deep.
 */
function originalOf(name: string): string {
  let [before, original] = ['', name.length > MAX_NAME ? '' : name];
  while (original !== before) {
    before = original;
    original = original.replace(COPY, '').replace(/^\.?#/, '').replace(DUPLICATE, '');
  }
  return original;
}

/**
 * Returns true if a file contains environment variables, judging by its name: `.env`, `.env.local` or `env.production`, but not `env.ts`.
 */
function isEnvironment(name: string): boolean {
  if (!ENV.test(name)) return false;
  return name.startsWith('.')
    ? !/\.(ts|js|mjs|cjs|d\.ts)$/.test(name)
    : /^env\.(local|prod(uction)?|dev(elopment)?|test|stag(e|ing))$/.test(name);
}
