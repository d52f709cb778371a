/** Headers of the user's own for the provider in use. They may be secrets, so they come by the environment or a file, and no error shows one. */
import { readFileSync } from 'node:fs';
import { jsonIn } from '../../../core/json.ts';
import { UsageError } from './arguments.ts';
import type { Environment } from './environment.ts';

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What can stand in a header: not a line break, for one. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is what the user writes
const FORM = 'It takes a JSON object such as {"x-team": "tides", "x-gateway-key": "${key}"}, or @ and the name of a file that has one.';

/** What `KEDGE_HEADERS` says, `{}` where it is not set. @throws UsageError */
export function headersOf(env: Environment): Record<string, string> {
  const said = env.KEDGE_HEADERS?.trim();
  if (!said) return {};
  const headers = jsonIn(said.startsWith('@') ? read(said.slice(1)) : said);
  const entries = headers !== null && typeof headers === 'object' && !Array.isArray(headers) ? Object.entries(headers) : undefined;
  if (!entries?.every(([name, value]) => NAME.test(name) && typeof value === 'string'))
    throw new UsageError(`KEDGE_HEADERS cannot be read. ${FORM}`);
  const [odd] = entries.find(([, value]) => !VALUE.test(value)) ?? [];
  if (odd) throw new UsageError(`The header ${odd} in KEDGE_HEADERS has a character that no header can have, such as a line break.`);
  return Object.fromEntries(entries);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The file ${file} that KEDGE_HEADERS names cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
