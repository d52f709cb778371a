import type { Judgement } from '../../core/run/tool.ts';
import type { CommandConcern } from '../../core/session/rule-ids.ts';

/** One word of a command as the program will receive it, if that can be determined. */
export type Word = {
  /** The word as written. */
  source: string;
  /**
   * The value after quotes, escapes and braces are resolved; undefined if it is only known at run time, as with variables and
   * substitutions.
   */
  value: string | undefined;
  /** Whether `value` contains an unquoted `*`, `?` or `[`, which the shell expands to file names. */
  glob: boolean;
};

/** The construct that contains a command. */
export type Standing =
  | 'pipe'
  | 'list'
  | 'background'
  | 'subshell'
  | 'group'
  | 'function'
  | 'body'
  | 'condition'
  | 'substitution'
  | 'heredoc'
  | 'wrapper'
  | 'script';

/** A command as it appears in the text. */
export type WrittenCommand = {
  /** The command as written, without leading environment assignments. */
  source: string;
  /** The program and its arguments; never empty. */
  words: readonly Word[];
  within: readonly Standing[];
  /** The leading `NAME=value` assignments. */
  environment: readonly { name: string; value: string | undefined }[];
};

/** A command with the information from the program tables. */
export type SimpleCommand = WrittenCommand & {
  /** The words that the command prefixes of rules and permissions are compared with. Harmless options before a subcommand are omitted. */
  argv: readonly (string | undefined)[];
  /** The minimum number of words in a prefix. The prefix `node` would cover any script, and the prefix `npx` any program. */
  floor: number;
  /** Whether the command changes nothing and runs nothing else. */
  reads: boolean;
  /** Whether a prefix for the command inside or around this command is checked instead of a prefix for this command. */
  isCovered: boolean;
};

/** A reason why a command needs approval regardless of rules and permissions. */
export type Concern = {
  rule: CommandConcern;
  /** A complete sentence to show to the user. */
  reason: string;
};

/** The reason why a path needs approval. `secret` is true if the path may contain keys or passwords. */
export type Guarded = Pick<Judgement, 'reason' | 'secret'>;

/** How a command uses a path: it prints only the name, reads the content, or may do anything. */
export type Use = 'name' | 'read' | 'any';

export type CommandAnalysis = {
  /** The whole command as written. */
  source: string;
  /** All simple commands, including those in substitutions, function bodies, wrappers and literal `sh -c` scripts. */
  commands: readonly SimpleCommand[];
  /** Targets of redirections that write, as written if they are not literal. `/dev/null` and duplicated file descriptors are excluded. */
  writes: readonly string[];
  /** Words that may name files (arguments, option values, sources of `<`), to be checked for secrets. Globs are not expanded. */
  paths: readonly string[];
  /** How the command uses each path. If it uses a path in several ways, the strongest use counts. */
  uses: ReadonlyMap<string, Use>;
  /** Reasons why the command could not be parsed completely. If there are any, the other lists of this object are incomplete. */
  opaque: readonly Concern[];
  /** Reasons for an approval in the parts that were parsed. */
  dangers: readonly Concern[];
  /** Whether every simple command only reads and nothing is opaque or dangerous. */
  isReadOnly: boolean;
};

/** The words a simple command begins with: `['git', 'status']`, or the same as one string separated by spaces. */
export type Prefix = string | readonly string[];

export type CommandRules = {
  allow: readonly Prefix[];
  /** Returns a place whose code the command runs and to which none of the matching prefixes applies, or undefined. */
  elsewhere?: (command: SimpleCommand, matchingPrefixes: readonly Prefix[]) => string | undefined;
  deny: readonly Prefix[];
  ask: readonly Prefix[];
  /** Whether read-only commands need no prefix. Default: false. */
  allowReadOnly?: boolean;
  /** Returns why a path named by the command needs approval (secrets, protected places), or undefined. */
  guard?: (path: string, use: Use) => Guarded | undefined;
};
