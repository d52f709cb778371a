/** Collects the parts of a model's answer while it is streamed. */

import { commonPrefix } from '../common-prefix.ts';
import { GrowingText } from '../growing-text.ts';
import type { AssistantMessage, Message, TextPart, Usage } from '../model/messages.ts';
import { ModelError, type ModelEvent, type ModelRequest } from '../model/model.ts';
import type { Estimate, Use } from '../session/limits.ts';

/**
 * The maximum length of one answer in characters. It is about half a million tokens, which no model writes at once, so a longer answer is
 * considered endless.
 */
export const MAX_ANSWER = 2_000_000;
const MAX_CALLS = 1_000;
/** The number of characters of an endless answer that are kept. The complete text would not fit into a later request. */
const KEPT_OF_ENDLESS = 100_000;
/**
 * The number of characters that each delta or part counts in addition to its text, so that an endless stream of empty deltas reaches the
 * limit.
 */
const OVERHEAD = 64;
const CHARACTERS_PER_TOKEN = 4;

type Price = ((usage: Usage) => number | undefined) | undefined;

export class Received {
  readonly content: AssistantMessage['content'] = [];
  usage: Usage | undefined;
  stop: AssistantMessage['stop'] | undefined;
  readonly #request: ModelRequest;
  readonly #isFree: boolean;
  readonly #unfinished = new GrowingText();
  #streamed = 0;
  #kept = 0;
  /** Characters that count in addition to text: the overhead of empty deltas and parts, and opaque tokens of the service. */
  #besides = 0;
  #calls = 0;
  #isEndless = false;
  #inputEstimate: number | undefined;

  /** `isFree` means that the tokens do not count towards a budget. */
  constructor(request: ModelRequest, isFree = false) {
    this.#request = request;
    this.#isFree = isFree;
  }

  /** Adds an event of the answer. @throws ModelError when the answer is too long. */
  add(event: ModelEvent): void {
    switch (event.type) {
      case 'text_delta':
        this.#unfinished.add(event.text);
        this.#addDelta(event.text);
        break;
      case 'reasoning_delta':
      case 'tool_input_delta':
        this.#addDelta(event.text);
        break;
      case 'part': {
        const { part } = event;
        this.content.push(part);
        this.#kept += lengthOf(part);
        this.#besides += OVERHEAD + (part.replay === undefined ? 0 : jsonLength(part.replay));
        if (part.type === 'text') this.#unfinished.take();
        if (part.type === 'tool_call') this.#calls++;
        break;
      }
      case 'usage':
        this.usage = event.usage;
        break;
      case 'stop':
        this.stop = event.reason;
    }
    const tooMuch =
      this.size + this.#besides > MAX_ANSWER
        ? `is longer than ${MAX_ANSWER / 1_000_000} million characters`
        : this.#calls > MAX_CALLS
          ? `contains more than ${MAX_CALLS.toLocaleString('en')} tool calls`
          : undefined;
    if (!tooMuch) return;
    this.#isEndless = true;
    throw new ModelError(
      'bad_stream',
      `The model’s answer ${tooMuch}, so it was cut off. Make a smaller request, or choose another model.`,
    );
  }

  #addDelta(text: string): void {
    this.#streamed += text.length;
    if (text === '') this.#besides += OVERHEAD;
  }

  /** The length in characters. Text that was streamed as deltas and received again as a part counts once. */
  get size(): number {
    return Math.max(this.#streamed, this.#kept);
  }

  get hasBegun(): boolean {
    return this.size > 0;
  }

  /** The received text of an answer that was cut off. */
  get said(): TextPart[] {
    const texts = this.content.filter((part) => part.type === 'text');
    if (this.#unfinished.length > 0) texts.push({ type: 'text', text: this.#unfinished.text });
    return this.#isEndless ? texts.slice(0, 1).map(({ text }) => ({ type: 'text', text: text.slice(0, KEPT_OF_ENDLESS) })) : texts;
  }

  /** Returns the usage of the answer so far. Token counts that the service has not reported are estimated by length. */
  use(price: Price): Partial<Use> {
    const { input, output } = this.#filled;
    return { tokens: input + output, usd: price?.(this.#filled) ?? 0 };
  }

  /** Returns the estimated number of tokens that the service did not report, and the cost of the answer including these tokens. */
  estimated(price: Price): Estimate {
    const { input, output } = this.#filled;
    const tokens = input + output - (this.usage?.input ?? 0) - (this.usage?.output ?? 0);
    const usd = price?.(this.#filled);
    return { ...(tokens > 0 && { estimated: tokens }), ...(tokens > 0 && usd !== undefined && { estimatedUsd: usd }) };
  }

  /** The token counts of the service. Missing counts are estimated. */
  get #filled(): Usage & { input: number; output: number } {
    const { usage } = this;
    if (usage?.input !== undefined && usage.output !== undefined) return { ...usage, input: usage.input, output: usage.output };
    const { input, output } = this.#estimate;
    return { ...usage, input: usage?.input ?? input, output: usage?.output ?? output };
  }

  get #estimate(): { input: number; output: number } {
    if (this.#isFree) return { input: 0, output: 0 };
    this.#inputEstimate ??= tokensIn(requestLength(this.#request));
    return { input: this.#inputEstimate, output: tokensIn(this.size) };
  }
}

const tokensIn = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

function lengthOf(part: AssistantMessage['content'][number]): number {
  if (part.type !== 'tool_call') return part.text.length;
  return part.malformed?.length ?? JSON.stringify(part.input ?? {}).length;
}

/**
 * The messages of the last request of each run, and the length of the request up to each of them. A run is identified by its list of tools.
 * In each turn, only new messages are measured.
 */
const measuredRuns = new WeakMap<ModelRequest['tools'], { messages: Message[]; lengths: number[] }>();

function requestLength({ system, messages, tools }: ModelRequest): number {
  const run = measuredRuns.get(tools) ?? { messages: [], lengths: [jsonLength(tools)] };
  measuredRuns.set(tools, run);
  const known = commonPrefix(run.messages, messages);
  run.messages.length = known;
  run.lengths.length = known + 1;
  let length = run.lengths[known] as number;
  for (const message of messages.slice(known)) {
    length += messageLength(message);
    run.messages.push(message);
    run.lengths.push(length);
  }
  return system.length + length;
}

const jsonLength = (value: unknown) => JSON.stringify(value).length;

/** The estimated length of an image in characters. Services charge for its dimensions, not its bytes. */
const IMAGE = 4_000;

function messageLength({ content }: Message): number {
  let sum = 0;
  for (const part of content) {
    if (part.type === 'tool_result') for (const piece of part.content) sum += piece.type === 'image' ? IMAGE : piece.text.length;
    else if (part.type === 'note') sum += part.text.length;
    else sum += part.type === 'image' ? IMAGE : lengthOf(part);
  }
  return sum;
}
