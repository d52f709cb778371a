/** Everything that hosts do with mentions. Loaded when a mention is first completed or sent. */
import type { MentionChoice } from '../../core/model/mentions.ts';
import type { MentionRef, ModelRef } from '../../core/model/messages.ts';
import { type EditorView, MentionFinder } from './finder.ts';
import {
  type Confirm,
  type Confirmation,
  checkMention,
  type MentionPorts,
  type MentionsInText,
  mentionsInText,
  type Pointed,
  type ReadMentions,
  readMentions,
} from './mentions.ts';

export { MentionError } from './mention-error.ts';
export type { Confirm, Confirmation, Pointed, ReadMentions } from './mentions.ts';

export class Mentions {
  readonly #ports: MentionPorts;
  readonly #finder: MentionFinder;

  constructor(ports: MentionPorts) {
    this.#ports = ports;
    this.#finder = new MentionFinder(ports);
  }

  /** Checks what the user points at. Returns it with the kind that it has, and a question if the user has to confirm it. @throws MentionError */
  check(ref: MentionRef): Promise<{ ref: MentionRef; question?: Confirmation }> {
    return checkMention(ref, this.#ports);
  }

  /** Reads mentions for a message to `model`. Of a mention that is refused or not confirmed, nothing is read. */
  read(refs: readonly Pointed[], confirm: Confirm, signal: AbortSignal, model?: ModelRef): Promise<ReadMentions> {
    return readMentions(refs, this.#ports, confirm, signal, model);
  }

  /** Finds the files and folders that a text mentions, such as `@src/a.ts:10-20`. Nothing is read. */
  inText(text: string): Promise<MentionsInText> {
    return mentionsInText(text, this.#ports);
  }

  /** Yields choices for a query, the best first. A later list replaces an earlier one. */
  find(query: string, view: EditorView): AsyncGenerator<MentionChoice[]> {
    return this.#finder.find(query, view);
  }

  /** Call this when files were created, deleted or renamed. */
  filesChanged(): void {
    this.#finder.filesChanged();
  }
}
