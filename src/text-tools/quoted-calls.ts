/**
 * Recognizes calls that occur in text the model was shown: files, results and the user's messages. If the model
 * repeats such a call, it is a quotation. Calls are compared word by word, without the markers of call formats, so that quotations in another format, with different
 * whitespace, or from numbered lines, diffs and escaped text are found too. A sentence that describes a call does not count:
 * argument names must be written as a call format writes them.
 */
import { callsOf, type Message, resultText, textOf } from '../core/model/messages.ts';
import type { ModelRequest } from '../core/model/model.ts';
import { type Call, isObject } from './calls.ts';

/** Words that call formats use as markup. Other formats have them at other positions, so they are not compared. */
const FORM = new Set(
  (
    'name arguments argument parameters parameter params param args arg input inputs kwargs key value item invoke function functions ' +
    'tool tools call calls use request action type string id index json object code true false null none array number boolean ' +
    'begin end section open close sep channel commentary constrain message cdata escape print longcat seed steptml xai minimax dsml ' +
    `${'ant'}ml`
  ).split(' '),
);
/** A sign that is inserted after words that are followed by a quotation mark, angle bracket, colon or equals sign. */
const SIGN = '·';
/** The maximum number of characters between the parts of a call, such as an id. */
const NEAR = 24;
/** The number of characters of a value that are compared. */
const PREFIX = 300;
/** Matches line numbers, diff markers and quotation markers at the beginning of a line. */
const LINE_HEADS = /^(?:[ \t]*\d+[ \t]*[:|→\t]|[+>|-]+)[ \t]?/gm;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#34': '"', '#39': "'", amp: '&' };

export class QuotedCalls {
  readonly #request: Pick<ModelRequest, 'system' | 'messages'>;
  #index: { words: string; text: string } | undefined;

  constructor(request: Pick<ModelRequest, 'system' | 'messages'>) {
    this.#request = request;
  }

  /** Returns true if Kedge has just reported to the model that these calls were not executed. */
  wasToldOf(calls: readonly Call[]): boolean {
    const last = this.#request.messages.findLast(({ role }) => role === 'assistant');
    const failedCalls = callsOf(last).filter(({ problem }) => problem !== undefined);
    return calls.every(({ name, input }) => failedCalls.some((call) => call.name === name && call.malformed === JSON.stringify(input)));
  }

  /** Returns true if one of the calls occurs in the text. Malformed calls do not count because they are never executed. */
  has(calls: readonly Call[]): boolean {
    // The index is only built when there is a call to look for.
    this.#index ??= indexTexts([this.#request.system, ...this.#request.messages.flatMap(textsOf)]);
    const { words, text } = this.#index;
    return calls.some(({ name, input }) => {
      if (!isObject(input)) return false;
      const members = Object.entries(input);
      // If neither keys nor values contain comparable words, only the name can be searched.
      if (wordsOf(flat(input)).length === 0) return isNamedAsCall(text, name);
      const values = wordsOf(flat(Object.values(input)));
      return hasArgumentsNear(words, name, members) || (values.length > 0 && isCalledWith(text, name, values));
    });
  }
}

function textsOf(message: Message): string[] {
  if (message.role === 'assistant') return [];
  return message.role === 'tool' ? message.content.map(resultText) : [textOf(message)];
}

function indexTexts(texts: readonly string[]): { words: string; text: string } {
  const words = texts.map((text) => signedWordsOf(text).join(' '));
  return { words: ` ${words.join(' \n ')} `, text: plain(texts.join('\n\n')).replace(LINE_HEADS, '') };
}

/** Returns true if all arguments occur near the name, in any order. */
function hasArgumentsNear(words: string, name: string, members: readonly [string, unknown][]): boolean {
  const patterns = members.map(([key, value]) => memberPattern(key, value));
  const reach = patterns.reduce((sum, { source }) => sum + source.length, NEAR * (members.length + 1));
  const namePattern = new RegExp(` ${wordPattern(wordsOf(name))}`, 'g');
  // Occurrences of the name that are close together are searched as one range, so that each word is examined only once.
  let [from, to] = [-1, -1];
  const isThere = () => from >= 0 && patterns.every((pattern) => pattern.test(words.slice(from, to)));
  for (let match = namePattern.exec(words); match; match = namePattern.exec(words)) {
    const start = Math.max(0, match.index - reach);
    if (start > to) {
      if (isThere()) return true;
      from = start;
    }
    to = match.index + match[0].length + reach;
    namePattern.lastIndex = match.index + 1;
  }
  return isThere();
}

function memberPattern(key: string, value: unknown): RegExp {
  const name = wordsOf(key);
  const valueWords = wordsOf(flat(value).slice(0, PREFIX));
  // The value was shortened to `PREFIX` characters, possibly inside a word.
  if (flat(value).length > PREFIX) valueWords.pop();
  return new RegExp(` ${name.length > 0 ? `${wordPattern(name)}${SIGN} ` : ''}${valueWords.length > 0 ? wordPattern(valueWords) : ''}`);
}

const wordPattern = (words: readonly string[]) => `${words.join(` (?:${SIGN} )*`)} `;

/** Returns true if the text contains the tool's name as a call format writes it. The name alone occurs in many ordinary sentences. */
function isNamedAsCall(text: string, name: string): boolean {
  const word = name.replace(/[^\w-]/g, '\\$&');
  const forms = [
    // The name follows a quote, a tag or a word such as `function`, or precedes its arguments.
    `["'<=>]\\s{0,3}${word}\\b`,
    `(name|action|function|tool)s?[:.✿]\\W{0,5}${word}\\b`,
    `\\b${word}(\\(|\\s{0,3}\\{|\\[ARGS\\]|:\\d)`,
  ];
  return new RegExp(forms.join('|'), 'i').test(text);
}

/** Returns true if the text contains a call with these values in Python syntax, in which values need no keys. */
function isCalledWith(text: string, name: string, values: readonly string[]): boolean {
  const opening = `${name}(`;
  const sought = values.join(' ').slice(0, PREFIX);
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
    const argumentsStart = at + opening.length;
    if (
      wordsOf(text.slice(argumentsStart, argumentsStart + 2 * PREFIX))
        .join(' ')
        .startsWith(sought)
    )
      return true;
  }
  return false;
}

/** Removes escapes, entities and invisible characters. */
function plain(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
    .replace(/&(\w{1,8}|#\d{1,6}|#x[\da-f]{1,5});/gi, (_, entity: string) => ENTITIES[entity] ?? ' ')
    .replace(/\\+(?=["'])/g, '');
}

/** Returns the words to compare. Numbers are skipped because lines may be numbered; closing tags because they may repeat a key. */
function signedWordsOf(text: string): string[] {
  const collected: string[] = [];
  for (const [, word = '', sign] of plain(text)
    .toLowerCase()
    .matchAll(/<\\?\/[\w:.-]+>|([\p{L}\p{N}]+)(?=(["'<=>:])?)/gu)) {
    if (word === '' || FORM.has(word) || /^\d+$/.test(word)) continue;
    collected.push(word);
    if (sign) collected.push(SIGN);
  }
  return collected;
}

function wordsOf(text: string): string[] {
  return signedWordsOf(text).filter((word) => word !== SIGN);
}

/** Joins keys and values in order. */
function flat(value: unknown): string {
  if (Array.isArray(value)) return value.map(flat).join(' ');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, member]) => `${key} ${flat(member)}`)
      .join(' ');
  return value === undefined ? '' : String(value);
}
