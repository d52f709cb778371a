/** Normalizes streams of server-sent events to one form that all SDKs parse correctly. */
import type { Send } from './answer.ts';
import { connection } from './connection.ts';
import { modelError } from './errors.ts';
import { type LineRules, MAX_LINE } from './lines.ts';
import type { Server } from './server.ts';
import { parseInput } from './tool-calls.ts';

/**
 * How to change the event names for an SDK: keep them as sent, add a name to each event, or drop them for an SDK that accepts only data in
 * an event's first line.
 */
type Names = 'keep' | 'add' | 'drop';

/**
 * Creates a function that sends requests, of which POST requests are answered with event streams. A response declared as JSON is read completely before
 * it is passed on, because some proxies send errors as JSON with status 200.
 */
export function eventConnection(server: Server, silenceMs: number, names: Names, throwsStatus = false): Send {
  const rulesFor = (_url: string, init?: RequestInit) => (init?.method?.toUpperCase() === 'POST' ? eventRules(server, names) : undefined);
  return connection(server, { silenceMs, rulesFor, throwsStatus, readsJson: true });
}

/** The maximum length, in bytes, of a data line without data: `data:`, a space and a carriage return. */
const EMPTY_DATA = 7;
const JSON_LINE = /^\s*[{}[\]"]/;

/**
 * Rewrites what the SDKs cannot read: keep-alive events without data, which are not valid JSON; events without a name; events with other
 * fields before the data; and JSON outside any event, such as an error inserted by a gateway.
 */
export function eventRules(server: Server, names: Names): LineRules {
  let hasName = false;
  let hasData = false;
  /** The number of bytes in the current event. */
  let size = 0;
  /** The lines of JSON outside any event: an error, or one list that contains the data of all events. */
  let jsonOutsideEvents = '';

  return {
    isUsual(bytes, start, end) {
      const first = bytes[start];
      size += end - start;
      if (size + jsonOutsideEvents.length > MAX_LINE)
        throw modelError(server, 'bad_stream', 'an event of the stream exceeds the size limit');
      if (first === 0x0a || (first === 0x0d && end - start === 1)) {
        size = 0;
        if (hasName && !hasData) return false;
        hasName = hasData = false;
        return true;
      }
      const holds = bytes[start + 5] === 0x7b || bytes[start + 6] === 0x7b;
      if (first === 0x64 && bytes[start + 4] === 0x3a && holds && end - start > EMPTY_DATA && !hasData && (hasName || names !== 'add')) {
        hasData = true;
        return true;
      }
      if (first !== 0x65 || bytes[start + 5] !== 0x3a || names === 'drop') return false;
      hasName = true;
      return true;
    },
    rewrite(rawLine) {
      const line = rawLine.replace(/\r$/, '');
      const ending = line === rawLine ? '\n' : '\r\n';
      if (line === '') {
        const data = hasName && !hasData ? `data: null${ending}` : '';
        hasName = hasData = false;
        return data + ending;
      }
      const [, field, fieldValue = ''] = /^(event|data|id|retry|)(?::(.*))?$/.exec(line) ?? [];
      if (names === 'drop' && !hasData && (JSON_LINE.test(line) || (jsonOutsideEvents !== '' && field === undefined))) {
        jsonOutsideEvents += line + ending;
        return '';
      }
      const isDone = fieldValue.trim() === '[DONE]';
      if (isDone && names === 'drop') return '';
      const value = JSON_LINE.test(line) ? line : isDone ? ' [DONE]' : fieldValue;
      if (field === 'event') hasName ||= names !== 'drop';
      if (field !== 'data' && value !== line) return names === 'drop' && field !== undefined ? '' : line + ending;
      if (value.trim() === '') return '';
      if (hasData && names === 'drop') return value + ending;
      const name = names === 'add' && !hasName && !hasData ? nameOf(value) : undefined;
      hasData = true;
      hasName ||= name !== undefined;
      return `${name === undefined ? '' : `event: ${name}${ending}`}data:${value}${ending}`;
    },
    end: () => (hasData ? '\n\n' : '') + eventsIn(jsonOutsideEvents),
  };
}

function eventsIn(text: string): string {
  if (text === '') return '';
  const { input, malformed } = parseInput(text);
  if (malformed !== undefined) return `data: ${text.replace(/\s+/g, ' ')}\n\n`;
  return [input]
    .flat()
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** Returns the name that the data of an event repeats as `type`, or else `message`. */
function nameOf(data: string): string | undefined {
  if (!JSON_LINE.test(data)) return undefined;
  const { type } = (parseInput(data).input ?? {}) as { type?: unknown };
  return typeof type === 'string' && /^\w+$/.test(type) ? type : 'message';
}
