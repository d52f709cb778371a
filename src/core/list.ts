/** Lists whose entries can be read again when they are needed, instead of being kept in memory. */

/** The reading part of an array. Every array is a list. */
export interface List<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
  slice(start?: number, end?: number): readonly T[];
  map<U>(convert: (value: T, index: number) => U): U[];
  flatMap<U>(convert: (value: T, index: number) => U | readonly U[]): U[];
  filter<S extends T>(keep: (value: T, index: number) => value is S): S[];
  filter(keep: (value: T, index: number) => unknown): T[];
  find<S extends T>(is: (value: T, index: number) => value is S): S | undefined;
  find(is: (value: T, index: number) => unknown): T | undefined;
  findIndex(is: (value: T, index: number) => unknown): number;
  findLast<S extends T>(is: (value: T, index: number) => value is S): S | undefined;
  findLast(is: (value: T, index: number) => unknown): T | undefined;
  findLastIndex(is: (value: T, index: number) => unknown): number;
  some(is: (value: T, index: number) => unknown): boolean;
  every(is: (value: T, index: number) => unknown): boolean;
}

/** A list that reads its entries piece by piece, so that a search holds only a few of them at once. */
export abstract class ReadList<T> implements List<T> {
  abstract readonly length: number;
  /** Returns the entries from `start` to before `end`, which are between 0 and `length`. */
  protected abstract read(start: number, end: number): readonly T[];

  /** The number of entries that are read at once. */
  protected readonly piece: number = 256;

  *[Symbol.iterator](): Generator<T> {
    for (let start = 0; start < this.length; start += this.piece) yield* this.read(start, Math.min(this.length, start + this.piece));
  }

  at(index: number): T | undefined {
    const at = index < 0 ? this.length + index : index;
    return at >= 0 && at < this.length ? this.read(at, at + 1)[0] : undefined;
  }

  slice(start = 0, end: number = this.length): readonly T[] {
    const place = (index: number) => (index < 0 ? Math.max(0, this.length + index) : Math.min(index, this.length));
    return place(start) < place(end) ? this.read(place(start), place(end)) : [];
  }

  map<U>(convert: (value: T, index: number) => U): U[] {
    const converted: U[] = [];
    let index = 0;
    for (const value of this) converted.push(convert(value, index++));
    return converted;
  }

  flatMap<U>(convert: (value: T, index: number) => U | readonly U[]): U[] {
    const converted: U[] = [];
    let index = 0;
    for (const value of this) {
      const each = convert(value, index++);
      if (Array.isArray(each)) for (const one of each as readonly U[]) converted.push(one);
      else converted.push(each as U);
    }
    return converted;
  }

  filter<S extends T>(keep: (value: T, index: number) => value is S): S[];
  filter(keep: (value: T, index: number) => unknown): T[];
  filter(keep: (value: T, index: number) => unknown): T[] {
    return this.flatMap((value, index) => (keep(value, index) ? [value] : []));
  }

  find<S extends T>(is: (value: T, index: number) => value is S): S | undefined;
  find(is: (value: T, index: number) => unknown): T | undefined;
  find(is: (value: T, index: number) => unknown): T | undefined {
    return this.#first(is)?.value;
  }

  findIndex(is: (value: T, index: number) => unknown): number {
    return this.#first(is)?.index ?? -1;
  }

  findLast<S extends T>(is: (value: T, index: number) => value is S): S | undefined;
  findLast(is: (value: T, index: number) => unknown): T | undefined;
  findLast(is: (value: T, index: number) => unknown): T | undefined {
    return this.#last(is)?.value;
  }

  findLastIndex(is: (value: T, index: number) => unknown): number {
    return this.#last(is)?.index ?? -1;
  }

  some(is: (value: T, index: number) => unknown): boolean {
    return this.#first(is) !== undefined;
  }

  every(is: (value: T, index: number) => unknown): boolean {
    return !this.some((value, index) => !is(value, index));
  }

  toJSON(): T[] {
    return [...this];
  }

  #first(is: (value: T, index: number) => unknown): { value: T; index: number } | undefined {
    let index = 0;
    for (const value of this) {
      if (is(value, index)) return { value, index };
      index++;
    }
    return undefined;
  }

  /** Reads backwards. What is looked for is usually near the end, so the first pieces are small. */
  #last(is: (value: T, index: number) => unknown): { value: T; index: number } | undefined {
    for (let end = this.length, size = 1; end > 0; end -= size, size = Math.min(2 * size, this.piece)) {
      const start = Math.max(0, end - size);
      const values = this.read(start, end);
      const at = values.findLastIndex((value, index) => is(value, start + index));
      if (at >= 0) return { value: values[at] as T, index: start + at };
    }
    return undefined;
  }
}
