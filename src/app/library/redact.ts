/**
 * Removes content that should not be shared from the events of a session: keys, contents of secret files, names of the user, and words that
 * the user lists.
 */

import { escapeRegex } from '../../core/escape-regex.ts';
import { KEYS } from '../../core/keys.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import { isLogged } from '../../core/session/shapes/event-shape.ts';
import { isSecret } from '../../policy/secrets.ts';

/** `keys` are known secrets, such as values of environment variables. `homes` are spellings of the user's home folder. */
export type Redactions = { words?: readonly string[]; keys?: readonly string[]; homes?: readonly string[]; user?: string | undefined };

/** Describes what was replaced and how often, so that the user can check it. */
export type Replaced = { what: string; count: number };

const MARK = '[redacted]';
const MIN_NAME = 3;

/** Fields that connect events or are read by programs. They contain no text from a user or a model. */
const STRUCTURE: ReadonlySet<string> = new Set(
  `
    type runId callId id approvalId questionId undoId undoneRunId planId resumes revises sessionId mode role kind
    effect access rule scope stop outcome status state about mediaType data before after hash digest limit shell
    supersedes queued by fingerprint rating
  `
    .trim()
    .split(/\s+/),
);

/**
 * Returns the events without the content that should not be shared, and a list of the replacements. Contents of files that the policy treats as
 * secrets are removed, and so are the results of calls that were approved as secret. Images are not changed.
 */
export function redacted(events: readonly AgentEvent[], options: Redactions = {}): { events: AgentEvent[]; replaced: Replaced[] } {
  const counts = new Map<string, number>();
  const count = (what: string, times = 1) => void (times > 0 && counts.set(what, (counts.get(what) ?? 0) + times));
  const secret = secretCalls(events);
  const rules = rulesOf(options);
  const clean = (text: string): string => {
    let out = text;
    for (const [what, pattern, by] of rules) {
      let times = 0;
      out = out.replace(pattern, () => {
        times++;
        return by;
      });
      count(what, times);
    }
    return out;
  };
  const kept = events.flatMap((event) => {
    const shared = deepMap(withoutSecrets(event, secret, count), clean) as AgentEvent;
    return isLogged(shared) ? [shared] : [];
  });
  return { events: kept, replaced: [...counts].map(([what, times]) => ({ what, count: times })) };
}

type Rule = readonly [what: string, pattern: RegExp, by: string];

function rulesOf({ words = [], keys = [], homes = [], user }: Redactions): Rule[] {
  return [
    ...words.filter(Boolean).map((word): Rule => [`“${word}”`, new RegExp(escapeRegex(word), 'gi'), MARK]),
    ...[...keys]
      .filter(({ length }) => length >= 8)
      .map((key): Rule => ['keys stored on this computer', new RegExp(escapeRegex(key), 'g'), MARK]),
    ...KEYS.map(([what, pattern]): Rule => [what, pattern, MARK]),
    ...homes
      .filter((home) => home.length > MIN_NAME)
      .sort((a, b) => b.length - a.length)
      .map((home): Rule => ['the home folder', new RegExp(`${escapeRegex(home)}(?![\\w.-])`, 'gi'), '~']),
    ...(user && user.length >= MIN_NAME
      ? [['the user name', new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegex(user)}(?![\\p{L}\\p{N}])`, 'giu'), 'user'] as Rule]
      : []),
  ];
}

/** Returns the ids of the calls that accessed a secret file, according to their targets or their approval. */
function secretCalls(events: readonly AgentEvent[]): Set<string> {
  const secret = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool_started' && event.targets.some(({ path }) => isSecret(path))) secret.add(event.callId);
    if (event.type === 'approval_requested' && (event.secret || event.targets?.some(({ path }) => isSecret(path))))
      secret.add(event.callId);
    if (event.type === 'file_changed' && event.changes.some(({ path, from }) => isSecret(path) || (from !== undefined && isSecret(from))))
      secret.add(event.callId);
  }
  return secret;
}

/** Removes the contents of secret files: results and arguments of calls, diffs, hashes, and mentions. */
function withoutSecrets(event: AgentEvent, secret: ReadonlySet<string>, count: (what: string) => void): unknown {
  const hide = <T>(value: T): T => {
    count('contents of secret files');
    return value;
  };
  switch (event.type) {
    case 'tool_finished':
      if (!secret.has(event.callId)) return event;
      return hide({ ...event, result: { ...event.result, content: [{ type: 'text', text: MARK }] } });
    case 'approval_requested':
      if (!secret.has(event.callId)) return event;
      return hide({
        ...event,
        input: undefined,
        changes: event.changes.map(({ before: _, after: __, ...change }) => ({ ...change, diff: '' })),
      });
    case 'file_changed':
      if (!secret.has(event.callId)) return event;
      return hide({ ...event, changes: event.changes.map(({ before: _, after: __, ...change }) => ({ ...change, diff: '' })) });
    case 'message_added':
    case 'message_queued': {
      const content = event.message.content.map((part) => {
        if (part.type === 'tool_call' && secret.has(part.id)) return hide({ ...part, input: {}, malformed: undefined });
        if (part.type === 'note' && (part.ref?.secret || (part.ref?.path !== undefined && isSecret(part.ref.path))))
          return hide({ ...part, text: MARK });
        return part;
      });
      return { ...event, message: { ...event.message, content } };
    }
    default:
      return event;
  }
}

/** Opaque tokens of a vendor can contain anything, so they are removed. */
function deepMap(value: unknown, clean: (text: string) => string, field = ''): unknown {
  if (typeof value === 'string') return STRUCTURE.has(field) ? value : clean(value);
  if (Array.isArray(value)) return value.map((each) => deepMap(each, clean, field));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, each]) => key !== 'replay' && each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [/^\w+$/.test(key) ? key : clean(key), deepMap(each, clean, key)]));
}
