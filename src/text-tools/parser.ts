/**
 * Finds the calls in a text while it comes. What is held back is only what may still be the beginning of a call; all else is shown at
 * once. What is found does not depend on how the text was cut into chunks.
 */
import type { ToolSpec } from '../core/model/model.ts';
import { readBroken } from './broken.ts';
import type { Call, Tools } from './calls.ts';
import { doubtOf, type Stand } from './doubts.ts';
import { isIndentedCode, readCodeSpan, readFence, readRegion } from './markdown.ts';
import * as marks from './markers.ts';
import { passClosers } from './named.ts';
import { LEAD, LONG, Output, type TextToolEvent } from './output.ts';
import { isShown } from './quoting.ts';
import { Reader } from './readers.ts';
import type { Shown } from './shown.ts';
import { attempt, freeOf, type Reading, Source, Unreadable } from './source.ts';
import { readThoughts } from './thoughts.ts';

export type { TextToolEvent } from './output.ts';

const ENOUGH = 50_000;

export class TextToolParser {
  readonly #src = new Source();
  readonly #tools: Tools;
  /** With the name of the tool, where it is in the mark. */
  readonly #atLineStart: ReadonlyMap<string, string>;
  readonly #toolTags: ReadonlyMap<string, string>;
  readonly #marks: readonly string[];
  readonly #starts: readonly string[];
  readonly #lineMarks: readonly string[];
  readonly #scan: Reading<void>;
  readonly #shown: Shown | undefined;
  readonly #out: Output;
  #waiting = '';
  #inHarmony = false;
  /** How much was read of what turned out to be no call. */
  #wasted = 0;

  /** `shown` knows what the model was shown. */
  constructor(tools: readonly ToolSpec[], shown?: Shown) {
    this.#shown = shown;
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
    // Appending copies the text: a long call grows in larger pieces, so that the work stays in proportion to its length.
    const { length } = this.#src.text;
    if (length > 2 * LONG && this.#waiting.length < length / 64) return [];
    this.#append();
    this.#scan.next();
    return this.#out.flush();
  }

  /** The text is over. What is half a call is text. */
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
      // A byte order mark is as invisible as a blank.
      const indent = yield* src.run(/[ \t\ufeff]+/y);
      const char = yield* src.char();
      if (char === '') return;
      if (char === '>' && (yield* this.#named())) continue;
      if (char === '>' || char === '|') yield* this.#passing(src.run(/[^\n]+/y));
      else if (isIndentedCode(src.text.slice(this.#out.base, src.at - indent.length), indent)) yield* this.#passing(src.run(/[^\n]+/y));
      else if ((char === '`' || char === '~') && (yield* this.#fence())) continue;
      else yield* this.#line();
      if ((yield* src.char()) === '\n') src.at += 1;
    }
  }

  /** Shows the text while it is read. */
  *#passing<T>(reading: Reading<T>): Reading<T> {
    for (;;) {
      const { done, value } = reading.next();
      if (done) return value;
      this.#out.show(this.#src.text.length);
      yield;
    }
  }

  /** To the end of the line, or of a call that goes beyond it. */
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
      } else if (!first || !(yield* this.#named())) src.at += 1;
      src.skip(/[^<[\]{`\n]+/y);
      this.#out.show(src.at);
    }
  }

  *#stripped(): Reading<boolean> {
    const name = marks.STRIPPED.exec(this.#recent(200))?.[1];
    return name !== undefined && (yield* this.#candidate((reader) => reader.harmony(name)));
  }

  /** What stands before the place, but not before the last call. */
  #recent(most: number, at = this.#src.at): string {
    return this.#src.text.slice(Math.max(this.#out.base, at - most), at);
  }

  /** Command R writes its fence behind a word. */
  #isAction(at = this.#src.at): boolean {
    return /(^|\n)[ \t]*Action:[ \t]*$/.test(this.#recent(40, at));
  }

  /** A bare value stands at the beginning of its line, or behind a sentence. */
  #mayBeBare(): boolean {
    return /(^|[.:!?…\n])[ \t\ufeff]*$/.test(this.#recent(LEAD));
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
      const marked = marks.CALL_FENCES.has(language) || this.#isAction(start);
      if (yield* this.#candidate((reader) => reader.fenced(language, fence), { fence: true, marked }, start)) return true;
    }
    src.at = contents;
    yield* this.#passing(readFence(src, fence, () => this.#out.forget()));
    return true;
  }

  /** What begins a call at the beginning of a line only. */
  *#named(): Reading<boolean> {
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

  /** At the end of its line or before a call, it ends thoughts that the server's template began. */
  *#strayThought(first: boolean): Reading<void> {
    if (first && /^[\r\n<[{]?$/.test(yield* this.#src.char())) this.#out.take();
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
    if (/\banalysis\b/.test(header.text)) return yield* readThoughts(src, this.#out, start, marks.HARMONY_ENDS);
    this.#out.take(start);
  }

  /** Reads what may be a call. It runs if every sign says that it is meant; else it is text, and so is everything in it. */
  *#candidate(
    read: (reader: Reader) => Reading<Call[]>,
    { bare = false, fence = false, marked = !bare && !fence }: Partial<Stand> = {},
    start = this.#src.at,
  ): Reading<boolean> {
    const src = this.#src;
    // What reads far and in vain at each of its places would take for ever.
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
        // What is shown cannot become a call any more, should this turn out to be nothing whole.
        if (quoted) free = freeOf(this.#starts, src.text, free);
        if (quoted) this.#out.show(free);
        yield;
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // Where the text ended within it, it was cut off, and what is in it must not run for itself.
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
    const isQuoted = this.#shown?.has(calls);
    const isConfirmed = isQuoted && !this.#out.hasSaid && this.#shown?.wasToldOf(calls);
    yield* passClosers(src);
    this.#out.hold({ calls, from: start, to: src.at, doubt: isConfirmed ? 'confirmed' : isQuoted ? 'quoted' : doubt });
    return true;
  }
}
