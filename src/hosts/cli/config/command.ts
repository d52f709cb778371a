/** `kedge config`: shows and changes the configuration file. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { configFile } from '../../node/config-path.ts';
import { EXIT } from '../exit-codes.ts';
import { bareAddress } from '../options/addresses.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import { type Config, readConfig, unknownSetting, writeConfig } from './config-file.ts';
import { addressVariable } from './configured.ts';
import { deepProblem } from './deep-checks.ts';
import { configSchema, problemWith, type Schema, SETTINGS } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;
/** `source` is the name of a variable, `file`, or `not set`. */
type Row = { name: string; value: unknown; source: string };

const USAGE = 'Use kedge config list, get NAME, set NAME VALUE, unset NAME, edit, path or schema. See kedge config --help.';

/** Resolves to the exit code. @throws UsageError if the words, a value or the file are not valid */
export function configCommand([verb = 'list', name, ...words]: readonly string[], json: boolean, env: Environment = process.env): number {
  const file = configFile(env);
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const isComplete = name === undefined || ['get', 'set', 'unset'].includes(verb);
  if (!isComplete || (words.length > 0 && verb !== 'set')) throw new UsageError(USAGE);
  switch (verb) {
    case 'list': {
      const rows = rowsOf(readConfig(file), env);
      print(json ? JSON.stringify(rows) : rows.map(lineOf).join('\n'));
      return EXIT.answered;
    }
    case 'get': {
      const [first, inner] = partsOf(name);
      const rows = rowsOf(readConfig(file), env).filter((row) => row.name === (inner === undefined ? first : `${first}.${inner}`));
      const row = rows.find(({ source }) => source !== NOT_SET) ?? groupOf(first, inner, readConfig(file));
      if (!row) process.stderr.write(`kedge: ${name} is not set.\n`);
      else print(json ? JSON.stringify(row) : textOf(row.value));
      return row ? EXIT.answered : EXIT.failed;
    }
    case 'set': {
      if (words.length === 0) throw new UsageError(USAGE);
      writeConfig(file, withValue(readConfig(file), name, words.join(' ')));
      const variable = rowsOf(readConfig(file), env).find((row) => row.name === name && row.source !== 'file')?.source;
      print(`${name} was set in ${file}.${variable ? ` While ${variable} is set, its value is used instead.` : ''}`);
      return EXIT.answered;
    }
    case 'unset': {
      const config = readConfig(file);
      const changed = withoutValue(config, name);
      if (JSON.stringify(changed) === JSON.stringify(config)) print(`${name} is not set in ${file}.`);
      else writeConfig(file, changed);
      return EXIT.answered;
    }
    case 'edit':
      return edit(file, env);
    case 'path':
      print(file);
      return EXIT.answered;
    case 'schema':
      print(JSON.stringify(configSchema(), null, 2));
      return EXIT.answered;
    default:
      throw new UsageError(USAGE);
  }
}

const NOT_SET = 'not set';

/** Splits a name such as `baseUrls.openai`. @throws UsageError if there is no such setting */
function partsOf(name = ''): [first: string, inner?: string] {
  const dot = name.indexOf('.');
  const first = dot < 0 ? name : name.slice(0, dot);
  const setting = Object.hasOwn(SETTINGS, first) ? SETTINGS[first] : undefined;
  if (!name) throw new UsageError(USAGE);
  if (!setting || (dot >= 0 && setting.type !== 'object')) throw new UsageError(unknownSetting(name));
  return dot < 0 ? [first] : [first, name.slice(dot + 1)];
}

function withValue(config: Config, name = '', text: string): Config {
  const [first, inner] = partsOf(name);
  const setting = SETTINGS[first] as Schema & { isFile?: true };
  const schema = inner === undefined ? setting : setting.properties?.[inner] || setting.additionalProperties || { type: 'string' };
  const value = parsedValue(setting.isFile ? resolve(text) : text, schema);
  const changed = inner === undefined ? value : { ...(config[first] as object | undefined), [inner]: value };
  const problem = problemWith(first, changed, setting);
  if (problem) throw new UsageError(`Nothing was changed. ${problem}`);
  const whole = { ...config, [first]: changed };
  const unusable = deepProblem(first, whole);
  if (unusable) throw new UsageError(`Nothing was changed. ${unusable}`);
  return whole;
}

