/** Programs whose first word says what they do: what that word asks for, and how far a prefix must reach. */
import type { CommandConcern } from '../../../core/session/rule-ids.ts';
import { asks, type Check, wordSet } from '../findings.ts';

type Form = {
  /** These ask, whatever was allowed. */
  ask?: Partial<Record<CommandConcern, string>>;
  /** Only these do not ask, where it is given; for all others the rule is `otherwise`. */
  plain?: string;
  otherwise?: CommandConcern;
  /** A prefix must also name the word behind these: the script, the file, the tool. */
  namesTarget?: string;
  /** Behind these stands another program. */
  launches?: string;
  /** These install what they are given, and may be allowed where they are given nothing. */
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

/** These fetch what they run and are told which: never by a prefix. */
const FETCH_AND_RUN = 'bunx pnpx uvx pipx dlx degit create-react-app create-next-app create-vite'.split(' ');

const HARMLESS_FIRST = wordSet('-s --silent -q --quiet --color --no-color --offline --locked --frozen');
const TELLS_ONLY = wordSet('-v --version -V -h --help');
/** The others may first start what the workspace names: another toolchain, another version of themselves. */
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

/** Programs that show keys, or speak to another host, by the words behind the first. */
const OF_ONE: Record<string, (rest: readonly string[], shown: string) => ReturnType<Check> | undefined> = {
  kubectl: (rest, shown) => (rest.some((word) => /^(?:[^=]*[,/])?secrets?(?:[.,/]|$)/i.test(word)) ? asks('secrets', shown) : undefined),
  gh: (rest, shown) => {
    if (rest.some((word) => /(?:^-q|\b)env\b|\$ENV/.test(word))) return asks('secrets', shown);
    const isElsewhere = (word: string) => /^https?:/i.test(word) && !/^https:\/\/github\.com\//.test(word);
    const isHost = (word: string) => /^(?:(?:-R|--repo)=?)?[^-\s/]+\.[^\s/]+\/[^\s/]+\/[^\s/]+$/.test(word);
    return rest.some((word) => isElsewhere(word.replace(/^(?:-R|--repo)=?/, '')) || isHost(word)) ? asks('sends', shown) : undefined;
  },
};

function checkSubcommand(name: string, form: Form, args: readonly string[]): ReturnType<Check> {
  let at = 0;
  while (HARMLESS_FIRST.has(args[at] ?? '')) at++;
  const word = args[at];
  if (word === undefined) return { floor: 1 };
  if (word.startsWith('-'))
    return args.length === 1 && TELLS_ONLY.has(word) ? { floor: 1, reads: TELL_ALONE.has(name) } : asks('runs-other', `${name} ${word}`);
  // A toolchain, a file or an address in the place of a subcommand.
  if (/^\+|:\/\/|^\//.test(word)) return asks('runs-other', `${name} ${word}`);
  const shown = `${name} ${word}`;
  const rule = Object.entries(form.ask ?? {}).find(([, words]) => wordSet(words).has(word))?.[0] as CommandConcern | undefined;
  if (rule) return asks(rule, shown);
  const rest = args.slice(at + 1);
  const other = OF_ONE[name]?.(rest, shown);
  if (other) return other;
  const target = rest.findIndex((each) => !each.startsWith('-'));
  if (wordSet(form.launches ?? '').has(word)) {
    const isPlain = target === 0 || (target === 1 && rest[0] === '--');
    return isPlain ? { floor: at + target + 3, inner: { at: at + target + 2, isCovered: true } } : asks('runs-other', shown);
  }
  // What is up, and what it says: nothing that is in its file is run.
  if (word === 'compose' && /^(?:docker|podman)$/.test(name) && /^(?:ps|logs|ls|top|images|port)$/.test(rest[0] ?? ''))
    return { floor: at + 3 };
  if (form.plain !== undefined && !wordSet(form.plain).has(word)) return asks(form.otherwise ?? 'runs-other', shown);
  if (wordSet(form.installs ?? '').has(word) && target >= 0) return asks('installs', shown);
  if (name === 'go' && /^(?:test|vet|build)$/.test(word)) return { floor: at + 2 + packagesIn(rest) };
  if (!wordSet(form.namesTarget ?? '').has(word)) return { floor: at + 2 };
  if (name === 'gh' && !/^(?:list|ls|view|status|diff|checks)$/.test(rest[0] ?? ''))
    return asks('sends', `${shown} ${rest[0] ?? ''}`.trim());
  return { floor: target < 0 ? args.length + 1 : at + target + 3 };
}

const GO_VALUED = /^-(?:run|bench|skip|tags|count|timeout|p|parallel|cpu|list|covermode|coverpkg|benchtime|shuffle|vet|mod)$/;

/** How many of the words reach up to the last package that is named by its import path: its code may be anybody's. */
function packagesIn(words: readonly string[]): number {
  return 1 + words.findLastIndex((word, at) => !/^[-.]|\.go$/.test(word) && !GO_VALUED.test(words[at - 1] ?? ''));
}
