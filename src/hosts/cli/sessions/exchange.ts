/** `kedge export` and `kedge import`: save sessions as files and read them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { type Redactions, redacted } from '../../../app/library/redact.ts';
import type { List } from '../../../core/list.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { LOG_FORMAT } from '../../../core/session/log-format.ts';
import { sessionMarkdown } from '../../../core/view/session-markdown.ts';
import { isKey } from '../../node/commands/command-environment.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, confirmed, onlyWord } from './context.ts';
import { findSession } from './find.ts';
import { countText } from './text.ts';

/** Names of variables whose values are secrets. */
const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?)(?:_|$)/i;

export async function exportSession(context: CommandContext): Promise<number> {
  const { kedge, words, values } = context;
  const format = values.format ?? 'md';
  if (format !== 'md' && format !== 'json') throw new UsageError('--format must be md or json.');
  const session = await findSession(kedge.assistant, onlyWord(words, 'Specify the session to export: kedge export SESSION.'));
  if (session.damage) process.stderr.write(`kedge: ${oneLine(session.damage, 1_000)}\n`);
  const whole = loggedOf(session.events);
  let events: readonly AgentEvent[] = whole;
  if (values.redact) {
    const result = redacted(whole, { ...redactionsHere(process.env), words: Array.isArray(values.word) ? values.word : [] });
    events = result.events;
    for (const { what, count } of result.replaced) process.stderr.write(`Redacted: ${oneLine(what)}, ${countText(count, 'time')}\n`);
    if (result.replaced.length === 0) process.stderr.write('Nothing to redact was found.\n');
    if (hasImages(events)) process.stderr.write('Images are not redacted. Check them before you share this file.\n');
    if (process.stdin.isTTY === true && !(await confirmed('Write the redacted session?', context))) return EXIT.stopped;
  }
  const text = format === 'json' ? logText(events) : sessionMarkdown(events);
  if (typeof values.output === 'string') writeFileSync(values.output, text, { mode: 0o600 });
  else process.stdout.write(text);
  return EXIT.answered;
}

export async function importSession({ kedge, words, values }: CommandContext): Promise<number> {
  const file = onlyWord(words, 'Specify the file to import: kedge import FILE.');
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    throw new UsageError(`The file ${file} cannot be read. Export a session with kedge export SESSION --format json -o FILE.`);
  }
  const { session, skipped } = await (await kedge.assistant.library()).importLog(bytes);
  if (skipped > 0) process.stderr.write(`kedge: Skipped ${countText(skipped, 'line')} without a valid event.\n`);
  process.stdout.write(values.json ? `${JSON.stringify({ id: session.id, skipped })}\n` : `${session.id}\n`);
  if (!values.json)
    process.stderr.write(`Imported “${oneLine(session.state.title, 80)}”. To continue it: kedge --continue ${session.id} "…"\n`);
  return EXIT.answered;
}

/** Removes a pause at the end that is only displayed and not part of the log. */
function loggedOf(events: List<AgentEvent>): readonly AgentEvent[] {
  const last = events.at(-1);
  return last?.type === 'run_paused' && last.reason === 'interrupted' ? events.slice(0, -1) : events.slice();
}

function logText(events: readonly AgentEvent[]): string {
  return events.map((event, index) => `${JSON.stringify(index === 0 ? { ...event, format: LOG_FORMAT } : event)}\n`).join('');
}

function hasImages(events: readonly AgentEvent[]): boolean {
  return events.some((event) => event.type === 'message_added' && event.message.content.some((part) => (part.type as string) === 'image'));
}

/** Returns the values to redact in an export: those that identify this computer and its user, and the secrets in its environment. */
function redactionsHere(env: NodeJS.ProcessEnv): Redactions {
  const home = homedir();
  const user = userName() ?? env.USER ?? env.USERNAME;
  const keys = Object.entries(env).flatMap(([name, value]) => (value && (isKey(name) || SECRET_NAME.test(name)) ? [value] : []));
  return { keys, homes: [home, home.replaceAll('\\', '/'), home.replaceAll('\\', '\\\\'), encodeURI(home)], user };
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
