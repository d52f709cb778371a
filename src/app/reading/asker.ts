/** Sends the requests of a reading run to the model. Each contains only its own text and no tools, so no document can cause a call. */
import { tokensOfText } from '../../core/context/tokens.ts';
import { modelKey, ratioOf } from '../../core/context/window.ts';
import type { Message, Usage } from '../../core/model/messages.ts';
import { ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../../core/model/model.ts';
import type { ThinkPorts } from '../../core/run/ports.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import type { CitationChecker } from '../answer/document-citations.ts';
import { pieces } from './rooms.ts';
import { SYSTEM } from './words.ts';

export type AskerPorts = Pick<ThinkPorts, 'adapter' | 'model' | 'window' | 'state'>;

type Asking = {
  /** The request of the turn, for its parameters. */
  request: ModelRequest;
  signal: AbortSignal;
  /** The maximum number of tokens of the answer. */
  answer: number;
  checker: CitationChecker;
  /** Whether the answer is displayed while it arrives. */
  isShown: boolean;
};
export type AskingPieces = Asking & { text: string; ask(piece: string): string; part: string };
export type Asked = { text: string; isCut: boolean; isRefused: boolean };

/** Failures that concern one request only, so the other parts are read nevertheless. */
const OF_ONE_PART: readonly ModelErrorKind[] = ['bad_stream', 'empty_answer', 'timeout', 'invalid_request'];
/** A service that refuses a smaller text because of its size refuses all. */
const SMALLEST_PIECE = 200;
/** After an overflow error that does not name the window, the window is assumed to be this part of the request. */
const ASSUMED = 0.8;

export class Asker {
  readonly #ports: AskerPorts;
  #window: number | undefined;
  #ratio: number | undefined;
  #usage: Usage = {};
  /** The messages that were sent in this turn. */
  readonly sent: Message[] = [];

  constructor(ports: AskerPorts) {
    this.#ports = ports;
  }

  /** The window of the model in tokens, if it is known. */
  get window(): number | undefined {
    const { window, state, model } = this.#ports;
    const sizes = [window?.size, state.windows.get(modelKey(model)), this.#window].filter((size) => size !== undefined);
    return sizes.length > 0 ? Math.min(...sizes) : undefined;
  }

  /** How many tokens of the model an estimated token is. */
  get ratio(): number {
    return this.#ratio ?? this.#ports.state.ratios.get(modelKey(this.#ports.model)) ?? 1;
  }

  /** Call this at the beginning of a turn, whose usage is counted together. */
  begin(): void {
    this.#usage = {};
    this.sent.length = 0;
  }

  /** Asks about a text, and if it does not fit about pieces of it. Returns the answers. `part` names the text in an error. */
  async *askPieces(asking: AskingPieces): AsyncGenerator<ModelEvent, { texts: string[]; problem?: string }> {
    const { text, ask, part } = asking;
    const room = Math.floor(tokensOfText(text) / 2);
    try {
      const asked = yield* this.ask({ ...asking, content: ask(text), mayOverflow: room >= SMALLEST_PIECE });
      if (asked) return asked.isRefused ? { texts: [], problem: 'the model refused to answer' } : { texts: [asked.text] };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (OF_ONE_PART.includes(error.kind)) return { texts: [], problem: error.message };
      throw new ModelError(error.kind, `${part}: ${error.message}`, { cause: error });
    }
    const texts: string[] = [];
    let problem: string | undefined;
    for (const piece of pieces(text, room)) {
      const asked = yield* this.askPieces({ ...asking, text: piece });
      texts.push(...asked.texts);
      problem ??= asked.problem;
    }
    return { texts, ...(problem !== undefined && { problem }) };
  }

  /** Sends one request. Returns undefined if it did not fit and `mayOverflow` is set. */
  async *ask(asking: Asking & { content: string; mayOverflow: boolean }): AsyncGenerator<ModelEvent, Asked | undefined> {
    const { request, signal, answer, checker, isShown, content, mayOverflow } = asking;
    const { answerSchema: _, ...rest } = request;
    const sent: ModelRequest = {
      ...rest,
      system: SYSTEM,
      messages: [{ role: 'user', content: [{ type: 'text', text: content }] }],
      tools: [],
      maxOutputTokens: answer,
    };
    this.sent.push(...sent.messages);
    const before = this.#usage;
    const shown = checker.copy();
    let [text, stop] = ['', 'end_turn'];
    try {
      for await (const event of this.#ports.adapter.stream(sent, signal)) {
        if (event.type === 'text_delta') {
          const checked = shown.add(visibleText(event.text));
          if (isShown && checked !== '') yield { ...event, text: checked };
        } else if (event.type === 'part') {
          if (event.part.type === 'text') text += event.part.text;
        } else if (event.type === 'usage') {
          this.#usage = sum(before, event.usage);
          this.#learnRatio(content, event.usage);
          yield { type: 'usage', usage: this.#usage };
        } else if (event.type === 'stop') stop = event.reason;
        else if (event.type === 'model_waiting' || event.type === 'reasoning_delta') yield event;
      }
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== 'context_overflow') throw error;
      this.#learnWindow(error, content);
      // The loop would compact the conversation, which does not make this request smaller.
      if (!mayOverflow) throw new ModelError('invalid_request', error.message, { cause: error });
      return undefined;
    }
    const held = shown.end();
    if (isShown && held !== '') yield { type: 'text_delta', text: held };
    return { text: checker.check(visibleText(text)), isCut: stop === 'max_tokens', isRefused: stop === 'refusal' };
  }

  #learnRatio(content: string, { input }: Usage): void {
    if (input) this.#ratio = ratioOf(input, tokensOfText(SYSTEM) + tokensOfText(content));
  }

  #learnWindow({ window }: ModelError, content: string): void {
    const size = tokensOfText(content) * this.ratio;
    if (window !== undefined && window <= size * 1.5) {
      this.#ports.window?.learn?.(window);
      this.#window = window;
    } else this.#window = Math.floor(Math.min(size, this.window ?? size) * ASSUMED);
  }
}

const COUNTS = ['input', 'output', 'cached', 'cacheWrite', 'reasoning'] as const;

function sum(first: Usage, second: Usage): Usage {
  const total: Usage = {};
  for (const count of COUNTS) {
    const known = [first[count], second[count]].filter((value) => value !== undefined);
    if (known.length > 0) total[count] = known.reduce((a, b) => a + b);
  }
  return total;
}