function withoutValue(config: Config, name = ''): Config {
  const [first, inner] = partsOf(name);
  const { [first]: value, ...others } = config;
  if (inner === undefined || value === undefined) return others;
  const { [inner]: _, ...rest } = value as Config;
  return Object.keys(rest).length > 0 ? { ...config, [first]: rest } : others;
}

/** Returns the text itself if it is not of the type, so that the check names what is allowed. */
function parsedValue(text: string, { type }: Schema): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Lists every setting with the value that runs use. The values of an object are listed one by one. */
function rowsOf(config: Config, env: Environment): Row[] {
  return Object.entries(SETTINGS).flatMap(([name, { variable, type }]): Row[] => {
    const inFile = config[name];
    if (name === 'baseUrls') {
      const addresses = Object.entries((inFile ?? {}) as Record<string, string>);
      const rows = addresses.map(([provider, url]) => rowOf(`${name}.${provider}`, url, addressVariable(provider), env));
      return rows.length > 0 ? rows : [{ name, value: undefined, source: NOT_SET }];
    }
    const row = rowOf(name, inFile, variable, env);
    if (type !== 'object' || row.source !== 'file') return [row];
    return Object.entries(inFile as object).map(([key, value]) => ({ name: `${name}.${key}`, value, source: 'file' }));
  });
}

function rowOf(name: string, inFile: unknown, variable: string | undefined, env: Environment): Row {
  const inEnvironment = variable === undefined ? undefined : env[variable];
  // An empty variable takes precedence, too: it turns the setting off.
  if (variable !== undefined && inEnvironment !== undefined) return { name, value: shownText(inEnvironment), source: variable };
  return { name, value: inFile, source: inFile === undefined ? NOT_SET : 'file' };
}

/** Returns the value of an object as a whole. */
function groupOf(first: string, inner: string | undefined, config: Config): Row | undefined {
  return inner === undefined && config[first] !== undefined ? { name: first, value: config[first], source: 'file' } : undefined;
}

/** An address in the environment can contain a password. */
function shownText(text: string): string {
  return /^https?:/.test(text) && URL.canParse(text) ? bareAddress(text) : text;
}

function lineOf({ name, value, source }: Row): string {
  const note = source === NOT_SET ? `(not set) ${SETTINGS[name]?.description ?? ''}` : `${textOf(value)}  (${source})`;
  return `${name.padEnd(22)} ${note}`;
}

function textOf(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 1_000);
}

/** Opens the file in the user's editor and checks it afterwards. What the user wrote is kept, even if it is not valid. */
function edit(file: string, env: Environment): number {
  editorOf(env, file);
  if (!existsSync(file)) writeConfig(file, {});
  openInEditor(file, env);
  const config = readConfig(file);
  const problems = Object.keys(config).flatMap((name) => deepProblem(name, config) ?? []);
  if (problems.length > 0) throw new UsageError(`The configuration ${file} was saved, but cannot be used. ${problems.join(' ')}`);
  return EXIT.answered;
}

/** @throws UsageError if no editor is set */
function editorOf(env: Environment, file: string): string {
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim();
  if (editor) return editor;
  throw new UsageError(`No editor is set. Set VISUAL or EDITOR, such as EDITOR=nano, or open ${file} yourself.`);
}

/** Opens a file in the user's editor, and waits until it is closed. @throws Error if there is no editor, or if it failed */
export function openInEditor(file: string, env: Environment): void {
  const editor = editorOf(env, file);
  // The variable can contain arguments, so a shell reads it.
  const [shell, args] = process.platform === 'win32' ? [true, []] : [false, ['-c', `${editor} "$@"`, 'sh', file]];
  const { status, error } = shell
    ? spawnSync(`${editor} "${file}"`, { stdio: 'inherit', shell })
    : spawnSync('/bin/sh', args, { stdio: 'inherit' });
  if (error || status !== 0) throw new Error(`The editor ${editor} ended with ${error ? error.message : `code ${status}`}.`);
}
