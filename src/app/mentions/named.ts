/** Mentions by name: earlier sessions by their titles, and resources of MCP servers. */
import type { MentionChoice } from '../../core/model/mentions.ts';
import type { MentionRef } from '../../core/model/messages.ts';
import { shortTime } from '../../core/words/dates.ts';
import { mentionText } from '../../core/words/mention-text.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { promptCommand } from '../../mcp/prompt-uri.ts';
import { decide } from '../../policy/decide.ts';
import { listSessions, type SessionInfo } from '../../sessions/session-list.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { policySettings } from '../run/judge.ts';
import type { MentionPorts } from './sources.ts';

const MAX_SESSIONS = 20;
const MAX_RESOURCES = 20;
const SESSION = /^session:?/i;

/** Returns true if a query may search for sessions: it is the beginning of `session`, or begins with it. */
export function isSessionQuery(query: string): boolean {
  return SESSION.test(query) || 'session'.startsWith(query.toLowerCase());
}

/** Returns the sessions whose title contains all words after `session`, in their order. */
export function sessionChoices(query: string, sessions: readonly SessionInfo[]): MentionChoice[] {
  if (!SESSION.test(query)) return [];
  const words = wordsOf(query.replace(SESSION, ''));
  const found = sessions.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  return found.slice(0, MAX_SESSIONS).map((session) => ({
    ref: refOf(session),
    label: visibleLine(session.title),
    detail: shortTime(session.changedAt),
    insert: mentionText(`session:${session.title}`),
  }));
}

/**
 * Returns the resources of the connected MCP servers whose server and name contain all words, except resources of servers that a rule denies. The
 * resources are listed, but not read.
 */
export async function resourceChoices(query: string, ports: MentionPorts): Promise<MentionChoice[]> {
  const words = wordsOf(query);
  if (words.length === 0 || !ports.trusted()) return [];
  const found = ((await ports.mcp?.resources?.()) ?? []).filter(({ server, name, uri }) => {
    const text = `${server}:${uri} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const readers = new Map<string, boolean>();
  for (const server of new Set(found.map(({ server }) => server))) readers.set(server, await isOffered(server, ports));
  return found
    .filter(({ server }) => readers.get(server))
    .slice(0, MAX_RESOURCES)
    .map(({ server, uri, name, description }) => ({
      ref: { kind: 'resource', path: uri, name, server },
      label: name,
      detail: `${server}${description ? ` · ${description}` : ''}`,
      insert: mentionText(`${server}:${uri}`),
    }));
}

async function isOffered(server: string, ports: MentionPorts): Promise<boolean> {
  const tool = await ports.mcp?.resourceReader?.(server);
  if (!tool) return false;
  const { rules } = policySettings(ports);
  const aliases = aliasesIn(ports.fileSystem().folders);
  return decide({ mode: 'agent', tool, name: tool.name, targets: [], trusted: ports.trusted(), rules, aliases }).kind !== 'deny';
}

/** Returns the session that a text such as `session:Fix the tide` names: by its id, its title, or a part of the title that is unique to it. */
export async function sessionIn(target: string, { store }: MentionPorts): Promise<MentionRef | undefined> {
  const wanted = /^session:(.+)$/i.exec(target)?.[1]?.trim().toLowerCase();
  if (!wanted) return undefined;
  const all = await listSessions(store.directory);
  const exact = all.find(({ id, title }) => id.toLowerCase() === wanted || plain(title) === wanted);
  const [part, ...others] = all.filter(({ title }) => plain(title).includes(wanted));
  const found = exact ?? (others.length === 0 ? part : undefined);
  return found && refOf(found);
}

/** Returns the resource that a text such as `github:issue://12` names, if a server with this name is configured. */
export async function resourceIn(target: string, { mcp }: MentionPorts): Promise<MentionRef | undefined> {
  const [, server, uri] = /^([^:/\\]+):([a-z][\w+.-]*:.+)$/i.exec(target) ?? [];
  if (server === undefined || uri === undefined || !(await mcp?.resourceReader?.(server))) return undefined;
  return { kind: 'resource', path: uri, server };
}

/** Returns the prompt of an MCP server that a message such as `/server:prompt name=value` asks for, if the server is configured. */
export async function promptIn(text: string, { mcp }: MentionPorts): Promise<MentionRef | undefined> {
  const command = promptCommand(text);
  if (!command || !(await mcp?.resourceReader?.(command.server))) return undefined;
  return { kind: 'resource', path: command.uri, name: command.name, server: command.server };
}

function refOf({ id, title }: SessionInfo): MentionRef {
  return { kind: 'session', path: id, name: title };
}

/** `mentionText` leaves out quotes. */
function plain(title: string): string {
  return title.replaceAll('"', '').trim().toLowerCase();
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}
