/** Parses the command line. */
import { parseArgs } from 'node:util';
import type { Part } from '../../../app/context/surroundings-parts.ts';
import { MODES, type Mode } from '../../../core/session/events.ts';
import type { Limits, RunBudget } from '../../../core/session/limits.ts';
import { initPrompt } from '../../../core/words/slash-commands.ts';
import type { DocumentsTemplate, DocumentsValues } from './option-table.ts';

/** An error in the command line or the environment. The message says how to correct it. */
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
  /** The path of a policy file. */
  policy?: string;
  /** The path of a file that lists MCP servers. */
  mcpConfig?: string;
  runPlan: boolean;
  requirePlan?: boolean;
  /** Rings the bell of the terminal when the run waits for the user, and when it has ended. */
  bell?: boolean;
  /** The file to which the plan is written as Markdown. */
  output?: string;
  model?: string;
  agent?: string;
  baseUrl?: string;
  /** Limits at which a run pauses, in place of the defaults. */
  limits: Partial<Limits>;
  budget: RunBudget;
  /** The parts of the surroundings that are sent to the model. If it is not set, all parts are sent. */
  surroundings?: Part[];
  temperature?: number;
  maxOutputTokens?: number;
  /** Words that are added to the system prompt. */
  system?: string;
  /** Prints only the answer, and what needs the user's attention. */
  quiet?: boolean;
  /** Agent mode works in a Git worktree, and the changes are applied afterwards. */
  worktree?: boolean;
  /** The path of a JSON Schema for the answer. */
  schema?: string;
  /** The price of the model in US dollars per million tokens, for a model whose price is unknown. */
  price?: { input: number; output: number };
};

/** `prompt` may contain a `-`, which stands for standard input. `session` is the beginning of an id, or `last`. */
export type Command = Options &
  (
    | { action: 'version' }
    | { action: 'acp' }
    /** A conversation. `session` is the session to continue, and `prompt` the first message. */
    | { action: 'chat'; session?: string; plain: boolean; prompt: string[] }
    /** `values.http` is the port to serve on, or 0 for any free one. Without it, standard input and output are used. */
    | { action: 'mcp'; values: { raw?: boolean; http?: string; collections?: string[]; 'no-global'?: boolean } }
    | { action: 'ask-documents'; prompt: string[]; values: DocumentsValues }
    | { action: 'help'; topic?: string }
    /** A command that runs no model. Its code parses the words after its name. */
    | { action: 'other'; name: string; words: string[]; all: boolean }
    /** `shown` is displayed in place of the prompt. With a `template`, the prompt names documents. Without a mode, the configuration file must set one. */
    | { action: 'prompt'; mode?: Mode; prompt: string[]; session?: string; shown?: string; template?: DocumentsTemplate }
    | { action: 'continue'; prompt: string[]; session: string }
  );

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

export const OPTIONS = {
  folder: { type: 'string', multiple: true },
  json: flag,
  yes: { type: 'boolean', short: 'y' },
  allow: { type: 'string', multiple: true },
  deny: { type: 'string', multiple: true },
  policy: text,
  'mcp-config': text,
  'run-plan': flag,
  'require-plan': flag,
  'no-require-plan': flag,
  bell: flag,
  'no-bell': flag,
  quiet: { type: 'boolean', short: 'q' },
  'no-quiet': flag,
  output: { type: 'string', short: 'o' },
  model: { type: 'string', short: 'm' },
  agent: text,
  'base-url': text,
  'max-turns': text,
  'max-calls': text,
  'max-minutes': text,
  'max-tokens': text,
  'max-usd': text,
  'max-output-tokens': text,
  temperature: text,
  system: text,
  schema: text,
  price: text,
  surroundings: text,
  all: flag,
  raw: flag,
  http: text,
  collections: { type: 'string', short: 'c', multiple: true },
  'no-global': flag,
  'use-case': { type: 'string', short: 'u' },
  interactive: { type: 'boolean', short: 'i' },
  verbose: flag,
  plain: flag,
  worktree: flag,
  session: text,
  continue: text,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const EXAMPLES: Record<Mode, string> = {
  ask: '"where is the port set?"',
  plan: '"rename tideLevel to waterLevel"',
  agent: '"make the tests pass"',
};

/** Parses the arguments after the name of the program. @throws UsageError if they are invalid */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [word, ...rest] = positionals;
  const options: Options = {
    folders: values.folder ?? ['.'],
    json: values.json ?? false,
    yes: values.yes ?? false,
    runPlan: values['run-plan'] ?? false,
    ...defined({
      allow: values.allow,
      deny: values.deny,
      policy: values.policy,
      mcpConfig: values['mcp-config'],
      requirePlan: values['no-require-plan'] ? false : values['require-plan'],
      bell: values['no-bell'] ? false : values.bell,
      quiet: values['no-quiet'] ? false : values.quiet,
      output: values.output,
      system: values.system,
      agent: values.agent,
      schema: values.schema,
      worktree: values.worktree,
      model: converted(values.model, modelName),
      baseUrl: converted(values['base-url'], httpUrl),
      temperature: converted(values.temperature, temperature),
      maxOutputTokens: converted(values['max-output-tokens'], count('--max-output-tokens')),
      surroundings: converted(values.surroundings, surroundingsList),
      price: converted(values.price, parsePrice),
    }),
    limits: defined({
      turns: converted(values['max-turns'], count('--max-turns')),
      callsPerRun: converted(values['max-calls'], count('--max-calls')),
      minutes: converted(values['max-minutes'], amount('--max-minutes')),
    }),
    budget: defined({
      tokens: converted(values['max-tokens'], count('--max-tokens')),
      usd: converted(values['max-usd'], amount('--max-usd')),
    }),
  };
  if (values.help || word === 'help') return { ...options, action: 'help', ...defined({ topic: word === 'help' ? rest[0] : word }) };
  if (values.version) return { ...options, action: 'version' };
  const session = values.continue ?? values.session;
  if (word === 'chat' || (positionals.length === 0 && values.continue === undefined && process.stdin.isTTY && process.stdout.isTTY))
    return { ...options, action: 'chat', plain: values.plain ?? false, prompt: rest, ...defined({ session }) };
  const mode = MODES.find((name) => name === word);
  if (mode) {
    if (!isBlank(rest)) return { ...options, action: 'prompt', mode, prompt: rest, ...(session !== undefined && { session }) };
    throw new UsageError(`The request is missing. For example: kedge ${mode} ${EXAMPLES[mode]}`);
  }
  if (session !== undefined && positionals.length > 0 && isBlank(positionals))
    throw new UsageError('The request is empty. Add one with kedge --continue "…", or run kedge --continue alone to continue the session.');
  if (session !== undefined) return { ...options, action: 'continue', session, prompt: positionals };
  if (word === 'init') {
    const words = rest.join(' ').trim();
    return { ...options, action: 'prompt', mode: 'agent', prompt: [initPrompt(words)], shown: `kedge init ${words}`.trim() };
  }
  if (word === 'docs' && rest[0] === 'ask') {
    if (isBlank(rest.slice(1)) && !values.interactive)
      throw new UsageError('The question is missing. For example: kedge docs ask "how is a deployment rolled back?"');
    return { ...options, action: 'ask-documents', prompt: rest.slice(1), values };
  }
  const [template] = rest;
  if (word === 'docs' && (template === 'summarize' || template === 'worksheet' || template === 'compare'))
    return { ...options, action: 'prompt', mode: 'ask', prompt: rest.slice(1), template };
  if (word === 'acp') return { ...options, action: word };
  if (word === 'mcp') return { ...options, action: word, values };
  if (OTHERS.test(word ?? '')) return { ...options, action: 'other', name: word as string, words: rest, all: values.all ?? false };
  if (word === undefined)
    throw new UsageError('The request is missing. Write kedge ask, kedge plan or kedge agent, and then the request. See kedge --help.');
  // A word that could be a misspelled command is not sent to a model.
  if (/\s/.test(word)) return { ...options, action: 'prompt', prompt: positionals };
  throw new UsageError(notCommand(word));
}

