import type { Judgement } from '../../core/run/tool.ts';
import type { CommandConcern } from '../../core/session/rule-ids.ts';

/** A word as the program will get it, or what is known of that. */
export type Word = {
  /** As it is written. */
  source: string;
  /** After quotes, escapes and braces are gone; undefined where only running the command tells, as with variables and substitutions. */
  value: string | undefined;
  /** `value` holds `*`, `?` or `[` that the shell replaces by names of files. */
  glob: boolean;
};

/** Where a simple command stands in what contains it, outermost first. */
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

/** A command as it stands in the text. */
export type WrittenCommand = {
  /** As it is written, without the environment in front of it. */
  source: string;
  /** The program and its arguments; never empty. */
  words: readonly Word[];
  within: readonly Standing[];
  /** `NAME=value` in front of it. */
  environment: readonly { name: string; value: string | undefined }[];
};

/** A command with what is known of its program. */
export type SimpleCommand = WrittenCommand & {
  /** The values of the words as prefixes see them: harmless options in front of a subcommand are left out. */
  argv: readonly (string | undefined)[];
  /** A prefix covers it only with at least so many words: `node` alone would cover any script, `npx` any program. */
  floor: number;
  /** It changes nothing and runs nothing else. */
  reads: boolean;
  /** It needs no prefix of its own, because one for the command within it, or around it, counts. */
  isCovered: boolean;
};

/** Something that asks whatever was allowed. */
export type Concern = {
  rule: CommandConcern;
  /** A whole sentence for people. */
  reason: string;
};

/** Why a path asks, and whether it may hold keys or passwords. */
export type Guarded = Pick<Judgement, 'reason' | 'secret'>;

/** Its name is shown or asked for, it is read, or anything else may be done with it. */
export type Use = 'name' | 'read' | 'any';

export type CommandAnalysis = {
  /** The whole command, as it was given. */
  source: string;
  /** Every simple command in it, also in substitutions, function bodies, behind wrappers and in literal scripts of `sh -c`. */
  commands: readonly SimpleCommand[];
  /** Targets of redirections that write, as written where they are not literal; /dev/null and copies of descriptors are not among them. */
  writes: readonly string[];
  /** Words that may name files (arguments, values of options, sources of `<`): for the check against secrets. Globs as they are written. */
  paths: readonly string[];
  /** What becomes of each of the paths, at most. */
  uses: ReadonlyMap<string, Use>;
  /** It could not be read whole: every entry is a reason to ask, and no list above is complete. */
  opaque: readonly Concern[];
  /** What was read, and asks whatever was allowed. */
  dangers: readonly Concern[];
  /** Every simple command in it only reads, and nothing is opaque or dangerous. */
  isReadOnly: boolean;
};

/** A prefix is the words that a simple command begins with: `['git', 'status']`, or the same as one text, split at blanks. */
export type Prefix = string | readonly string[];

export type CommandRules = {
  allow: readonly Prefix[];
  /** Of the allowed prefixes that fit a command: names a place whose code it runs and none of them is meant for. */
  elsewhere?: (command: SimpleCommand, fits: readonly Prefix[]) => string | undefined;
  deny: readonly Prefix[];
  ask: readonly Prefix[];
  /** Commands that only read need no prefix. Off unless set. */
  allowReadOnly?: boolean;
  /** Says why a path that the command names may not be touched without asking (secrets, protected places); undefined where it may. */
  guard?: (path: string, use: Use) => Guarded | undefined;
};
