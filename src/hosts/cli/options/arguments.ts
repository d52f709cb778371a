/** What the command line asks for. */
import { parseArgs } from 'node:util';
import { MODES, type Mode } from '../../../core/session/events.ts';
import type { Limits, RunBudget } from '../../../core/session/limits.ts';

/** The command line cannot be understood or carried out as it is; the message says what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type Options = {
  folders: string[];
  json: boolean;
  yes: boolean;
  /** Rules such as `path:src/**` and `command:npm test`. */
  allow?: string[];
  deny?: string[];
  /** A file of rules. */
  policy?: string;
  /** A file that names MCP servers. */
  mcpConfig?: string;
  runPlan: boolean;
  /** Agent mode proposes a plan first. */
  requirePlan?: boolean;
  /** The file that the plan is written to, as Markdown. */
  output?: string;
  model?: string;
  baseUrl?: string;
  /** Where a run pauses, instead of where it usually does. */
  limits: Partial<Limits>;
  budget: RunBudget;
  /** Of the model, in US dollars for a million tokens, where Kedge does not know it. */
  price?: { input: number; output: number };
};

/** `prompt` may hold a `-`, which stands for what comes in on stdin. `session` is the beginning of an id, or `last`. */
export type Command = Options &
  (
    | { action: 'help' | 'version' | 'sessions' | 'models' }
    | { action: 'keys'; keys: KeysCommand }
    | { action: 'undo'; run?: string }
    /** `clear` is a place in the list, from 1, or all of it. */
    | { action: 'grants'; clear?: number | 'all' }
    | { action: 'prompt'; mode: Mode; prompt: string[]; session?: string }
    | { action: 'continue'; prompt: string[]; session: string }
  );

const OPTIONS = {
  folder: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  allow: { type: 'string', multiple: true },
  deny: { type: 'string', multiple: true },
  policy: { type: 'string' },
  'mcp-config': { type: 'string' },
  'run-plan': { type: 'boolean' },
  'require-plan': { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  model: { type: 'string', short: 'm' },
  'base-url': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-calls': { type: 'string' },
  'max-minutes': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-usd': { type: 'string' },
  price: { type: 'string' },
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
    ...(values.allow && { allow: values.allow }),
    ...(values.deny && { deny: values.deny }),
    ...(values.policy !== undefined && { policy: values.policy }),
    ...(values['mcp-config'] !== undefined && { mcpConfig: values['mcp-config'] }),
    runPlan: values['run-plan'] ?? false,
    ...(values['require-plan'] && { requirePlan: true }),
    ...(values.output !== undefined && { output: values.output }),
    ...(values.model !== undefined && { model: modelName(values.model) }),
    ...(values['base-url'] !== undefined && { baseUrl: httpUrl(values['base-url']) }),
    limits: {
      ...(values['max-turns'] !== undefined && { turns: count('--max-turns', values['max-turns']) }),
      ...(values['max-calls'] !== undefined && { callsPerRun: count('--max-calls', values['max-calls']) }),
      ...(values['max-minutes'] !== undefined && { minutes: amount('--max-minutes', values['max-minutes']) }),
    },
    budget: {
      ...(values['max-tokens'] !== undefined && { tokens: count('--max-tokens', values['max-tokens']) }),
      ...(values['max-usd'] !== undefined && { usd: amount('--max-usd', values['max-usd']) }),
    },
    ...(values.price !== undefined && { price: priceIn(values.price) }),
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
  if (word === 'grants') return { ...options, action: 'grants', ...clearing(rest) };
  if (word === 'undo') return { ...options, action: 'undo', ...(rest[0] !== undefined && { run: rest[0] }) };
  if (word === 'keys') return { ...options, action: 'keys', keys: keysCommand(rest) };
  if (word === 'sessions' || word === 'models') return { ...options, action: word };
  if (word === undefined) throw new UsageError('Say what to do: kedge ask, plan or agent, and a request. See kedge --help.');
  throw new UsageError(
    `${JSON.stringify(word)} is no command. Put ask, plan or agent before the request: kedge ask "…". See kedge --help.`,
  );
}

/** What stands behind it is not repeated in an error: it may be a key. */
function keysCommand([verb, provider, ...more]: readonly string[]): KeysCommand {
  if (more.length > 0) throw new UsageError('A key does not belong on the command line: kedge keys set PROVIDER reads it from stdin.');
  if (verb === 'list' && provider === undefined) return { verb };
  if ((verb === 'set' || verb === 'delete') && provider !== undefined) return { verb, provider };
  throw new UsageError('Write kedge keys set PROVIDER, kedge keys delete PROVIDER or kedge keys list.');
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: withSessions(args), options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/[.\n]/, 1);
    throw new UsageError(`${sentence}. See kedge --help.`);
  }
}

/** @throws UsageError */
function clearing([word, which, ...more]: readonly string[]): { clear?: number | 'all' } {
  if (word === undefined) return {};
  if (word === 'clear' && which === undefined) return { clear: 'all' };
  if (word === 'clear' && more.length === 0 && /^[1-9]\d{0,3}$/.test(which ?? '')) return { clear: Number(which) };
  throw new UsageError('Write kedge grants, kedge grants clear, or kedge grants clear 2 for the second of the list.');
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

function count(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`${option} takes a whole number from 1, not ${JSON.stringify(text)}.`);
}

function amount(option: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`${option} takes a number above 0, such as 0.5, not ${JSON.stringify(text)}.`);
}

/** Nothing is a price too. */
function priceIn(text: string): { input: number; output: number } {
  const [, input, output] = /^\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (input !== undefined && output !== undefined) return { input: Number(input), output: Number(output) };
  throw new UsageError(`--price takes US dollars for a million tokens in and out, such as 0.5/2, not ${JSON.stringify(text)}.`);
}

function modelName(text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError('--model takes a provider and a model, such as openai/gpt-6.1-sol. See kedge models.');
}

function httpUrl(text: string): string {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--base-url takes an address such as http://127.0.0.1:8080/v1, not ${JSON.stringify(text)}.`);
}

export type KeysCommand = { verb: 'list' } | { verb: 'set' | 'delete'; provider: string };
