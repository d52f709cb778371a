/**
 * Finds tool calls in streamed text. Only text that may be the beginning of a call is held back; all other text is emitted immediately. The
 * result does not depend on how the text was split into chunks.
 */
import type { ToolSpec } from '../core/model/model.ts';
import { doubtOf, type Stand } from './call-detection.ts';
import type { Call, Tools } from './calls.ts';
import { readBroken } from './malformed-calls.ts';
import { isIndentedCode, readCodeSpan, readFence, readRegion } from './markdown.ts';
import * as marks from './markers.ts';
import { passClosers } from './named-calls.ts';
import { LEAD, LONG, Output, type TextToolEvent } from './output.ts';
import type { QuotedCalls } from './quoted-calls.ts';
import { Reader } from './readers.ts';
import { readThoughts } from './reasoning.ts';
import { attempt, freeOf, type Reading, Source, Unreadable } from './source.ts';
import { isShown } from './surrounding-words.ts';

export type { TextToolEvent } from './output.ts';

const ENOUGH = 50_000;

export class TextToolParser {
  readonly #src = new Source();
  readonly #tools: Tools;
  /** The tool's name for each marker that contains it. */
  readonly #atLineStart: ReadonlyMap<string, string>;
  readonly #toolTags: ReadonlyMap<string, string>;
  readonly #marks: readonly string[];
  readonly #starts: readonly string[];
  readonly #lineMarks: readonly string[];
  readonly #scan: Reading<void>;
  readonly #quotedCalls: QuotedCalls | undefined;
  readonly #out: Output;
  #waiting = '';
  #inHarmony = false;
  /** The number of characters read for calls that turned out not to be calls. */
  #wasted = 0;

