/** Lists programs whose first argument is a subcommand: why a subcommand needs approval, and how specific a prefix must be. */
import type { CommandConcern } from '../../../core/session/rule-ids.ts';
import { asks, type Check, wordSet } from '../program-check.ts';

type Form = {
  /** Subcommands that need approval regardless of rules and permissions. */
  ask?: Partial<Record<CommandConcern, string>>;
  /** If set, all other subcommands need approval for the reason `otherwise`. */
  plain?: string;
  otherwise?: CommandConcern;
  /** Subcommands for which a prefix must also name the next word: the script, file or tool. */
  namesTarget?: string;
  /** Subcommands that start the program named after them. */
  launches?: string;
  /** Subcommands that install the packages they are given. Without packages, they can be allowed. */
  installs?: string;
};

const NPM: Form = {
  ask: {
    sends: 'publish unpublish login logout adduser deprecate dist-tag owner access team token hook profile star unstar stars search ping',
    installs: 'init create innit update up upgrade rebuild link ln dedupe ddp dlx import patch-package',
    'runs-other': `explore edit docs home bugs repo issues config c set set-script pkg version shrinkwrap completion cache env patch patch-commit
      self-update server setup store`,
    deletes: 'uninstall un remove rm r unlink prune',
  },
  installs: 'install i add in ins inst insta instal isnt isnta isntal isntall ci clean-install install-test it audit',
  namesTarget: 'run run-script rum urn explain why view info show',
  launches: 'exec x',
};
const TOOLS = 'rustup mise asdf nvm volta corepack conda mamba nvs fnm sdk pyenv rbenv proto pixi devbox'.split(' ');

const FORMS: Record<string, Form> = {
  npm: NPM,
  pnpm: NPM,
  yarn: {
    ...NPM,
    launches: 'exec',
    ask: { ...NPM.ask, 'runs-other': `${NPM.ask?.['runs-other']} plugin set workspace workspaces foreach node global` },
  },
  bun: { ...NPM, launches: 'x', namesTarget: 'run test build' },
  cargo: {
    ask: {
      sends: 'publish login logout owner yank search',
      installs: 'install uninstall add',
      deletes: 'clean remove rm',
      writes: 'fix new init',
    },
    namesTarget: '',
  },
  go: { ask: { installs: 'get install', 'runs-other': 'generate env telemetry bug', deletes: 'clean' }, namesTarget: 'run tool mod work' },
  docker: { plain: 'ps images version info logs inspect top stats port diff history', otherwise: 'runs-other' },
  podman: { plain: 'ps images version info logs inspect top stats port diff history', otherwise: 'runs-other' },
  nerdctl: { plain: 'ps images version info logs inspect top stats port', otherwise: 'runs-other' },
  kubectl: { plain: 'get describe logs version explain top api-resources api-versions cluster-info', otherwise: 'runs-other' },
  gh: {
    plain: 'pr issue run repo release workflow label status',
    otherwise: 'sends',
    namesTarget: 'pr issue run repo release workflow label',
  },
  pip: { plain: 'list show freeze check', otherwise: 'installs' },
  poetry: { launches: 'run', plain: 'run show check env about', otherwise: 'installs' },
  pipenv: { launches: 'run', plain: 'run graph verify', otherwise: 'installs' },
  uv: { launches: 'run', plain: 'run tree version', otherwise: 'installs' },
  rye: { launches: 'run', plain: 'run list show', otherwise: 'installs' },
  hatch: { launches: 'run', plain: 'run version status', otherwise: 'installs' },
  pdm: { launches: 'run', plain: 'run list info', otherwise: 'installs' },
  bundle: { launches: 'exec', plain: 'exec list show check info outdated', otherwise: 'installs' },
  composer: { plain: 'show validate outdated test run-script run', otherwise: 'installs', namesTarget: 'run-script run' },
  gem: { plain: 'list which environment contents', otherwise: 'installs' },
  deno: { plain: 'run test check lint fmt task info doc bench', otherwise: 'inline-code', namesTarget: 'run task' },
  dotnet: { plain: 'build test restore run format clean', otherwise: 'runs-other' },
  swift: { plain: 'build test run', otherwise: 'runs-other' },
  coverage: { plain: 'report combine erase', otherwise: 'inline-code' },
  flutter: { plain: 'test analyze build doctor', otherwise: 'installs' },
  dart: { plain: 'test analyze format compile', otherwise: 'installs', namesTarget: 'run' },
  rails: { plain: 'test routes stats about', otherwise: 'runs-other' },
  crystal: { ask: { 'inline-code': 'eval play' }, namesTarget: 'run' },
  zig: { namesTarget: 'run', ask: { installs: 'fetch' } },
  nim: { namesTarget: 'r e', ask: { 'inline-code': 'secret' } },
  mix: { plain: 'test compile format', otherwise: 'runs-other' },
  nx: { namesTarget: 'run run-many affected', ask: { 'runs-other': 'exec migrate generate g init add' } },
  turbo: { namesTarget: 'run', ask: { sends: 'login link unlink logout' } },
  lerna: { namesTarget: 'run', ask: { 'runs-other': 'exec bootstrap init', sends: 'publish' } },
  ...Object.fromEntries(TOOLS.map((name) => [name, { plain: 'list ls current which', otherwise: 'runs-other' }])),
};

