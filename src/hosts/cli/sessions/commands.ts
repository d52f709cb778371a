/**
 * The commands that work without a model on what Kedge has stored: `kedge sessions`, `fork`, `export`, `import`, `replay`, `doctor`,
 * `insights` and `docs`.
 */
import { existsSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { configFile } from '../../node/config-path.ts';
import { openKedge } from '../kedge.ts';
import { parseCommand, UsageError } from '../options/arguments.ts';
import { EXIT } from '../run-session.ts';
import type { CommandContext, SessionCommand, Values } from './context.ts';

export const SHARED_OPTIONS = {
  folder: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

/** The additional options of each command. */
export const SESSION_OPTIONS = {
  sessions: {
    deleted: { type: 'boolean' },
    usage: { type: 'boolean' },
    all: { type: 'boolean' },
    'older-than': { type: 'string' },
  },
  fork: { at: { type: 'string' }, before: { type: 'string' }, restore: { type: 'boolean' } },
  export: {
    format: { type: 'string' },
    redact: { type: 'boolean' },
    word: { type: 'string', multiple: true },
    output: { type: 'string', short: 'o' },
  },
  import: {},
  replay: { speed: { type: 'string' }, step: { type: 'boolean' } },
  doctor: { check: { type: 'boolean' } },
  insights: { days: { type: 'string' }, csv: { type: 'boolean' }, all: { type: 'boolean' } },
  docs: {
    global: { type: 'boolean' },
    code: { type: 'boolean' },
    package: { type: 'string', multiple: true },
    depth: { type: 'string' },
    pages: { type: 'string' },
    failed: { type: 'boolean' },
    path: { type: 'string' },
    limit: { type: 'string' },
    fuzzy: { type: 'boolean' },
    'no-embeddings': { type: 'boolean' },
  },
} as const satisfies Record<SessionCommand, ParseArgsConfig['options']>;

/** `shutDown` closes everything that the command has opened before a signal ends the program. */
type Hooks = { shutDown?: () => Promise<void> };

/** @throws UsageError if the command line is invalid */
export async function sessionCommand(args: readonly string[], signal: AbortSignal, hooks: Hooks): Promise<number> {
  const { command, words, values } = parse(args);
  if (values.help) {
    process.stdout.write((await import('../options/help.ts')).helpOn(command));
    return EXIT.answered;
  }
  const folders = Array.isArray(values.folder) ? [...values.folder] : ['.'];
  const options = { folders, json: values.json === true, yes: false, runPlan: false, limits: {}, budget: {} };
  const kedge = openKedge(options, command === 'docs' ? await configuredEnvironment() : process.env);
  hooks.shutDown = () => kedge.assistant.shutDown();
  try {
    return await run(command, { kedge, words, values, signal });
  } finally {
    await kedge.assistant.shutDown();
  }
}

/** The embedding model and its address can be in the configuration file. */
async function configuredEnvironment(): Promise<NodeJS.ProcessEnv> {
  const file = configFile();
  return existsSync(file) ? (await import('../config/configured.ts')).configured(parseCommand(['--version']), file).env : process.env;
}

async function run(command: SessionCommand, context: CommandContext): Promise<number> {
  switch (command) {
    case 'sessions':
      return (await import('./sessions.ts')).sessions(context);
    case 'fork':
      return (await import('./fork.ts')).fork(context);
    case 'export':
    case 'import':
      return (await import('./exchange.ts'))[`${command}Session`](context);
    case 'replay':
      return (await import('./replay.ts')).replay(context);
    case 'doctor':
      return (await import('./doctor.ts')).doctor(context);
    case 'insights':
      return (await import('./insights.ts')).insights(context);
    case 'docs':
      return (await import('../documents/docs.ts')).docs(context);
  }
}

function parse(args: readonly string[]): { command: SessionCommand; words: string[]; values: Values } {
  const command = args.find((arg): arg is SessionCommand => Object.hasOwn(SESSION_OPTIONS, arg)) as SessionCommand;
  try {
    const options = { ...SHARED_OPTIONS, ...SESSION_OPTIONS[command] };
    const { values, positionals } = parseArgs({ args: withRedactWords(args), options, allowPositionals: true });
    return { command, words: positionals.slice(1), values: values as Values };
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/[.\n]/, 1);
    throw new UsageError(`${sentence}. See kedge ${command} --help.`);
  }
}

/** `--redact=WORD` redacts another word. It is parsed here, because an option of `parseArgs` cannot have an optional value. */
function withRedactWords(args: readonly string[]): string[] {
  return args.flatMap((arg) => (arg.startsWith('--redact=') ? ['--redact', `--word=${arg.slice('--redact='.length)}`] : [arg]));
}
