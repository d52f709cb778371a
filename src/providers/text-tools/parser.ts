/**
 * Finds the calls in a text while it comes. What is held back is only what may still be the beginning of a call; all else is shown at
 * once. What is found does not depend on how the text was cut into chunks.
 */
import type { ToolSpec } from '../../core/model.ts';
import type { Call, Tools } from './calls.ts';
import * as marks from './markers.ts';
import { isShown, isWoven } from './quoting.ts';
import { Reader } from './readers.ts';
import { type Reading, Source, Unreadable } from './source.ts';

export type TextToolEvent = { type: 'text' | 'reasoning'; text: string } | ({ type: 'call' } & Call);
type Options = { bare?: boolean; fence?: boolean };

const HARMONY_CLOSERS = ['<|end|>', '<|return|>', '<|call|>'];
const MARKS = [
  ...marks.STARTS,
  ...marks.HARMONY,
  ...Object.keys(marks.THOUGHTS),
  ...Object.keys(marks.QUOTES),
  ...HARMONY_CLOSERS,
  '</think>',
];
/** gpt-oss without its control tokens. */
const STRIPPED = ['assistantcommentary to=functions.', 'commentary to=functions.'];

const LONG = 16_384;
/** How much of what stands before a call is looked at. */
const LEAD = 600;

export class TextToolParser {
  readonly #src = new Source();
  readonly #tools: Tools;
  readonly #atLineStart: readonly string[];
  readonly #scan: Reading<void>;
  #events: TextToolEvent[] = [];
  #waiting = '';
  /** Everything before it has been shown or taken. */
  #shown = 0;
  /** Where the text began that leads to the next call. */
  #base = 0;
  #quotedEnd: number | undefined;
  #afterCall = false;
  #said = false;
  #inHarmony = false;

