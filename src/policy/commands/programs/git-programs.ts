/** Finds programs that Git runs because the repository's configuration names them. Others may have written this configuration. */
import { wordSet } from '../program-check.ts';
import type { SimpleCommand } from '../types.ts';
import { programName } from './program-tables.ts';

/** One setting from the repository's own configuration, without user and system settings; `key` has the form that Git prints. */
export type GitSetting = { key: string; value: string };

/** Subcommands that only read refs and names, so that Git does not run filters, diff drivers or merge drivers for them. */
const OF_REFS = wordSet(`branch tag rev-parse rev-list for-each-ref show-ref merge-base name-rev remote ls-tree shortlog count-objects
  check-ignore check-attr check-mailmap version worktree show-branch fetch`);
const OVER_NETWORK = /^(?:fetch|pull)$/;
const MERGING = /^(?:merge|pull|rebase|revert|cherry-pick|stash|checkout|switch)$/;
const SIGNING = /^(?:log|show|whatchanged|reflog|commit|merge|pull|rebase|revert|cherry-pick|tag)$/;
/** After these subcommands, Git may run automatic maintenance. */
const COLLECTING = /^(?:commit|merge|pull|rebase|fetch|am)$/;

/** Settings that name a program, and the subcommands that run it. */
const PROGRAMS: readonly [key: RegExp, isRunBy: (subcommand: string) => boolean][] = [
  [/^core\.fsmonitor$/, (subcommand) => !OF_REFS.has(subcommand) || OVER_NETWORK.test(subcommand)],
  [/^core\.worktree$/, (subcommand) => subcommand !== 'version'],
  [/^diff\.external$|^diff\..*\.(?:command|textconv)$|^filter\..*\.(?:clean|smudge|process)$/, (subcommand) => !OF_REFS.has(subcommand)],
  [/^merge\..*\.driver$/, (subcommand) => MERGING.test(subcommand)],
  [/^submodule\..*\.update$/, (subcommand) => MERGING.test(subcommand)],
  [/^gpg\.(?:.*\.)?program$/, (subcommand) => SIGNING.test(subcommand)],
  // `git log --help` runs `git help log`.
  [/^(?:man|browser)\..*\.(?:cmd|path)$/, (subcommand) => subcommand === 'help'],
  [/^gc\.recentobjectshook$/, (subcommand) => COLLECTING.test(subcommand)],
  [
    /^core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)$|^credential\.(?:.*\.)?helper$|^remote\..*\.(?:uploadpack|receivepack|vcs)$|^protocol\.(?:.*\.)?allow$/,
    (subcommand) => OVER_NETWORK.test(subcommand),
  ],
];

/** Values that name no program, or a program with the prefix `git-`, which Git does not look for in the repository. */
const HARMLESS = /^(?:|true|false|yes|no|on|off|[01]|never|user|checkout|rebase|merge|none|"?git-(?:lfs|crypt|nb\w+)"?(?: [\w %-]*)?)$/;
/** Harmless values of single settings: `ssh` with a key, and well-known credential helpers. */
const HARMLESS_OF: readonly [key: RegExp, value: RegExp][] = [
  [/^core\.sshcommand$/, /^ssh(?: -i [\w~./-]+| -o IdentitiesOnly=yes| -p \d+| -[46])*$/],
  [/^credential\./, /^(?:cache|store|manager|manager-core|osxkeychain|wincred|libsecret|oauth)$/],
];

function isHarmless({ key, value }: GitSetting): boolean {
  return HARMLESS.test(value) || HARMLESS_OF.some(([keys, values]) => keys.test(key) && values.test(value));
}

/** A URL that contains a password, or a token in place of the user name. */
const CREDENTIALS = /\w:\/\/(?:[^/@\s]*:[^/@\s]+|[^/@\s]{20,})@/;

/** Returns true if one of the commands prints remote addresses and one of the addresses contains a password or token. */
export function showsCredentials(commands: readonly SimpleCommand[], settings: readonly GitSetting[]): boolean {
  const shows = ({ argv: [program, subcommand, ...words] }: SimpleCommand) =>
    programName(program ?? '') === 'git' && subcommand === 'remote' && words.length > 0;
  const isAddress = ({ key }: GitSetting) => /^(?:remote|url)\./.test(key);
  return commands.some(shows) && settings.some((setting) => isAddress(setting) && CREDENTIALS.test(`${setting.key} ${setting.value}`));
}

/** Returns the key of a setting whose program one of the Git commands would run, such as `diff.external`; undefined if there is none. */
export function configuredProgram(commands: readonly Pick<SimpleCommand, 'argv'>[], settings: readonly GitSetting[]): string | undefined {
  const subcommands = commands.flatMap(({ argv }) =>
    programName(argv[0] ?? '') === 'git' ? [argv[1] ?? '', ...(argv.includes('--help') ? ['help'] : [])] : [],
  );
  const runs = (subcommand: string, setting: GitSetting) =>
    setting.key === `alias.${subcommand.toLowerCase()}` ||
    (!isHarmless(setting) && PROGRAMS.some(([keys, isRunBy]) => keys.test(setting.key) && isRunBy(subcommand)));
  return settings.find((setting) => subcommands.some((subcommand) => runs(subcommand, setting)))?.key;
}
