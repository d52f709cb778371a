/** Programs that git runs because the configuration of the repository names them, which may have come with the files of the workspace. */
import { wordSet } from '../findings.ts';
import type { SimpleCommand } from '../types.ts';
import { programName } from './programs.ts';

/** One line of a repository's own configuration; `key` as git prints it. What is the user's or the system's is not among them. */
export type GitSetting = { key: string; value: string };

/** These look at refs and names only, so no filter and no driver for a kind of file is run. */
const OF_REFS = wordSet(`branch tag rev-parse rev-list for-each-ref show-ref merge-base name-rev remote ls-tree shortlog count-objects
  check-ignore check-attr check-mailmap version worktree show-branch fetch`);
const OVER_NETWORK = /^(?:fetch|pull)$/;
const MERGING = /^(?:merge|pull|rebase|revert|cherry-pick|stash|checkout|switch)$/;
const SIGNING = /^(?:log|show|whatchanged|reflog|commit|merge|pull|rebase|revert|cherry-pick|tag)$/;
/** After these git may tidy up by itself. */
const COLLECTING = /^(?:commit|merge|pull|rebase|fetch|am)$/;

/** Which subcommands run the program that stands there. */
const PROGRAMS: readonly [key: RegExp, isRunBy: (subcommand: string) => boolean][] = [
  [/^core\.fsmonitor$/, (subcommand) => !OF_REFS.has(subcommand) || OVER_NETWORK.test(subcommand)],
  [/^core\.worktree$/, (subcommand) => subcommand !== 'version'],
  [/^diff\.external$|^diff\..*\.(?:command|textconv)$|^filter\..*\.(?:clean|smudge|process)$/, (subcommand) => !OF_REFS.has(subcommand)],
  [/^merge\..*\.driver$/, (subcommand) => MERGING.test(subcommand)],
  [/^submodule\..*\.update$/, (subcommand) => MERGING.test(subcommand)],
  [/^gpg\.(?:.*\.)?program$/, (subcommand) => SIGNING.test(subcommand)],
  // `git log --help` is `git help log`.
  [/^(?:man|browser)\..*\.(?:cmd|path)$/, (subcommand) => subcommand === 'help'],
  [/^gc\.recentobjectshook$/, (subcommand) => COLLECTING.test(subcommand)],
  [
    /^core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)$|^credential\.(?:.*\.)?helper$|^remote\..*\.(?:uploadpack|receivepack|vcs)$|^protocol\.(?:.*\.)?allow$/,
    (subcommand) => OVER_NETWORK.test(subcommand),
  ],
];

/** Values that name no program, or one of git's own name, which no repository brings along. */
const HARMLESS = /^(?:|true|false|yes|no|on|off|[01]|never|user|checkout|rebase|merge|none|"?git-(?:lfs|crypt|nb\w+)"?(?: [\w %-]*)?)$/;
/** `ssh` with a key; a helper for credentials by its name alone. */
const HARMLESS_OF: readonly [key: RegExp, value: RegExp][] = [
  [/^core\.sshcommand$/, /^ssh(?: -i [\w~./-]+| -o IdentitiesOnly=yes| -p \d+| -[46])*$/],
  [/^credential\./, /^(?:cache|store|manager|manager-core|osxkeychain|wincred|libsecret|oauth)$/],
];

function isHarmless({ key, value }: GitSetting): boolean {
  return HARMLESS.test(value) || HARMLESS_OF.some(([keys, values]) => keys.test(key) && values.test(value));
}

/** An address with a password, or with a token in the place of a name. */
const CREDENTIALS = /\w:\/\/(?:[^/@\s]*:[^/@\s]+|[^/@\s]{20,})@/;

/** Whether a git command shows addresses of other repositories, and one of them holds a password. */
export function showsCredentials(commands: readonly SimpleCommand[], settings: readonly GitSetting[]): boolean {
  const shows = ({ argv: [program, subcommand, ...words] }: SimpleCommand) =>
    programName(program ?? '') === 'git' && subcommand === 'remote' && words.length > 0;
  const isAddress = ({ key }: GitSetting) => /^(?:remote|url)\./.test(key);
  return commands.some(shows) && settings.some((setting) => isAddress(setting) && CREDENTIALS.test(`${setting.key} ${setting.value}`));
}

/** What a git command would run: `diff.external`. undefined where the repository names nothing that it would. */
export function configuredProgram(commands: readonly SimpleCommand[], settings: readonly GitSetting[]): string | undefined {
  const subcommands = commands.flatMap(({ argv }) =>
    programName(argv[0] ?? '') === 'git' ? [argv[1] ?? '', ...(argv.includes('--help') ? ['help'] : [])] : [],
  );
  const runs = (subcommand: string, setting: GitSetting) =>
    setting.key === `alias.${subcommand.toLowerCase()}` ||
    (!isHarmless(setting) && PROGRAMS.some(([keys, isRunBy]) => keys.test(setting.key) && isRunBy(subcommand)));
  return settings.find((setting) => subcommands.some((subcommand) => runs(subcommand, setting)))?.key;
}
