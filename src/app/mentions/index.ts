/** Provides everything that hosts do with mentions. It is loaded when a mention is first completed or sent. */
import type { MentionChoice } from '../../core/model/mentions.ts';
import type { MentionRef, ModelRef } from '../../core/model/messages.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import { withSessionRules } from '../run/judge.ts';
import { type EditorView, find } from './finder.ts';
import { MentionLists } from './lists.ts';
import {
  type Confirm,
  type Confirmation,
  checkMention,
  type MentionsInText,
  mentionsInText,
  type ReadMentions,
  readMentions,
} from './mentions.ts';
import { promptIn } from './named.ts';
import type { MentionPorts, Pointed } from './sources.ts';

export { MentionError } from './mention-error.ts';
export type { Confirm, Confirmation, ReadMentions } from './mentions.ts';
export type { Pointed } from './sources.ts';

/** The session that a message is for. Its rules also apply to the mentions of the message. */
export type MentioningSession = { readonly state: Pick<SessionState, 'rules'> };

/** The mentions of all sessions. What a mention can name is listed once for all of them. */
export class AllMentions {
  readonly #ports: MentionPorts;
  readonly #lists: MentionLists;

  constructor(ports: MentionPorts) {
    this.#ports = ports;
    this.#lists = new MentionLists(ports);
  }

  of({ state }: MentioningSession): Mentions {
    return new Mentions(withSessionRules(this.#ports, state), this.#lists);
  }
}

/** The mentions of one session. */
export class Mentions {
  readonly #ports: MentionPorts;
  readonly #lists: MentionLists;

  /** @param ports the ports, with the rules of the session added */
  constructor(ports: MentionPorts, lists: MentionLists) {
    this.#ports = ports;
    this.#lists = lists;
  }

  /**
   * Checks a mention. Returns it with its actual kind, and a question if the user has to confirm it.
   * @throws MentionError
   */
  check(ref: MentionRef): Promise<{ ref: MentionRef; question?: Confirmation }> {
    return checkMention(ref, this.#ports);
  }

  /** Reads mentions for a message to `model`. A mention that is refused or not confirmed is not read. */
  read(refs: readonly Pointed[], confirm: Confirm, signal: AbortSignal, model?: ModelRef): Promise<ReadMentions> {
    return readMentions(refs, this.#ports, confirm, signal, model);
  }

  /** Finds the files and folders that a text mentions, such as `@src/a.ts:10-20`, without reading them. */
  inText(text: string): Promise<MentionsInText> {
    return mentionsInText(text, this.#ports);
  }

  /** Returns the prompt of an MCP server that a message such as `/server:prompt` asks for. */
  promptIn(text: string): Promise<MentionRef | undefined> {
    return promptIn(text, this.#ports);
  }

  /** Yields choices for a query, best first. A later list replaces the earlier lists. */
  find(query: string, view: EditorView): AsyncGenerator<MentionChoice[]> {
    return find(query, view, this.#ports, this.#lists);
  }

  /** Call this when files were created, deleted or renamed. It affects the mentions of all sessions. */
  filesChanged(): void {
    this.#lists.filesChanged();
  }
}
