import type { CommandConcern } from '../../core/session/rule-ids.ts';
import { concern } from './concern-messages.ts';
import type { Concern } from './types.ts';

/** The result of checking the arguments of one simple command. */
export type Finding = {
  concerns?: Concern[];
  /** The minimum number of words a prefix needs to cover this command. Default: 1. */
  floor?: number;
  /** Whether the command changes nothing. Default: whether the program is listed as read-only. */
  reads?: boolean;
  /** The normalized words that prefixes are compared with, if they differ from the words as written. */
  argv?: readonly string[];
  /** The index of the word where a nested command starts. `isCovered` means that the prefix of the outer command covers it too. */
  inner?: { at: number; isCovered: boolean };
  /** Text that a shell will execute as a script. */
  script?: string;
};

/** Checks the arguments of one program; `args` excludes the program name. */
export type Check = (args: readonly string[], program: string) => Finding;

export function asks(rule: CommandConcern, what: string): Finding {
  return { concerns: [concern(rule, what)] };
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}
