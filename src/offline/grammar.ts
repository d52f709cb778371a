/** Translates English to requests. Rules are tried in order, and the first rule that can interpret the text is used. */
import { CHANGE_RULES } from './grammar-changes.ts';
import { QUESTION_RULES } from './grammar-questions.ts';
import { splitMessage } from './message.ts';
import { mask, plain } from './quotes.ts';
import { Reader } from './reader.ts';
import { type Change, isChange, type Question, type Request } from './request.ts';

/** The maximum number of characters outside quotes and code blocks. Longer text does not match the grammar and would only take time. */
const MAX_WORDS = 3000;

const GREETING = /^\s*(?:hi|hello|hey|hallo|good (?:morning|day|afternoon|evening))(?:[\s,]+(?:there|kedge|offline))?[\s,.!]*$/i;

export function parseRequest(message: string): Request {
  const { request, references } = splitMessage(message);
  const masked = mask(request);
  if (masked.text.length > MAX_WORDS) return { kind: 'unknown' };
  const reader = new Reader(masked, references[0]);
  if (GREETING.test(masked.text)) return { kind: 'greeting' };
  const text = plain(masked.text);
  if (text === '') {
    const attached = references[0];
    return attached ? explain(attached) : { kind: 'unknown' };
  }
  return match(text, reader) ?? several(text, reader) ?? { kind: 'unknown' };
}

function explain({ path, from, to }: { path: string; from?: number; to?: number }): Question {
  return { kind: 'explain', what: path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function match(text: string, reader: Reader): Question | Change | undefined {
  for (const { words, read } of [...CHANGE_RULES, ...QUESTION_RULES]) {
    const match = words.exec(text);
    const request = match && read(match, reader);
    if (request) return request;
  }
  return undefined;
}

const SEPARATORS = [/\s*(?:;|\n+|,?\s+and then\s+|,\s*then\s+)\s*/i, /\s*(?:;|\n+|,?\s+(?:and\s+)?then\s+|,?\s+and\s+)\s*/i];

/** Parses several requests in one message, if each item is a request. */
function several(text: string, reader: Reader): Request | undefined {
  for (const separator of SEPARATORS) {
    const items = text.split(separator).map((item) => plain(item.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')));
    const requests = items.filter((item) => item !== '').map((item) => match(item, reader));
    if (requests.length > 1 && requests.every((request) => request !== undefined)) {
      if (separator === SEPARATORS[0] || requests.every(isChange)) return { kind: 'several', requests };
    }
  }
  return undefined;
}
