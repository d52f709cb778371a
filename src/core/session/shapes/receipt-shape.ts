/** Checks the shape of a run's receipt when a log is read. */
import { arrayOf, boolean, type Check, number, object, oneOf, optional, recordOf, string } from '../../shape.ts';
import type { Mode, Receipt } from '../events.ts';

export const mode = oneOf<Mode>({ ask: true, plan: true, agent: true });

const strings = arrayOf(string);
const counts = recordOf(number);
export const receipt = object<Receipt>({
  mode,
  calls: number,
  effects: counts as Check<Receipt['effects']>,
  allowed: counts as Check<Receipt['allowed']>,
  asked: number,
  approved: number,
  rejected: number,
  denied: number,
  failed: optional(number),
  deniedBy: counts as Check<Receipt['deniedBy']>,
  rules: optional(strings),
  compactions: optional(number),
  read: strings,
  readCount: number,
  changed: strings,
  changedCount: number,
  unchangedSteps: optional(arrayOf(number)),
  commands: strings,
  commandCount: number,
  hosts: strings,
  hostCount: number,
  servers: strings,
  canWrite: optional(boolean),
});
