import type { Reader } from './reader.ts';
import { type Change, IDENTIFIER } from './request.ts';
import { baseName, isFilePath } from './scope.ts';

export type Rule<T> = { words: RegExp; read(match: RegExpExecArray, reader: Reader): T | undefined };

const IN = '(?:in|within|across|throughout|inside|under)';

export const CHANGE_RULES: Rule<Change>[] = [
  { words: /^(?:rename|move|change the name of)\s+(.+?)\s+(?:to|into|as|->|=>|→)\s+(.+)$/is, read: move },
  {
    words: new RegExp(
      `^(?:rename|change the name of)\\s+(.+?)\\s+(?:to|into|as|->|=>|→)\\s+(.+?)(?:\\s+${IN}\\s+(.+)|\\s+everywhere)?$`,
      'is',
    ),
    read: rename,
  },
  {
    words: new RegExp(`^(?:replace|substitute)\\s+(.+?)\\s+(?:by|with)\\s+(\\S+|.+?)(?:\\s+${IN}\\s+(.+)|\\s+everywhere)?$`, 'is'),
    read: replace,
  },
  { words: /^(?:replace|substitute)\s+(.+?)\s+(?:by|with)\s+(.+)$/i, read: replace },
  { words: new RegExp(`^change\\s+(\\S+)\\s+(?:to|into)\\s+(\\S+)(?:\\s+${IN}\\s+(.+)|\\s+everywhere)?$`, 'i'), read: changeText },
  {
    words:
      /^(?:append|add)\s+(?:(?:this|these|the|following|lines?|text)\s+)*(?:to|at)\s+(?:the\s+(?:end|bottom)\s+of\s+)?(\S+)\s*:?\s*(\S)$/is,
    read: appendBlock,
  },
  { words: /^append\s+(.+)\s+(?:to|at)\s+(?:the\s+(?:end|bottom)\s+of\s+)?(.+)$/is, read: append },
  { words: /^(?:add|put|write)\s+(.+)\s+(?:to|at)\s+the\s+(?:end|bottom)\s+of\s+(.+)$/is, read: append },
  {
    words: new RegExp(
      [
        '^(?:create|make|write|add)\\s+(?:(?:an?|the|new|empty)\\s+)*(file\\s+)?(?:(?:called|named)\\s+)?(\\S+)',
        '(?:\\s+(with|containing|that\\s+(?:contains|says|reads)|saying)\\b)?(?:\\s+(?:the|this|following|contents?|text|lines?|exactly))*',
        '\\s*:?\\s*(.*)$',
      ].join(''),
      'is',
    ),
    read: create,
  },
  { words: /^(?:delete|remove)\s+(.+)$/i, read: (match, reader) => path('delete', reader.filePath(match[1] as string)) },
];

function path(kind: 'delete', file: string | undefined): Change | undefined {
  return file === undefined ? undefined : { kind, path: file };
}

function move([words, from, to]: RegExpExecArray, reader: Reader): Change | undefined {
  const source = reader.filePath(from as string);
  const goal = reader.file(to as string) ?? reader.value(to as string).trim();
  if (source === undefined || goal === '' || /[\s*?]/.test(goal)) return undefined;
  const isRename = /^rename/i.test(words);
  if (goal.endsWith('/')) return { kind: 'move', from: source, to: `${goal.replace(/^\.?\/+/, '')}${baseName(source)}`, beside: false };
  if (!isFilePath(goal) && !isRename) return { kind: 'move', from: source, to: `${goal}/${baseName(source)}`, beside: false };
  return { kind: 'move', from: source, to: goal, beside: isRename && !goal.includes('/') };
}

function rename([, from, to, place]: RegExpExecArray, reader: Reader): Change | undefined {
  const scope = reader.scope(place);
  const [old, now] = [reader.name(from as string), reader.name(to as string)];
  // A single invalid name is rejected later with an explanation. Several words may belong to another rule.
  const isOne = !/\s/.test(now) || reader.mark(to as string) !== undefined;
  if (!scope || !IDENTIFIER.test(old) || now === '' || !isOne || old === now) return undefined;
  return { kind: 'rename', from: old, to: now, scope };
}

function replace([, from, to, place]: RegExpExecArray, reader: Reader): Change | undefined {
  const scope = reader.scope(place);
  const bare = (from as string).replace(
    /^(?:(?:all|every|each|the)\s+)*(?:occurrences?\s+of\s+|instances?\s+of\s+)?(?:the\s+)?(?:(?:text|string|word|phrase)\s+)?/i,
    '',
  );
  const old = reader.value(bare);
  const now = reader.value((to as string).replace(/^(?:the\s+)?(?:text|string|word|phrase)\s+(?=\S$)/i, ''));
  if (!scope || old === '' || old === now || /[\n\r]/.test(old + now)) return undefined;
  return { kind: 'replace', from: old, to: now, scope };
}

/** Reads "change A to B" only if A and B are in quotes, because it is ambiguous without them. */
function changeText(match: RegExpExecArray, reader: Reader): Change | undefined {
  return reader.mark(match[1] as string) && reader.mark(match[2] as string) ? replace(match, reader) : undefined;
}

function append([, text, file]: RegExpExecArray, reader: Reader): Change | undefined {
  const goal = reader.filePath(file as string);
  const bare = (text as string).replace(/^(?:the|a|this)?\s*(?:line|lines|text)?\s+(?=\S)/i, '');
  return goal === undefined ? undefined : { kind: 'append', path: goal, text: reader.content(bare) };
}

function appendBlock([, file, block]: RegExpExecArray, reader: Reader): Change | undefined {
  const goal = reader.filePath((file as string).replace(/:$/, ''));
  return goal !== undefined && reader.mark(block as string)
    ? { kind: 'append', path: goal, text: reader.content(block as string) }
    : undefined;
}

function create([, isFile, name, keyword, rest]: RegExpExecArray, reader: Reader): Change | undefined {
  const goal = reader.file((name as string).replace(/[:,]$/, ''));
  const path = goal ?? (isFile ? reader.value(name as string) : undefined);
  const body = (rest ?? '').trim();
  if (path === undefined || /[\s*?]/.test(path) || path.endsWith('/')) return undefined;
  if (body !== '' && !keyword && reader.mark(body) !== 'fence') return undefined;
  const content = reader.content(body);
  return { kind: 'create', path, content: content === '' || content.endsWith('\n') ? content : `${content}\n` };
}
