/** Reads, checks and writes the user's configuration file. */
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../options/arguments.ts';
import { configSchema, KEYS_ELSEWHERE, problemWith, SETTINGS } from './settings.ts';

export type Config = Record<string, unknown>;

const SCHEMA_FILE = 'config.schema.json';

/** Returns `{}` if there is no file. @throws UsageError that names the first problem of the file */
export function readConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new UsageError(`The configuration ${file} cannot be read (${code}). Check its permissions.`);
  }
  const problem = problemIn(text);
  if (problem) throw new UsageError(`The configuration ${file} is not valid: ${problem} To correct it, run kedge config edit.`);
  return JSON.parse(withoutMark(text));
}

function problemIn(text: string): string | undefined {
  let config: unknown;
  try {
    config = JSON.parse(withoutMark(text));
  } catch {
    // The message of the parser can contain a part of the file, and therefore a key.
    return 'It is not JSON.';
  }
  if (config === null || typeof config !== 'object' || Array.isArray(config)) return 'It must be a JSON object, such as {"mode": "ask"}.';
  for (const [name, value] of Object.entries(config)) {
    if (name === '$schema') continue;
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    const problem = setting ? problemWith(name, value, setting) : unknownSetting(name);
    if (problem) return problem;
  }
  return undefined;
}

/** Windows editors may begin a file with a byte order mark. */
function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Says why there is no setting with this name, and where a key or a header belongs. */
export function unknownSetting(name: string): string {
  if (/headers?$/i.test(name)) return `There is no setting ${JSON.stringify(name)}. Headers can be secret: set them in KEDGE_HEADERS.`;
  if (/key|token$|secret|password|credential/i.test(name)) return `There is no setting ${JSON.stringify(name)}. ${KEYS_ELSEWHERE}`;
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const similar = Object.keys(SETTINGS).find((each) => plain(each) === plain(name) || plain(each).startsWith(plain(name)));
  return `There is no setting ${JSON.stringify(name)}. ${similar ? `Did you mean ${similar}? ` : ''}To list the settings, run kedge config list.`;
}

/** Writes the file as a whole or not at all, and beside it the schema for editors. A link to the file stays a link. */
export function writeConfig(file: string, config: Config): void {
  mkdirSync(dirname(file), { recursive: true });
  const target = existsSync(file) ? realpathSync(file) : file;
  const incomplete = `${target}.${process.pid}.new`;
  writeFileSync(join(dirname(file), SCHEMA_FILE), `${JSON.stringify(configSchema(), null, 2)}\n`);
  writeFileSync(incomplete, `${JSON.stringify({ $schema: `./${SCHEMA_FILE}`, ...config }, null, 2)}\n`);
  chmodSync(incomplete, 0o600);
  renameSync(incomplete, target);
}
