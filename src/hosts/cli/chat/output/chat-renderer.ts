/** Shows events in a conversation. Most of the text is that of other runs. Diffs are displayed differently, and some parts are left out. */
import type { AgentEvent } from '../../../../core/session/events.ts';
import { planLines } from '../../../../core/view/plan-details.ts';
import type { RunView } from '../../../../core/view/run-view.ts';
import { diffText } from '../../output/diff-text.ts';
import { harmless, type Output, type Paint } from '../../output/terminal.ts';
import { type Redrawn, TextRenderer } from '../../output/text-renderer.ts';

/** A longer diff is truncated. `/review` and `/verbose` show all of it. */
const MAX_DIFF_LINES = 40;

export class ChatRenderer extends TextRenderer {
  readonly #err: Output;
  readonly #paint: Paint;
  readonly #isVerbose: () => boolean;
  readonly #redrawn: Redrawn;
  #isThinking = false;
  /** The calls whose changes the user has seen in an approval. */
  readonly #seen = new Set<string>();

  constructor(out: Output, err: Output, paint: Paint, run: RunView | undefined, redrawn: Redrawn, isVerbose: () => boolean) {
    super(out, err, true, run, redrawn);
    this.#err = err;
    this.#paint = paint;
    this.#isVerbose = isVerbose;
    this.#redrawn = redrawn;
  }

  override handle(event: AgentEvent): void {
    if (event.type === 'reasoning_delta' && !this.#isVerbose()) {
      this.#think();
      return;
    }
    this.#isThinking = false;
    // The message is listed with the waiting messages, and the answer continues.
    if (event.type === 'message_queued') return;
    if (event.type === 'approval_requested' && event.changes.length > 0) this.#seen.add(event.callId);
    // The user confirms exactly this text, so it is not rendered as Markdown.
    if (event.type === 'plan_proposed') return void this.#err.write(`\n${harmless(planLines(event.plan))}\n\n`);
    if (event.type === 'run_finished' && !this.#isVerbose()) {
      const { receipt: _, ...rest } = event;
      super.handle(rest);
      return;
    }
    super.handle(event);
    if (event.type === 'file_changed' && !this.#seen.has(event.callId))
      this.#err.write(`${this.#cut(diffText(event.changes, this.#paint))}\n`);
  }

  /** Thoughts are not shown, so that the status says what the model does. */
  #think(): void {
    if (!this.#isThinking) this.#redrawn.progressLine?.begin('Thinking');
    this.#isThinking = true;
  }

  #cut(diff: string): string {
    const lines = diff.split('\n');
    if (this.#isVerbose() || lines.length <= MAX_DIFF_LINES) return diff;
    const more = lines.length - MAX_DIFF_LINES;
    return [...lines.slice(0, MAX_DIFF_LINES), this.#paint.dim(`… ${more} more lines. To see them: /review`)].join('\n');
  }
}
