/** Streams of server-sent events in the one form that all SDKs read alike. */
import { connection } from './connection.ts';
import { modelError } from './errors.ts';
import { type LineRules, MAX_LINE } from './lines.ts';
import type { Server } from './server.ts';
import { parseInput } from './tool-calls.ts';

/** What an SDK needs of the events' names: to keep them, to have one for each event, or none, since it takes data in an event's first line only. */
type Names = 'keep' | 'add' | 'drop';

/**
 * `fetch` for an SDK that posts what is answered by a stream of events. Some proxies answer with 200 and an error that is no stream; what is a
 * stream after all, under a wrong name, comes late.
 */
export function eventConnection(server: Server, silenceMs: number, names: Names, throwsStatus = false): typeof fetch {
  const rulesFor = (_url: string, init?: RequestInit) => (init?.method?.toUpperCase() === 'POST' ? eventRules(server, names) : undefined);
  return connection(server, { silenceMs, rulesFor, throwsStatus, readsJson: true });
}

/** `data:`, perhaps with a space and a carriage return, and nothing else. */
const EMPTY_DATA = 7;
const JSON_LINE = /^\s*[{}[\]"]/;

/**
 * Events without data, which only keep the connection, are no JSON to the SDKs; some have events without a name ignored, or with
 * anything before the data. Lines of JSON outside of any event are an error that a gateway put there.
 */
export function eventRules(server: Server, names: Names): LineRules {
  let named = false;
  let filled = false;
  /** Bytes of the event that has not ended. */
  let size = 0;
  /** Lines of JSON outside of any event, where they may be all of a body that is a list of what the events would hold. */
  let loose = '';

  return {
    isUsual(bytes, start, end) {
      const first = bytes[start];
      size += end - start;
      if (size + loose.length > MAX_LINE) throw modelError(server, 'bad_stream', 'an event of the stream has no end');
      if (first === 0x0a || (first === 0x0d && end - start === 1)) {
        size = 0;
        if (named && !filled) return false;
        named = filled = false;
        return true;
      }
      const holds = bytes[start + 5] === 0x7b || bytes[start + 6] === 0x7b;
      if (first === 0x64 && bytes[start + 4] === 0x3a && holds && end - start > EMPTY_DATA && !filled && (named || names !== 'add')) {
        filled = true;
        return true;
      }
      if (first !== 0x65 || bytes[start + 5] !== 0x3a || names === 'drop') return false;
      named = true;
      return true;
    },
    rewrite(given) {
      const line = given.replace(/\r$/, '');
      const ending = line === given ? '\n' : '\r\n';
      if (line === '') {
        const data = named && !filled ? `data: null${ending}` : '';
        named = filled = false;
        return data + ending;
      }
      const [, field, told = ''] = /^(event|data|id|retry|)(?::(.*))?$/.exec(line) ?? [];
      if (names === 'drop' && !filled && (JSON_LINE.test(line) || (loose !== '' && field === undefined))) {
        loose += line + ending;
        return '';
      }
      const isDone = told.trim() === '[DONE]';
      if (isDone && names === 'drop') return '';
      const value = JSON_LINE.test(line) ? line : isDone ? ' [DONE]' : told;
      if (field === 'event') named ||= names !== 'drop';
      if (field !== 'data' && value !== line) return names === 'drop' && field !== undefined ? '' : line + ending;
      if (value.trim() === '') return '';
      if (filled && names === 'drop') return value + ending;
      const name = names === 'add' && !named && !filled ? nameOf(value) : undefined;
      filled = true;
      named ||= name !== undefined;
      return `${name === undefined ? '' : `event: ${name}${ending}`}data:${value}${ending}`;
    },
    end: () => (filled ? '\n\n' : '') + eventsIn(loose),
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

/** Every event says its name in its data, too. */
function nameOf(data: string): string | undefined {
  if (!JSON_LINE.test(data)) return undefined;
  const { type } = (parseInput(data).input ?? {}) as { type?: unknown };
  return typeof type === 'string' && /^\w+$/.test(type) ? type : 'message';
}
