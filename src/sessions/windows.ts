/** Stores the context windows that services reported in error messages, for models whose window is not listed anywhere. */
import { readFileSync } from 'node:fs';
import { modelKey } from '../core/context/window.ts';
import type { ModelRef } from '../core/model/messages.ts';
import { replaceFile } from './directory.ts';

/** A service can offer a larger window under the same name, so an old entry expires. */
const MAX_AGE_MS = 30 * 86_400_000;

type Entry = { tokens: number; at: number };

export class LearnedWindows {
  readonly #file: string;
  readonly #now: () => number;

  constructor(file: string, now: () => number = Date.now) {
    this.#file = file;
    this.#now = now;
  }

  /** Returns the window in tokens, or undefined if it is unknown. */
  of(model: ModelRef): number | undefined {
    const entry = this.#read()[modelKey(model)];
    return entry && this.#now() - entry.at < MAX_AGE_MS ? entry.tokens : undefined;
  }

  /** If the file cannot be written, the window is determined again later. */
  learn(model: ModelRef, tokens: number): void {
    const text = JSON.stringify({ ...this.#read(), [modelKey(model)]: { tokens, at: this.#now() } });
    try {
      replaceFile(this.#file, text);
    } catch {}
  }

  #read(): Record<string, Entry> {
    try {
      const all = Object.entries(JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, Partial<Entry> | null>);
      return Object.fromEntries(
        all.filter((entry): entry is [string, Entry] => Number.isSafeInteger(entry[1]?.tokens) && (entry[1]?.tokens ?? 0) > 0),
      );
    } catch {
      return {};
    }
  }
}
