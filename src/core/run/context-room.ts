/** Keeps the requests of a run within the context window of the model by compacting the conversation. */

import { carriedIndex } from '../compaction/carried-state.ts';
import { fitInto, sizeOf, summaryTokens } from '../compaction/fit.ts';
import { modelSummary, summaryByRules, summaryRequest } from '../compaction/summary.ts';
import { sentAfter } from '../context/compacted.ts';
import { charactersFor, KINDS, noTokens, TokenCounter, type Tokens, totalOf } from '../context/tokens.ts';
import { type ContextUse, modelKey, ratioOf, requestLimit, resultCharacters, resultTokens } from '../context/window.ts';
import type { Message, Usage, UserMessage } from '../model/messages.ts';
import type { ModelError, ModelRequest } from '../model/model.ts';
import { type Estimate, useOfAnswer } from '../session/limits.ts';
import { sentMessages } from '../session/reduce.ts';
import { LimitReached } from './budget.ts';
import type { RunPorts, ThinkPorts } from './ports.ts';
import { Received } from './received-answer.ts';
import { addAnswer, messagesToSend, receive, useIn } from './think.ts';

type Reason = 'window' | 'overflow' | 'user';

/** The summary, if the model wrote one, and the usage of the request. */
type Summary = Estimate & { text: string | undefined; usage?: Usage; usd?: number };

/** After an overflow error that does not name the window, the window is assumed to be this part of the request. */
const ASSUMED = 0.85;

export class ContextRoom {
  readonly #ports: ThinkPorts;
  #tools: ModelRequest['tools'];
  #counter: TokenCounter;
  /**
   * The ratio that was computed from an overflow error. It is valid until the service reports the size of a request and `known` changes.
   */
  #told: { ratio: number; known: number | undefined } | undefined;

  /** The window that is assumed after an error that does not name it. It is valid for this run only, because it may be far too small. */
  #assumed: number | undefined;
  /**
   * The index of the user's latest message when a compaction freed no space. No compaction is tried again before the user sends a message.
   */
  #futileAt = -1;

  constructor(ports: ThinkPorts, tools: ModelRequest['tools']) {
    this.#ports = ports;
    this.#tools = tools;
    this.#counter = new TokenCounter({ system: ports.request.system, tools });
  }

  /** Counts other tools from now on. */
  declare(tools: ModelRequest['tools']): void {
    this.#tools = tools;
    this.#counter = new TokenCounter({ system: this.#ports.request.system, tools });
  }

  /** The content of the window at the next request. */
  get use(): ContextUse {
    return this.#useOf(this.#count());
  }

  #useOf(counted: Tokens): ContextUse {
    const { window } = this;
    const tokens: Partial<Tokens> = {};
    for (const kind of KINDS) if (counted[kind] > 0) tokens[kind] = Math.round(counted[kind]);
    return { tokens, ratio: this.#ratio, ...(window !== undefined && { window, limit: this.#limit as number }) };
  }

