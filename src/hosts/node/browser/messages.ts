/** The messages between Kedge and the process that controls the browser. */
import type { PageAction, PageView } from '../../../tools/network/browse.ts';

/** The options with which the process is started. */
export type DriverOptions = {
  /** The directory of playwright-core. */
  library: string;
  /** The program of the browser. */
  executable: string;
};
export type DriverRequest = { id: number; action: PageAction };
/** `isGone` tells whether no page is open. `problem` is a sentence for the model. */
export type DriverAnswer = { id: number; isGone: boolean } & ({ view: PageView } | { problem: string });
