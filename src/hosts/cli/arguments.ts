/** What the command line asks for. */
import { parseArgs } from 'node:util';
import type { Mode } from '../../core/events.ts';
import { MODES } from '../../core/events.ts';

/** The command line cannot be understood or carried out as it is; the message says what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type Options = {
  folders: string[];
  json: boolean;
  yes: boolean;
  runPlan: boolean;
  model?: string;
  baseUrl?: string;
  maxTurns?: number;
};

/** `prompt` may hold a `-`, which stands for what comes in on stdin. `session` is the beginning of an id, or `last`. */
export type Command = Options &
  (
    | { action: 'help' | 'version' | 'sessions' | 'models' }
    | { action: 'undo'; run?: string }
    | { action: 'prompt'; mode: Mode; prompt: string[]; session?: string }
    | { action: 'continue'; prompt: string[]; session: string }
  );

const OPTIONS = {
  folder: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  'run-plan': { type: 'boolean' },
  model: { type: 'string', short: 'm' },
  'base-url': { type: 'string' },
  'max-turns': { type: 'string' },
  continue: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const EXAMPLES: Record<Mode, string> = {
  ask: '"where is the port set?"',
  plan: '"rename tideLevel to waterLevel"',
  agent: '"make the tests pass"',
};

/** @throws UsageError */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  const [word, ...rest] = positionals;
  const options: Options = {
    folders: values.folder ?? ['.'],
    json: values.json ?? false,
    yes: values.yes ?? false,
    runPlan: values['run-plan'] ?? false,
    ...(values.model !== undefined && { model: values.model }),
    ...(values['base-url'] !== undefined && { baseUrl: httpUrl(values['base-url']) }),
    ...(values['max-turns'] !== undefined && { maxTurns: count(values['max-turns']) }),
  };
  if (values.help || word === 'help') return { ...options, action: 'help' };
  if (values.version) return { ...options, action: 'version' };
  const session = values.continue;
  const mode = MODES.find((name) => name === word);
  if (mode) {
    if (!isBlank(rest)) return { ...options, action: 'prompt', mode, prompt: rest, ...(session !== undefined && { session }) };
    throw new UsageError(`Say what to ${mode === 'ask' ? 'ask' : 'do'}: kedge ${mode} ${EXAMPLES[mode]}`);
  }
  if (session !== undefined && positionals.length > 0 && isBlank(positionals))
    throw new UsageError('Say what to add to the session: kedge --continue "…", or kedge --continue alone to go on with it.');
  if (session !== undefined) return { ...options, action: 'continue', session, prompt: positionals };
  if (word === 'undo') return { ...options, action: 'undo', ...(rest[0] !== undefined && { run: rest[0] }) };
  if (word === 'sessions' || word === 'models') return { ...options, action: word };
  if (word === undefined) throw new UsageError('Say what to do: kedge ask, plan or agent, and a request. See kedge --help.');
  throw new UsageError(
    `${JSON.stringify(word)} is no command. Put ask, plan or agent before the request: kedge ask "…". See kedge --help.`,
  );
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: withSessions(args), options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/[.\n]/, 1);
    throw new UsageError(`${sentence}. See kedge --help.`);
  }
}

function isBlank(words: readonly string[]): boolean {
  return words.every((word) => word.trim() === '');
}

/** The session behind --continue may be left out, which the parser cannot know: words of a request may follow instead. */
function withSessions(args: readonly string[]): string[] {
  const out: string[] = [];
  const end = args.indexOf('--');
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg !== '--continue' || (end >= 0 && index > end)) out.push(arg);
    else if (isSessionId(args[index + 1], args[index + 2])) out.push(`--continue=${args[++index]}`);
    else out.push('--continue=last');
  }
  return out;
}

/** An id; or one word, however wrong, that no other words of a request follow. */
function isSessionId(text: string | undefined, next: string | undefined): boolean {
  if (text === undefined || MODES.some((mode) => mode === text)) return false;
  return /^(last|\d{8}T\d{6}[\w-]*)$/.test(text) || (/^\w[\w-]*$/.test(text) && (next === undefined || /^-|\s/.test(next)));
}

function count(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`--max-turns takes a whole number from 1, not ${JSON.stringify(text)}.`);
}

function httpUrl(text: string): string {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--base-url takes an address such as http://127.0.0.1:8080/v1, not ${JSON.stringify(text)}.`);
}
