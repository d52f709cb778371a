import type { CommandConcern } from '../../core/session/rule-ids.ts';
import { concern } from './concerns.ts';
import type { Concern } from './types.ts';

/** What is found out about one simple command. */
export type Finding = {
  concerns?: Concern[];
  /** A prefix that is to cover it must have at least so many words; 1 where nothing is said. */
  floor?: number;
  /** It changes nothing; where nothing is said, the table of programs tells. */
  reads?: boolean;
  /** The words as prefixes see them, where that is not as they are written. */
  argv?: readonly string[];
  /** Another command begins at this word. `isCovered`: the words in front of it ask for nothing themselves, so that one alone counts. */
  inner?: { at: number; isCovered: boolean };
  /** A text that a shell will read. */
  script?: string;
};

/** Judges the arguments of one program; `args[0]` is the first word behind it. */
export type Check = (args: readonly string[], program: string) => Finding;

export function asks(rule: CommandConcern, what: string): Finding {
  return { concerns: [concern(rule, what)] };
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}