  /** @param quotedCalls the text the model was shown, to recognize quoted calls */
  constructor(tools: readonly ToolSpec[], quotedCalls?: QuotedCalls) {
    this.#quotedCalls = quotedCalls;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#atLineStart = marks.lineStarts(tools.map(({ name }) => name));
    this.#toolTags = marks.toolTags(tools.map(({ name }) => name));
    this.#marks = [...marks.ANYWHERE, ...this.#toolTags.keys()];
    const atLineStart = ['```', '~~~', ...this.#atLineStart.keys()].map((mark) => `\n${mark}`);
    this.#starts = [...marks.STARTS, ...marks.HARMONY, '</think>', ...this.#toolTags.keys(), ...atLineStart];
    this.#lineMarks = [...this.#marks, ...Object.keys(marks.BLOCK_QUOTES)];
    this.#out = new Output(this.#src, (name) => this.#tools.has(name));
    this.#scan = this.#lines();
  }

  feed(text: string): TextToolEvent[] {
    this.#waiting += text;
    // Appending copies the text, so a long call grows in larger pieces to keep the total work linear.
    const { length } = this.#src.text;
    if (length > 2 * LONG && this.#waiting.length < length / 64) return [];
    this.#append();
    this.#scan.next();
    return this.#out.flush();
  }

  /** Ends the text. An incomplete call becomes text. */
  end(): TextToolEvent[] {
    this.#append();
    this.#src.ended = true;
    this.#scan.next();
    this.#out.finish();
    return this.#out.flush();
  }

  #append(): void {
    this.#src.text += this.#waiting;
    this.#waiting = '';
  }

  *#lines(): Reading<void> {
    const src = this.#src;
    for (;;) {
      this.#out.forget();
      // A byte order mark is invisible and counts as whitespace.
      const indent = yield* src.run(/[ \t\ufeff]+/y);
      const char = yield* src.char();
      if (char === '') return;
      if (char === '>' && (yield* this.#lineStartCall())) continue;
      if (char === '>' || char === '|') yield* this.#passing(src.run(/[^\n]+/y));
      else if (isIndentedCode(src.text.slice(this.#out.base, src.at - indent.length), indent)) yield* this.#passing(src.run(/[^\n]+/y));
      else if ((char === '`' || char === '~') && (yield* this.#fence())) continue;
      else yield* this.#line();
      if ((yield* src.char()) === '\n') src.at += 1;
    }
  }

  /** Runs a reader, and emits the text that it reads immediately instead of holding it back. */
  *#passing<T>(reading: Reading<T>): Reading<T> {
    for (;;) {
      const { done, value } = reading.next();
      if (done) return value;
      this.#out.show(this.#src.text.length);
      yield;
    }
  }

  /** Reads to the end of the line, or of a call that extends beyond it. */
  *#line(): Reading<void> {
    const src = this.#src;
    for (let first = true; ; first = false) {
      this.#out.show(src.at);
      this.#out.forget();
      const char = yield* src.char();
      if (char === '' || char === '\n') return;
      if (char === '`' && this.#isAction() && (yield* this.#fence())) continue;
      if (char === '`') yield* this.#passing(readCodeSpan(src));
      else if (char === '<' || char === '[' || char === ']') yield* this.#mark(first);
      else if (char === '{' && (yield* this.#stripped())) continue;
      else if (char === '{' && this.#mayBeBare()) {
        if (!(yield* this.#candidate((reader) => reader.bare(), { bare: true }))) src.at += 1;
      } else if (!first || !(yield* this.#lineStartCall())) src.at += 1;
      src.skip(/[^<[\]{`\n]+/y);
      this.#out.show(src.at);
    }
  }

  *#stripped(): Reading<boolean> {
    const name = marks.STRIPPED.exec(this.#recent(200))?.[1];
    return name !== undefined && (yield* this.#candidate((reader) => reader.harmony(name)));
  }

  /** The text before a position, starting no earlier than the end of the last call. */
  #recent(most: number, at = this.#src.at): string {
    return this.#src.text.slice(Math.max(this.#out.base, at - most), at);
  }

  /** Returns true if a fence is preceded by `Action:`, as in the calls of Command R. */
  #isAction(at = this.#src.at): boolean {
    return /(^|\n)[ \t]*Action:[ \t]*$/.test(this.#recent(40, at));
  }

  /** Returns true if a call without markers may begin here: at the beginning of a line or after a sentence. */
  #mayBeBare(): boolean {
    return /(^|[.:!?…\n])[ \t\ufeff]*$/.test(this.#recent(LEAD));
  }

  /** Reads a fence of any kind. Returns false if no fence begins at the current position. */
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
      const marked = marks.CALL_FENCES.has(language) || this.#isAction(start);
      if (yield* this.#candidate((reader) => reader.fenced(language, fence), { fence: true, marked }, start)) return true;
    }
    src.at = contents;
    yield* this.#passing(readFence(src, fence, () => this.#out.forget()));
    return true;
  }

  /** Reads a call whose marker only counts at the beginning of a line. */
  *#lineStartCall(): Reading<boolean> {
    const src = this.#src;
    const start = src.at;
    const mark = yield* src.literal([...this.#atLineStart.keys()]);
    src.at = start;
    const name = mark && this.#atLineStart.get(mark);
    if (name === undefined) return false;
    const options = { bare: mark === marks.FUNCTOOLS, marked: !/\n\{$/.test(mark as string) };
    return yield* this.#candidate((reader) => reader.lineStart(mark as string, name), options);
  }

  *#mark(first: boolean): Reading<void> {
    const src = this.#src;
    const start = src.at;
    const mark = yield* src.literal(first ? this.#lineMarks : this.#marks);
    const behind = src.at;
    src.at = start;
    if (mark === undefined) {
      const bare = src.text[start] === '[' && this.#mayBeBare();
      if (!bare || !(yield* this.#candidate((reader) => reader.bare(), { bare: true }))) src.at = start + 1;
      return;
    }
    src.at = behind;
    if (mark in marks.QUOTES) yield* this.#passing(readRegion(src, marks.QUOTES[mark] as string));
    else if (mark in marks.BLOCK_QUOTES) yield* this.#passing(readRegion(src, marks.BLOCK_QUOTES[mark] as string));
    else if (mark in marks.THOUGHTS) {
      if (first) yield* readThoughts(src, this.#out, start, [marks.THOUGHTS[mark] as string]);
    } else if (mark === '</think>') yield* this.#strayThought(first);
    else if (marks.HARMONY_CLOSERS.includes(mark) || marks.ENVELOPES.includes(mark)) {
      if (!this.#inHarmony && !marks.ENVELOPES.includes(mark)) return;
      this.#out.take(start);
    } else if (marks.HARMONY.includes(mark)) yield* this.#harmony(start);
    else {
      const read = function* (reader: Reader): Reading<Call[]> {
        src.at = behind;
        return yield* reader.marked(mark);
      };
      if (!(yield* this.#candidate(read, {}, start))) src.at = behind;
    }
  }

  /** A `</think>` at the end of its line or before a call ends reasoning whose opening tag was added by the server's template. */
  *#strayThought(first: boolean): Reading<void> {
    if (first && /^[\r\n<[{]?$/.test(yield* this.#src.char())) this.#out.take();
  }

  /** Reads a channel of gpt-oss: a call, reasoning, or text whose header is removed. */
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
    if (/\banalysis\b/.test(header.text)) return yield* readThoughts(src, this.#out, start, marks.HARMONY_ENDS);
    this.#out.take(start);
  }

  /**
   * Reads a possible call and holds it until the text after it shows whether it is meant as a call. Otherwise it is text, including any
   * calls inside it. Returns false if no call could be read.
   */
  *#candidate(
    read: (reader: Reader) => Reading<Call[]>,
    { bare = false, fence = false, marked = !bare && !fence }: Partial<Stand> = {},
    start = this.#src.at,
  ): Reading<boolean> {
    const src = this.#src;
    // Limits the total work for text that repeatedly begins like a call but is not a call.
    if (this.#wasted > ENOUGH + 2 * (src.forgotten + start)) {
      src.at = start;
      return false;
    }
    const before = src.text.slice(Math.max(this.#out.base, start - LEAD), start);
    let quoted = isShown(before, this.#out.quotedEnd === undefined ? undefined : src.text.slice(this.#out.quotedEnd, start));
    const reader = new Reader(src, this.#tools, () => {
      quoted = true;
    });
    const reading = read(reader);
    let calls: Call[];
    let free = start + 1;
    try {
      for (;;) {
        const { done, value } = reading.next();
        calls = value ?? [];
        if (done) break;
        // Text that was emitted can no longer become part of a call, even if this call turns out to be incomplete.
        if (quoted) free = freeOf(this.#starts, src.text, free);
        if (quoted) this.#out.show(free);
        yield;
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // Whether the answer was cut off inside the call. In this case, calls nested in it must not be executed on their own.
      const cut = src.ended && src.text.slice(src.at).trim() === '';
      this.#wasted += src.at - start;
      src.at = start;
      const broken = quoted ? undefined : yield* attempt(src, readBroken(src, this.#tools));
      if (!broken) {
        src.at = cut ? src.text.length : start;
        return cut;
      }
      calls = [broken];
    }
    const isOffered = calls.some(({ name }) => this.#tools.has(name));
    const to = src.at;
    const doubt = quoted || !isOffered ? 'shown' : yield* doubtOf(src, before, { bare, fence, marked });
    src.at = to;
    if (doubt === 'shown') {
      this.#out.show(to);
      this.#out.quotedEnd = to;
      return true;
    }
    const isQuoted = this.#quotedCalls?.has(calls);
    const isConfirmed = isQuoted && !this.#out.hasText && this.#quotedCalls?.wasToldOf(calls);
    yield* passClosers(src);
    this.#out.hold({ calls, from: start, to: src.at, doubt: isConfirmed ? 'confirmed' : isQuoted ? 'quoted' : doubt });
    return true;
  }
}