  constructor(tools: readonly ToolSpec[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#atLineStart = [...STRIPPED, ...tools.flatMap(({ name }) => [`${name}[ARGS]`, `${name}[CALL_ID]`])];
    this.#scan = this.#lines();
  }

  feed(text: string): TextToolEvent[] {
    this.#waiting += text;
    // Appending copies the text: a long call grows in larger pieces, so that the work stays in proportion to its length.
    const held = this.#src.text.length - this.#shown;
    if (held > LONG && this.#waiting.length < held / 64) return [];
    this.#append();
    this.#scan.next();
    return this.#flush();
  }

  /** The text is over. What is half a call is text. */
  end(): TextToolEvent[] {
    this.#append();
    this.#src.ended = true;
    this.#scan.next();
    this.#show(this.#src.text.length);
    if (!this.#afterCall || this.#src.text.slice(this.#shown).trim() !== '') this.#say('text', this.#src.text.slice(this.#shown));
    return this.#flush();
  }

  #append(): void {
    this.#src.text += this.#waiting;
    this.#waiting = '';
  }

  *#lines(): Reading<void> {
    const src = this.#src;
    for (;;) {
      this.#forget();
      const indent = yield* src.run(/[ \t]+/y);
      const char = yield* src.char();
      if (char === '') return;
      if (char === '>') yield* this.#passing(src.run(/[^\n]+/y));
      else if (indent.length >= 4 && this.#isCode(indent)) yield* this.#passing(src.run(/[^\n]+/y));
      else if ((char === '`' || char === '~') && (yield* this.#fence())) continue;
      else yield* this.#line();
      if ((yield* src.char()) === '\n') src.at += 1;
    }
  }

  /** Indented by four behind a blank line that follows a text: code, in Markdown. */
  #isCode(indent: string): boolean {
    const before = this.#src.text.slice(this.#base, this.#src.at - indent.length);
    return /\S[^\n]*\n[ \t]*\r?\n$/.test(before) || /\n {4,}[^\n]*\n$/.test(before);
  }

  /** Shows the text while it is read. */
  *#passing<T>(reading: Reading<T>): Reading<T> {
    for (;;) {
      const { done, value } = reading.next();
      if (done) return value;
      this.#show(this.#src.text.length);
      yield;
    }
  }

  /** To the end of the line, or of a call that goes beyond it. */
  *#line(): Reading<void> {
    const src = this.#src;
    for (let first = true; ; first = false) {
      this.#forget();
      const char = yield* src.char();
      if (char === '' || char === '\n') return;
      if (char === '`') yield* this.#codeSpan();
      else if (char === '<' || char === '[') yield* this.#mark(first);
      else if (char === '{' && this.#mayBeBare()) {
        if (!(yield* this.#candidate((reader) => reader.bare(), { bare: true }))) src.at += 1;
      } else if (!first || !(yield* this.#named())) src.at += 1;
      yield* this.#passing(src.run(/[^<[{`\n]+/y));
      this.#show(src.at);
    }
  }

  /** A bare value stands at the beginning of its line, or behind a sentence. */
  #mayBeBare(): boolean {
    return /(^|[.:!?…\n])[ \t]*$/.test(this.#src.text.slice(this.#base, this.#src.at));
  }

  *#codeSpan(): Reading<void> {
    const src = this.#src;
    const opener = yield* src.run(/`+/y);
    const closes = function* (): Reading<void> {
      for (;;) {
        yield* src.run(/[^`\n]+/y);
        const char = yield* src.char();
        if (char === '') return;
        if (char === '`' && (yield* src.run(/`+/y)) === opener) return;
        if (char !== '\n') continue;
        // A blank line ends the paragraph, and the span with it.
        src.at += 1;
        const start = src.at;
        yield* src.run(/[ \t\r]+/y);
        if ((yield* src.char()) !== '\n') continue;
        src.at = start - 1;
        return;
      }
    };
    yield* this.#passing(closes());
  }

  /** Passes a fence of any kind; false where there is none. */
  *#fence(): Reading<boolean> {
    const src = this.#src;
    const start = src.at;
    const fence = yield* src.run(src.text[start] === '`' ? /`+/y : /~+/y);
    const info = fence.length < 3 ? '`' : yield* src.run(/[^\n`]+/y);
    if (info === '`' || (fence[0] === '`' && (yield* src.char()) === '`')) {
      src.at = start;
      return false;
    }
    const language = info.trim().toLowerCase();
    const contents = src.at;
    if (marks.CALL_FENCES.has(language) || marks.DATA_FENCES.has(language)) {
      if (yield* this.#candidate((reader) => reader.fenced(language, fence), { fence: true }, start)) return true;
    }
    src.at = contents;
    yield* this.#passing(this.#closing(fence));
    return true;
  }

  /** To the end of the fence's closing line, or of the text. */
  *#closing(fence: string): Reading<void> {
    const src = this.#src;
    for (;;) {
      this.#forget();
      yield* src.run(/[^\n]+/y);
      if ((yield* src.char()) === '') return;
      src.at += 1;
      yield* src.run(/[ \t]+/y);
      const run = yield* src.run(fence[0] === '`' ? /`+/y : /~+/y);
      if (run.length < fence.length) continue;
      yield* src.run(/[ \t\r]+/y);
      if (/^\n?$/.test(yield* src.char())) return;
    }
  }

  /** A tool's name with its arguments in brackets, or gpt-oss's header without its control tokens. */
  *#named(): Reading<boolean> {
    const src = this.#src;
    const start = src.at;
    const mark = yield* src.literal(this.#atLineStart);
    src.at = start;
    if (!mark) return false;
    if (!STRIPPED.includes(mark)) {
      const name = mark.slice(0, mark.indexOf('['));
      return yield* this.#candidate(function* (reader) {
        src.at += name.length;
        return yield* reader.withArguments(name);
      });
    }
    return yield* this.#candidate(function* (reader) {
      src.at += mark.length;
      const name = yield* src.run(/[\w.-]+/y);
      yield* src.spaces();
      yield* src.literal(['json', 'code']);
      return yield* reader.harmony(name);
    });
  }

  *#mark(first: boolean): Reading<void> {
    const src = this.#src;
    const start = src.at;
    const mark = yield* src.literal(MARKS);
    const behind = src.at;
    src.at = start;
    if (mark === undefined) {
      const bare = src.text[start] === '[' && this.#mayBeBare();
      if (!bare || !(yield* this.#candidate((reader) => reader.bare(), { bare: true }))) src.at = start + 1;
      return;
    }
    src.at = behind;
    if (mark in marks.QUOTES) yield* this.#passing(attempt(src, src.until([marks.QUOTES[mark] as string])));
    else if (mark in marks.THOUGHTS) {
      if (first) yield* this.#reasoning(start, [marks.THOUGHTS[mark] as string]);
    } else if (mark === '</think>') yield* this.#strayThought(first);
    else if (HARMONY_CLOSERS.includes(mark)) {
      if (!this.#inHarmony) return;
      this.#show(start);
      this.#take();
    } else if (marks.HARMONY.includes(mark)) yield* this.#harmony(start);
    else {
      const read = function* (reader: Reader): Reading<Call[]> {
        src.at = behind;
        return yield* reader.marked(mark);
      };
      if (!(yield* this.#candidate(read, {}, start))) src.at = behind;
    }
  }

  /** Alone on its line, it ends thoughts that the server's template began. */
  *#strayThought(first: boolean): Reading<void> {
    if (first && /^[\r\n]?$/.test(yield* this.#src.char())) this.#take();
  }

  *#reasoning(start: number, closers: readonly string[], keep = false): Reading<void> {
    const src = this.#src;
    this.#show(start);
    this.#take();
    const longest = Math.max(...closers.map((closer) => closer.length));
    let said = src.at;
    const say = (upTo: number) => {
      if (upTo <= said) return;
      this.#say('reasoning', src.text.slice(said, upTo));
      said = upTo;
    };
    const reading = attempt(src, src.until(closers));
    for (;;) {
      const { done, value } = reading.next();
      if (done) {
        say(value ? src.at - value.stop.length : src.text.length);
        if (!value) src.at = src.text.length;
        else if (keep && marks.HARMONY.includes(value.stop)) src.at -= value.stop.length;
        return this.#take();
      }
      // The end may hold the beginning of the closing mark.
      const tail = src.text.slice(Math.max(said, src.text.length - longest + 1));
      const open = [...tail].findIndex((_, index) => closers.some((closer) => closer.startsWith([...tail].slice(index).join(''))));
      say(open < 0 ? src.text.length : src.text.length - [...tail].slice(open).join('').length);
      yield;
    }
  }

  /** A channel of gpt-oss: a call, thoughts, or a text whose header is dropped. */
  *#harmony(start: number): Reading<void> {
    const src = this.#src;
    const behind = src.at;
    const header = yield* attempt(src, src.until(['<|message|>'], 300));
    if (!header || header.text.includes('\n\n')) {
      src.at = behind;
      return;
    }
    const name = /\bto=(?:functions\.)?([\w.-]+)/.exec(header.text)?.[1];
    const message = src.at;
    if (name) {
      const read = function* (reader: Reader): Reading<Call[]> {
        src.at = message;
        return yield* reader.harmony(name);
      };
      if (!(yield* this.#candidate(read, {}, start))) src.at = message;
      return;
    }
    this.#inHarmony = true;
    if (/\banalysis\b/.test(header.text)) return yield* this.#reasoning(start, marks.HARMONY_ENDS, true);
    this.#show(start);
    this.#take();
  }

  /** Reads what may be a call. It runs if every sign says that it is meant; else it is text, and so is everything in it. */
  *#candidate(
    read: (reader: Reader) => Reading<Call[]>,
    { bare = false, fence = false }: Options = {},
    start = this.#src.at,
  ): Reading<boolean> {
    const src = this.#src;
    const before = src.text.slice(Math.max(this.#base, start - LEAD), start);
    let quoted = isShown(before, this.#quotedEnd === undefined ? undefined : src.text.slice(this.#quotedEnd, start));
    const reader = new Reader(src, this.#tools, () => {
      quoted = true;
    });
    const reading = read(reader);
    let calls: Call[];
    try {
      for (;;) {
        const { done, value } = reading.next();
        calls = value ?? [];
        if (done) break;
        if (quoted) this.#show(src.text.length);
        yield;
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // Where the text ended within it, it was cut off, and what is in it must not run for itself.
      const cut = src.ended && src.text.slice(src.at).trim() === '';
      src.at = cut ? src.text.length : start;
      return cut;
    }
    const end = src.at;
    const runs = !quoted && calls.some(({ name }) => this.#tools.has(name)) && !(yield* this.#goesOn(before, bare, fence));
    src.at = end;
    if (runs) yield* this.#make(start, calls);
    else {
      this.#show(end);
      this.#quotedEnd = end;
    }
    return true;
  }

  /** Whether the text behind shows that the call was part of a sentence, or, without a mark, of something else. */
  *#goesOn(before: string, bare: boolean, fence: boolean): Reading<boolean> {
    const src = this.#src;
    if (bare) yield* src.run(/[ \t\r;,}\]]+/y);
    const lead = fence ? before.replace(/\n[ \t]*$/, '') : before;
    const line = lead.slice(lead.lastIndexOf('\n') + 1);
    if (!bare && line.trim() === '') return false;
    yield* src.run(/[ \t\r]+/y);
    if (fence && (yield* src.char()) === '\n') src.at += 1;
    const next = yield* src.char();
    return bare ? !['', '\n', '<'].includes(next) : isWoven(line, next);
  }

  *#make(start: number, calls: readonly Call[]): Reading<void> {
    const src = this.#src;
    this.#show(start);
    for (const call of calls) {
      if (this.#tools.has(call.name)) this.#events.push({ type: 'call', ...call });
      else this.#say('text', JSON.stringify(call));
    }
    for (let end = src.at; ; end = src.at) {
      yield* src.run(/[\s;]+/y);
      if (yield* src.literal(marks.CLOSERS)) continue;
      src.at = end;
      break;
    }
    this.#take();
  }
}

/** What `reading` gives, or nothing where the text is not so. */
function* attempt<T>(src: Source, reading: Reading<T>): Reading<T | undefined> {
  const start = src.at;
  try {
    return yield* reading;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    src.at = start;
    return undefined;
  }
}