const OTHERS = /^(remember|grants|undo|worktree|keys|models|agents|config|completion|skills|hooks|browser)$/;

export function notCommand(word: string): string {
  return `${JSON.stringify(word)} is not a command. Put ask, plan or agent before the request: kedge ask "…". See kedge --help.`;
}

function defined<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as ReturnType<typeof defined<Values>>;
}

function converted<Value>(text: string | undefined, convert: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : convert(text);
}

function parse(args: readonly string[]) {
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

/** Adds the session `last` to a --continue that no session id follows. `parseArgs` does not support options with an optional value. */
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

/**
 * Returns true if `text` is the session id of a --continue. A single word at the end, or before an option or a quoted request, counts as an
 * id, so that an invalid id is reported.
 */
function isSessionId(text: string | undefined, next: string | undefined): boolean {
  if (text === undefined || MODES.some((mode) => mode === text)) return false;
  return /^(last|\d{8}T\d{6}[\w-]*)$/.test(text) || (/^\w[\w-]*$/.test(text) && (next === undefined || /^-|\s/.test(next)));
}

function count(option: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number > 0) return number;
    throw new UsageError(`${option} must be a whole number of at least 1, not ${JSON.stringify(text)}.`);
  };
}

function amount(option: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isFinite(number) && number > 0) return number;
    throw new UsageError(`${option} must be a number greater than 0, such as 0.5, not ${JSON.stringify(text)}.`);
  };
}

function temperature(text: string): number {
  const number = Number(text);
  if (text.trim() && number >= 0 && number <= 2) return number;
  throw new UsageError(`--temperature must be a number from 0 to 2, not ${JSON.stringify(text)}.`);
}

/** Parses the value of --price. A price may be 0. */
function parsePrice(text: string): { input: number; output: number } {
  const [, input, output] = /^\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (input !== undefined && output !== undefined) return { input: Number(input), output: Number(output) };
  throw new UsageError(
    `--price must be the input and output price in US dollars per million tokens, such as 0.5/2, not ${JSON.stringify(text)}.`,
  );
}

const SURROUNDINGS: readonly Part[] = ['system', 'date', 'folders', 'git'];

/** Parses the value of --surroundings. @throws UsageError if it names an unknown part */
function surroundingsList(text: string): Part[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.join() === 'none') return [];
  const parts = SURROUNDINGS.filter((part) => names.includes(part));
  if (names.every((name) => parts.some((part) => part === name))) return parts;
  throw new UsageError(`--surroundings must be none, or a list such as ${SURROUNDINGS.join(',')}, not ${JSON.stringify(text)}.`);
}

function modelName(text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError('--model must be a provider and a model, such as openai/gpt-6.1-sol. To list models, run kedge models.');
}

function httpUrl(text: string): string {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--base-url must be an address such as http://127.0.0.1:8080/v1, not ${JSON.stringify(text)}.`);
}
