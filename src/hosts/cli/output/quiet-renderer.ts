import type { AgentEvent } from '../../../core/session/events.ts';
import type { RunView } from '../../../core/view/run-view.ts';
import type { Output } from './terminal.ts';
import { TextRenderer } from './text-renderer.ts';

/** The events that need the user's attention. */
const SHOWN: readonly AgentEvent['type'][] = ['budget_reached', 'limits_shrunk', 'hook_ran', 'question_answered', 'run_paused'];

/** Prints the answer, and of the rest only what needs the user's attention. */
export class QuietRenderer extends TextRenderer {
  readonly #gate: { isOpen: boolean };

  constructor(out: Output, err: Output, readsLines = false, run?: RunView) {
    const gate = { isOpen: false };
    // Without `isTTY`, nothing is drawn that disappears again, and no thoughts are shown.
    super(out, { write: (text) => gate.isOpen && err.write(text) }, readsLines, run);
    this.#gate = gate;
  }

  override handle(event: AgentEvent): void {
    if (event.type === 'run_finished') {
      this.#gate.isOpen = event.outcome !== 'answered' && event.outcome !== 'plan_proposed';
      const { receipt: _, ...rest } = event;
      super.handle({ ...rest, usage: {} });
    } else {
      this.#gate.isOpen = SHOWN.includes(event.type);
      super.handle(event);
    }
    this.#gate.isOpen = false;
  }
}
