/** Estimates how many tokens the parts of a request need. */

import type { AssistantMessage, ImagePart, Message, NotePart, TextPart } from '../model/messages.ts';
import type { ModelRequest } from '../model/model.ts';

/** The kinds of content that fill a context window, in the order in which they are displayed. */
export const KINDS = ['instructions', 'tools', 'rules', 'summary', 'prompts', 'attachments', 'answers', 'results'] as const;
export type Kind = (typeof KINDS)[number];
/** The number of tokens of each kind. */
export type Tokens = Record<Kind, number>;

/** Characters outside ASCII need more tokens, because tokenizers are trained mostly on English text and code. */
const PER_ASCII = 0.29;
const PER_OTHER = 0.8;
/**
 * The assumed tokens of an image. Services charge by an image's dimensions, which are unknown here. A small file is assumed to be a small
 * image, and large images are scaled down by the services.
 */
const MAX_PER_IMAGE = 1_300;
const MIN_PER_IMAGE = 100;
const CHARACTERS_PER_IMAGE_TOKEN = 20;
/** The tokens that the wire format adds to each message, part and tool call. */
const PER_PART = 6;
const PER_CALL = 12;

export const noTokens = (): Tokens => ({
  instructions: 0,
  tools: 0,
  rules: 0,
  summary: 0,
  prompts: 0,
  attachments: 0,
  answers: 0,
  results: 0,
});

export function totalOf(tokens: Tokens): number {
  return KINDS.reduce((sum, kind) => sum + tokens[kind], 0);
}

export function tokensOfText(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) others++;
  return (text.length - others) * PER_ASCII + others * PER_OTHER;
}

/** Returns how many characters of ordinary text fit into a number of tokens. */
export function charactersFor(tokens: number): number {
  return Math.max(0, Math.floor(tokens / PER_ASCII));
}

const OF_NOTES: Partial<Record<NotePart['about'], Kind>> = {
  compacted: 'summary',
  mention: 'attachments',
  rules: 'rules',
  memory: 'rules',
  surroundings: 'rules',
  servers: 'rules',
  skills: 'rules',
  hook: 'attachments',
};

/** Messages are immutable, so each is measured only once. */
const measured = new WeakMap<Message, Tokens>();

export function tokensOf(message: Message): Tokens {
  const known = measured.get(message);
  if (known) return known;
  const tokens = noTokens();
  for (const part of message.content) {
    switch (part.type) {
      case 'tool_result':
        tokens.results += PER_CALL + part.content.reduce((sum, piece) => sum + tokensOfPiece(piece), 0);
        break;
      case 'tool_call':
      case 'reasoning':
        tokens.answers += tokensOfAnswer(part);
        break;
      default:
        tokens[kindOf(message, part)] += tokensOfPiece(part);
    }
  }
  measured.set(message, tokens);
  return tokens;
}

function kindOf({ role }: Message, part: TextPart | ImagePart | NotePart): Kind {
  if (role === 'assistant') return 'answers';
  if (part.type === 'image') return 'attachments';
  if (part.type === 'text') return 'prompts';
  return OF_NOTES[part.about] ?? 'prompts';
}

function tokensOfPiece(part: TextPart | ImagePart | NotePart): number {
  if (part.type !== 'image') return PER_PART + tokensOfText(part.text);
  return Math.min(MAX_PER_IMAGE, MIN_PER_IMAGE + part.data.length / CHARACTERS_PER_IMAGE_TOKEN);
}

function tokensOfAnswer(part: Exclude<AssistantMessage['content'][number], TextPart>): number {
  const replay = part.replay === undefined ? 0 : tokensOfText(JSON.stringify(part.replay));
  if (part.type === 'reasoning') return PER_PART + Math.max(tokensOfText(part.text), replay);
  return PER_CALL + tokensOfText(part.name) + tokensOfText(part.malformed ?? JSON.stringify(part.input ?? {})) + replay;
}

/** Adds up the tokens of requests. Until the conversation is compacted, only messages that are new since the last request are added. */
export class TokenCounter {
  readonly #fixed: Tokens;
  #compaction: object | undefined;
  #counted = 0;
  #sum: Tokens;

  constructor({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>) {
    this.#fixed = { ...noTokens(), instructions: tokensOfText(system), tools: tokensOfText(JSON.stringify(tools)) };
    this.#sum = this.#fixed;
  }

  /** Counts the messages of the current request. As long as `compaction` is unchanged, only the messages added since the last call are counted. */
  count(messages: readonly Message[], compaction: object | undefined): Tokens {
    const continues = compaction === this.#compaction && this.#counted <= messages.length;
    const from = continues ? this.#counted : 0;
    this.#sum = this.#add(continues ? this.#sum : this.#fixed, messages.slice(from));
    this.#compaction = compaction;
    this.#counted = messages.length;
    return this.#sum;
  }

  /** Counts messages that may be sent later. */
  countOther(messages: readonly Message[]): Tokens {
    return this.#add(this.#fixed, messages);
  }

  #add(before: Tokens, messages: readonly Message[]): Tokens {
    const sum = { ...before };
    for (const message of messages) {
      const tokens = tokensOf(message);
      for (const kind of KINDS) sum[kind] += tokens[kind];
    }
    return sum;
  }
}
