/** The text of one message of the model, of which a part was already sent. */
import { linkStart, withoutCommands } from '../../../core/words/command-links.ts';

const CONNECT = 'choose a model with --model after kedge acp in the settings of your editor, and set its key (see kedge models)';

export class StreamedText {
  #received = '';
  /** The end of the text, if it may be the beginning of a link. */
  #held = '';

  /** Takes the next piece of the text. Returns what can be sent. */
  push(piece: string): string {
    this.#received += piece;
    this.#held += piece;
    const end = linkStart(this.#held);
    const ready = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return withoutCommands(ready, CONNECT);
  }

  /** Returns what is left to send of the complete text. A text that differs from its pieces is not repeated. */
  end(complete: string): string {
    const rest = complete.startsWith(this.#received) ? complete.slice(this.#received.length) : '';
    const left = withoutCommands(this.#held + rest, CONNECT);
    this.#received = '';
    this.#held = '';
    return left;
  }
}
