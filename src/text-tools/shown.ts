/**
 * What the model was shown: files, results and the user's words. A call that stands there is a quotation when the model writes it
 * again. It is compared word by word, without the marks and names that formats put around a call, so that a quotation in another
 * format, with other white space, or out of numbered lines, a diff or an escaped text, is found as well. What says in a sentence
 * which tool to call with what is no call: a name of an argument must stand there as formats write it.
 */
import { callsOf, type Message, resultText, textOf } from '../core/model/messages.ts';
import type { ModelRequest } from '../core/model/model.ts';
import { type Call, isObject } from './calls.ts';

/** Words with which formats say that something is a call. They stand at other places in another format. */
const FORM = new Set(
  (
    'name arguments argument parameters parameter params param args arg input inputs kwargs key value item invoke function functions ' +
    'tool tools call calls use request action type string id index json object code true false null none array number boolean ' +
    'begin end section open close sep channel commentary constrain message cdata escape print longcat seed steptml xai minimax dsml ' +
    `${'ant'}ml`
  ).split(' '),
);
/** Stands in the words behind one that a quote, a tag or an equals sign follows. */
const SIGN = '·';
/** In letters: what may stand between the parts of a call, such as an id. */
const NEAR = 24;
/** So much of a value is compared. */
const PREFIX = 300;
/** The number of a line, the sign of a diff, or that of a quotation. */
const LINE_HEADS = /^(?:[ \t]*\d+[ \t]*[:|→\t]|[+>|-]+)[ \t]?/gm;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#34': '"', '#39': "'", amp: '&' };

export class Shown {
  readonly #request: Pick<ModelRequest, 'system' | 'messages'>;
  #known: { words: string; text: string } | undefined;

  constructor(request: Pick<ModelRequest, 'system' | 'messages'>) {
    this.#request = request;
  }

  /** Whether the model was told of these calls, in its last answer, that they were not made. */
  wasToldOf(calls: readonly Call[]): boolean {
    const last = this.#request.messages.findLast(({ role }) => role === 'assistant');
    const told = callsOf(last).filter(({ problem }) => problem !== undefined);
    return calls.every(({ name, input }) => told.some((call) => call.name === name && call.malformed === JSON.stringify(input)));
  }

  /** Whether one of the calls stands there. A malformed one is never executed. */
  has(calls: readonly Call[]): boolean {
    // Nothing is done before there is a call to look for.
    this.#known ??= known([this.#request.system, ...this.#request.messages.flatMap(textsOf)]);
    const { words, text } = this.#known;
    return calls.some(({ name, input }) => {
      if (!isObject(input)) return false;
      const members = Object.entries(input);
      // Where neither a name nor a value has a word of its own, there is nothing to compare.
      if (wordsOf(flat(input)).length === 0) return isNamedAsCall(text, name);
      const values = wordsOf(flat(Object.values(input)));
      return holds(words, name, members) || (values.length > 0 && isCalledWith(text, name, values));
    });
  }
}

function textsOf(message: Message): string[] {
  if (message.role === 'assistant') return [];
  return message.role === 'tool' ? message.content.map(resultText) : [textOf(message)];
}

function known(texts: readonly string[]): { words: string; text: string } {
  const words = texts.map((text) => signedWordsOf(text).join(' '));
  return { words: ` ${words.join(' \n ')} `, text: plain(texts.join('\n\n')).replace(LINE_HEADS, '') };
}

/** Whether all arguments stand near the name, in whatever order. */
function holds(words: string, name: string, members: readonly [string, unknown][]): boolean {
  const patterns = members.map(([key, value]) => memberPattern(key, value));
  const reach = patterns.reduce((sum, { source }) => sum + source.length, NEAR * (members.length + 1));
  const named = new RegExp(` ${wordPattern(wordsOf(name))}`, 'g');
  // Names that stand near each other share their surroundings, so that each word is looked at once.
  let [from, to] = [-1, -1];
  const isThere = () => from >= 0 && patterns.every((pattern) => pattern.test(words.slice(from, to)));
  for (let found = named.exec(words); found; found = named.exec(words)) {
    const start = Math.max(0, found.index - reach);
    if (start > to) {
      if (isThere()) return true;
      from = start;
    }
    to = found.index + found[0].length + reach;
    named.lastIndex = found.index + 1;
  }
  return isThere();
}

function memberPattern(key: string, value: unknown): RegExp {
  const name = wordsOf(key);
  const said = wordsOf(flat(value).slice(0, PREFIX));
  // What was cut off may be half a word.
  if (flat(value).length > PREFIX) said.pop();
  return new RegExp(` ${name.length > 0 ? `${wordPattern(name)}${SIGN} ` : ''}${said.length > 0 ? wordPattern(said) : ''}`);
}

const wordPattern = (words: readonly string[]) => `${words.join(` (?:${SIGN} )*`)} `;

/** A name without arguments is found in many a sentence. */
function isNamedAsCall(text: string, name: string): boolean {
  const word = name.replace(/[^\w-]/g, '\\$&');
  const forms = [
    // Behind a quote, a tag, or a word that says what it is; before its arguments.
    `["'<=>]\\s{0,3}${word}\\b`,
    `(name|action|function|tool)s?[:.✿]\\W{0,5}${word}\\b`,
    `\\b${word}(\\(|\\s{0,3}\\{|\\[ARGS\\]|:\\d)`,
  ];
  return new RegExp(forms.join('|'), 'i').test(text);
}

/** As Python writes it, where values need no keys. */
function isCalledWith(text: string, name: string, values: readonly string[]): boolean {
  const opening = `${name}(`;
  const sought = values.join(' ').slice(0, PREFIX);
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
    const begun = at + opening.length;
    if (
      wordsOf(text.slice(begun, begun + 2 * PREFIX))
        .join(' ')
        .startsWith(sought)
    )
      return true;
  }
  return false;
}

/** Without escapes, entities and letters that nobody sees. */
function plain(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
    .replace(/&(\w{1,8}|#\d{1,6}|#x[\da-f]{1,5});/gi, (_, entity: string) => ENTITIES[entity] ?? ' ')
    .replace(/\\+(?=["'])/g, '');
}

/** Numbers are left out, for lines may be numbered, and closing tags, for some formats name a key twice. */
function signedWordsOf(text: string): string[] {
  const found: string[] = [];
  for (const [, word = '', sign] of plain(text)
    .toLowerCase()
    .matchAll(/<\\?\/[\w:.-]+>|([\p{L}\p{N}]+)(?=(["'<=>:])?)/gu)) {
    if (word === '' || FORM.has(word) || /^\d+$/.test(word)) continue;
    found.push(word);
    if (sign) found.push(SIGN);
  }
  return found;
}

function wordsOf(text: string): string[] {
  return signedWordsOf(text).filter((word) => word !== SIGN);
}

/** Keys and values in their order. */
function flat(value: unknown): string {
  if (Array.isArray(value)) return value.map(flat).join(' ');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, member]) => `${key} ${flat(member)}`)
      .join(' ');
  return value === undefined ? '' : String(value);
}