/** Programs that download a package and run it. A prefix never covers them. */
const FETCH_AND_RUN = 'bunx pnpx uvx pipx dlx degit create-react-app create-next-app create-vite'.split(' ');

const HARMLESS_FIRST = wordSet('-s --silent -q --quiet --color --no-color --offline --locked --frozen');
const TELLS_ONLY = wordSet('-v --version -V -h --help');
/** Programs that only print their version. Other programs may first start a toolchain that the workspace selects. */
const TELL_ALONE = wordSet('npm pip docker podman kubectl gh deno bun uv');

export const subcommands: Record<string, Check> = {
  ...Object.fromEntries(Object.entries(FORMS).map(([name, form]): [string, Check] => [name, (args) => checkSubcommand(name, form, args)])),
  ...Object.fromEntries(FETCH_AND_RUN.map((name): [string, Check] => [name, () => asks('installs', name)])),
  npx: (args) => {
    let at = 0;
    while (/^(?:--no-install|--no|--offline|--prefer-offline|-q|--quiet)$/.test(args[at] ?? '')) at++;
    const word = args[at];
    if (word === undefined || word.startsWith('-'))
      return word === '--version' && args.length === 1 ? { reads: true } : asks('runs-other', `npx ${word ?? ''}`.trim());
    return { argv: ['npx', ...args.slice(at)], floor: 2, inner: { at: at + 1, isCovered: true } };
  },
};

/** Checks specific to one program for arguments that print keys or contact another host. */
const PROGRAM_CHECKS: Record<string, (rest: readonly string[], displayName: string) => ReturnType<Check> | undefined> = {
  kubectl: (rest, displayName) =>
    rest.some((word) => /^(?:[^=]*[,/])?secrets?(?:[.,/]|$)/i.test(word)) ? asks('secrets', displayName) : undefined,
  gh: (rest, displayName) => {
    if (rest.some((word) => /(?:^-q|\b)env\b|\$ENV/.test(word))) return asks('secrets', displayName);
    const isElsewhere = (word: string) => /^https?:/i.test(word) && !/^https:\/\/github\.com\//.test(word);
    const isHost = (word: string) => /^(?:(?:-R|--repo)=?)?[^-\s/]+\.[^\s/]+\/[^\s/]+\/[^\s/]+$/.test(word);
    return rest.some((word) => isElsewhere(word.replace(/^(?:-R|--repo)=?/, '')) || isHost(word)) ? asks('sends', displayName) : undefined;
  },
};

function checkSubcommand(name: string, form: Form, args: readonly string[]): ReturnType<Check> {
  let at = 0;
  while (HARMLESS_FIRST.has(args[at] ?? '')) at++;
  const word = args[at];
  if (word === undefined) return { floor: 1 };
  if (word.startsWith('-'))
    return args.length === 1 && TELLS_ONLY.has(word) ? { floor: 1, reads: TELL_ALONE.has(name) } : asks('runs-other', `${name} ${word}`);
  // The word is a toolchain, file or URL instead of a subcommand.
  if (/^\+|:\/\/|^\//.test(word)) return asks('runs-other', `${name} ${word}`);
  const displayName = `${name} ${word}`;
  const rule = Object.entries(form.ask ?? {}).find(([, words]) => wordSet(words).has(word))?.[0] as CommandConcern | undefined;
  if (rule) return asks(rule, displayName);
  const rest = args.slice(at + 1);
  const other = PROGRAM_CHECKS[name]?.(rest, displayName);
  if (other) return other;
  const target = rest.findIndex((each) => !each.startsWith('-'));
  if (wordSet(form.launches ?? '').has(word)) {
    const isPlain = target === 0 || (target === 1 && rest[0] === '--');
    return isPlain ? { floor: at + target + 3, inner: { at: at + target + 2, isCovered: true } } : asks('runs-other', displayName);
  }
  // These subcommands report on running containers and execute nothing from the compose file.
  if (word === 'compose' && /^(?:docker|podman)$/.test(name) && /^(?:ps|logs|ls|top|images|port)$/.test(rest[0] ?? ''))
    return { floor: at + 3 };
  if (form.plain !== undefined && !wordSet(form.plain).has(word)) return asks(form.otherwise ?? 'runs-other', displayName);
  if (wordSet(form.installs ?? '').has(word) && target >= 0) return asks('installs', displayName);
  if (name === 'go' && /^(?:test|vet|build)$/.test(word)) return { floor: at + 2 + packagesIn(rest) };
  if (!wordSet(form.namesTarget ?? '').has(word)) return { floor: at + 2 };
  if (name === 'gh' && !/^(?:list|ls|view|status|diff|checks)$/.test(rest[0] ?? ''))
    return asks('sends', `${displayName} ${rest[0] ?? ''}`.trim());
  return { floor: target < 0 ? args.length + 1 : at + target + 3 };
}

const GO_VALUED = /^-(?:run|bench|skip|tags|count|timeout|p|parallel|cpu|list|covermode|coverpkg|benchtime|shuffle|vet|mod)$/;

/** Counts the words up to the last package that is given by its import path. Such a package may contain code from anyone. */
function packagesIn(words: readonly string[]): number {
  return 1 + words.findLastIndex((word, at) => !/^[-.]|\.go$/.test(word) && !GO_VALUED.test(words[at - 1] ?? ''));
}