  get window(): number | undefined {
    const { window, state, model } = this.#ports;
    const sizes = [window?.size, state.windows.get(modelKey(model)), this.#assumed].filter((size) => size !== undefined);
    return sizes.length > 0 ? Math.min(...sizes) : undefined;
  }

  /** Compacts the conversation if the next request does not fit into the window. */
  async make(signal: AbortSignal): Promise<void> {
    const words = this.#ports.compactionAsked?.();
    if (words !== undefined) await this.compact('user', signal, words);
    const limit = this.#limit;
    if (limit === undefined || this.#ports.conductor || this.#size() <= limit) return;
    const said = this.#ports.state.messages.findLastIndex(({ role }) => role === 'user');
    if (said === this.#futileAt) return;
    await this.compact('window', signal);
    if (this.#size() > limit) this.#futileAt = said;
  }

  /**
   * Compacts the conversation after the service has refused a request because of its size. Returns false if the request cannot become
   * smaller.
   */
  async afterOverflow({ window, requested }: ModelError, signal: AbortSignal): Promise<boolean> {
    const estimated = totalOf(this.#count());
    if (requested !== undefined) this.#told = { ratio: ratioOf(requested, estimated), known: this.#known };
    const before = this.#size();
    // Services can name a window that is larger than the request. It was not exceeded, so nothing is learned from it.
    const isNamed = window !== undefined && window <= before * 1.5;
    if (isNamed) this.#ports.window?.learn?.(window);
    else this.#assumed = Math.floor(Math.min(before, this.window ?? before) * ASSUMED);
    return this.compact('overflow', signal, undefined, isNamed ? window : undefined);
  }

  /** Returns how many characters of a result the window can hold, for each of the calls of one answer. */
  resultCharacters(calls: number): number | undefined {
    const { conductor } = this.#ports;
    if (conductor) return conductor.resultCharacters();
    const limit = this.#limit;
    if (limit === undefined) return undefined;
    return resultCharacters(charactersFor(resultTokens(limit, calls) / this.#ratio));
  }

  /**
   * Compacts the conversation. Returns false if it cannot become shorter. `words` describes the content that the user wants to keep, and
   * `named` is the window that an error message contained.
   */
  async compact(reason: Reason, signal: AbortSignal, words?: string, named?: number): Promise<boolean> {
    const { state, emit } = this.#ports;
    if (state.open.length > 0) return false;
    const before = this.#size();
    const window = named ?? this.window;
    const limit = window === undefined ? before : requestLimit(window, this.#ports.window?.answer);
    const space = Math.max(1, limit / this.#ratio - this.#fixed());
    const found = fitInto(state, space, reason === 'user');
    if (!found) return false;
    const { folds, tokens: _, ...cut } = found;
    // After an overflow, a request for a summary would overflow as well.
    const asked = folds && reason !== 'overflow' ? await this.#summary(cut.keepFrom, summaryTokens(space), signal, words) : undefined;
    const { text, ...use } = asked ?? { text: undefined };
    const byRules = folds ? summaryByRules(state, cut.keepFrom, summaryTokens(space)) : (state.compaction?.summary ?? '');
    const compaction = { ...cut, summary: text ?? byRules };
    const context = this.#useOf(this.#counter.countOther(sentAfter(state.messages, compaction)));
    emit({
      type: 'context_compacted',
      reason,
      by: text === undefined ? 'rules' : 'model',
      ...compaction,
      before: Math.round(before),
      after: Math.round(totalOf({ ...noTokens(), ...context.tokens }) * context.ratio),
      context,
      ...(named !== undefined && { window: named }),
      ...use,
    });
    return true;
  }

  /** Asks the model for a summary. Its request begins with the bytes of the last request, so that the prompt cache is hit. */
  async #summary(keepFrom: number, most: number, signal: AbortSignal, words?: string): Promise<Summary | undefined> {
    const { state, adapter, model, emit, meter, price } = this.#ports;
    const { answerSchema: _, ...request } = this.#ports.request;
    const asked = summaryRequest(carriedIndex(state, keepFrom, charactersFor(most)), most, words);
    const messages = this.#fitting(messagesToSend(this.#ports), asked, most);
    if (adapter.isFree || messages.length < 2) return undefined;
    const whole = { ...request, model: model.model, tools: this.#tools, messages };
    const received = new Received(whole);
    const enough = new AbortController();
    const ended = meter.receiving(() => received.use(price));
    emit({ type: 'context_compacting' });
    try {
      await receive(this.#ports, whole, received, AbortSignal.any([signal, enough.signal]), (event) => {
        received.add(event);
        if (event.type === 'model_waiting') emit(event);
        // If the summary becomes far too long, the request is stopped. The received part is shortened later.
        if (received.size > 3 * charactersFor(most)) enough.abort();
      });
    } catch (error) {
      // If the model fails to write a summary, the conversation is compacted without a summary from the model. A permanent failure of the
      // model is reported by the next request.
      if (signal.aborted || error instanceof LimitReached) {
        emit({ type: 'context_compacting', done: true });
        ended();
        if (received.hasBegun || received.usage) addAnswer(this.#ports, received, [], 'aborted');
        throw error;
      }
    }
    ended();
    const { stop, hasBegun } = received;
    const { usage, usd, ...counted } = useIn(received, price);
    const estimate = hasBegun ? counted.estimate : {};
    if (hasBegun || usage) meter.spend(useOfAnswer(usage, usd, estimate));
    const text = stop === 'end_turn' || stop === 'max_tokens' || enough.signal.aborted ? textsOf(received) : '';
    return {
      text: text === '' ? undefined : modelSummary(text, most),
      ...(usage && { usage }),
      ...(usd !== undefined && { usd }),
      ...estimate,
    };
  }

  /** Removes the last calls and their results until the request for the summary fits. It still begins like an earlier request. */
  #fitting(history: Message[], asked: UserMessage, most: number): Message[] {
    const { window = Number.POSITIVE_INFINITY } = this;
    let messages = history;
    const size = () => (this.#fixed() + sizeOf([...messages, asked])) * this.#ratio + most;
    while (messages.length > 0 && size() > window) {
      const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
      messages = messages.slice(0, Math.max(0, lastAnswer));
    }
    return [...messages, asked];
  }

  #count(): Tokens {
    const { state } = this.#ports;
    return this.#counter.count(sentMessages(state), state.compaction);
  }

  /** The expected size of the next request in tokens. */
  #size(): number {
    return totalOf(this.#count()) * this.#ratio;
  }

  #fixed(): number {
    const { instructions, tools } = this.#count();
    return instructions + tools;
  }

  get #known(): number | undefined {
    return this.#ports.state.ratios.get(modelKey(this.#ports.model));
  }

  get #ratio(): number {
    const told = this.#told;
    return (told && told.known === this.#known ? told.ratio : this.#known) ?? 1;
  }

  get #limit(): number | undefined {
    const { window } = this;
    return window === undefined ? undefined : requestLimit(window, this.#ports.window?.answer);
  }
}

function textsOf({ said }: Received): string {
  return said
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** Compacts the conversation of a run that is not in progress. Returns false if it cannot become shorter. */
export function compactNow(ports: RunPorts, words: string, signal: AbortSignal): Promise<boolean> {
  return new ContextRoom(ports, specsOf(ports.tools)).compact('user', signal, words);
}

/** Returns the tools as the model receives them. */
export function specsOf(tools: RunPorts['tools']): ModelRequest['tools'] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}
