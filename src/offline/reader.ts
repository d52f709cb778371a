/** Interprets the captured parts of a rule as names, files or scopes. */
import type { Reference } from './message.ts';
import { contentAt, type Masked, markAt, valueAt } from './quotes.ts';
import { hasGlob, isFilePath, isPath, type Scope, scopeOf } from './scope.ts';

const KINDS = [
  'function|method|class|interface|type|enum|constant|const|variable|symbol|identifier|struct|trait|module|component|hook|field|property',
  'parameter|macro|procedure',
].join('|');
const USES = 'uses?|usages?|occurrences?|instances?|references?|calls?|definitions?';
/** Creates a pattern in which a space matches any whitespace. */
const words = (parts: string[]) => new RegExp(parts.join('').replaceAll(' ', '\\s+'), 'i');
const BEFORE = words([
  `^(?:(?:all|every|each|any|the|a|an|this|that|my|our) )*(?:(?:${USES}) (?:of|to) )?`,
  `(?:the )?(?:(?:${KINDS}) )?(?:(?:called|named) )?`,
]);
const AFTER = words([` (?:${KINDS}|everywhere)$`]);
const ATTACHED = words([
  '^(?:this|it|that|these|here|selection',
  '|(?:(?:this|the|that|these|my) )?(?:(?:current|open|active|selected|attached) )?(?:file|selection|code|snippet|lines|text))$',
]);

/** Returns true if the words refer to an attachment, even if nothing is attached. */
export function isPronoun(text: string): boolean {
  return ATTACHED.test(text.trim());
}

export class Reader {
  readonly masked: Masked;
  readonly attached: Reference | undefined;

  constructor(masked: Masked, attached: Reference | undefined) {
    this.masked = masked;
    this.attached = attached;
  }

  value(text: string): string {
    return valueAt(text, this.masked);
  }

  content(text: string): string {
    return contentAt(text, this.masked);
  }

  mark(text: string): string | undefined {
    return markAt(text, this.masked);
  }

  isAttached(text: string): boolean {
    return this.attached !== undefined && isPronoun(text);
  }

  /** Removes the words around a name: "the function `tide()`" becomes `tide`. A name of several words is kept. */
  name(text: string): string {
    const bare = text.trim().replace(BEFORE, '').replace(AFTER, '') || text;
    return this.value(bare)
      .trim()
      .replace(/\(\s*\)$/, '');
  }

  /** Returns the path that the words name, or undefined if they do not name a path. */
  file(text: string): string | undefined {
    if (this.isAttached(text)) return this.attached?.path;
    const filePrefix = /^(?:the |a )?(?:file|document) (?:called |named )?/i;
    const bare = text
      .trim()
      .replace(filePrefix, '')
      .replace(/^the /i, '')
      .replace(/ file$/i, '');
    const path = this.value(bare).trim().replaceAll('\\', '/').replace(/^\.\//, '');
    if (path === '' || /[\n\r]/.test(path) || hasGlob(path)) return undefined;
    if (isPath(path) || filePrefix.test(text.trim())) return /\s/.test(path) && this.mark(bare) === undefined ? undefined : path;
    return undefined;
  }

  filePath(text: string): string | undefined {
    const path = this.file(text);
    return path !== undefined && (isFilePath(path) || this.isAttached(text)) ? path : undefined;
  }

  /** Returns the paths and globs that the words name, or undefined if they do not name any. */
  scope(text: string | undefined): Scope | undefined {
    if (text === undefined) return { paths: [], globs: [] };
    if (this.isAttached(text)) return { paths: [this.attached?.path as string], globs: [] };
    const words = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i);
    const isName = (word: string) => this.mark(word) !== undefined && /\s/.test(this.value(word)) && !hasGlob(this.value(word));
    const scope = scopeOf(words.filter((word) => !isName(word)).map((word) => this.value(word)));
    scope?.paths.push(...words.filter(isName).map((word) => this.value(word)));
    return scope;
  }
}
