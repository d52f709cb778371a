/** The user's additional headers for the provider in use. They may be secret, so they are set in the environment or a file, and no error shows their values. */
import { readFileSync } from 'node:fs';
import { jsonIn } from '../../../core/json.ts';
import { UsageError } from './arguments.ts';
import type { Environment } from './environment.ts';

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** The characters that a header value may contain; a line break, for example, is not allowed. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the user writes this text literally
const FORM = 'Use a JSON object such as {"x-team": "tides", "x-gateway-key": "${key}"}, or @ and the name of a file that contains one.';

/** Returns the headers in `KEDGE_HEADERS`, or `{}` if the variable is not set. @throws UsageError if its value is invalid */
export function headersOf(env: Environment): Record<string, string> {
  const value = env.KEDGE_HEADERS?.trim();
  if (!value) return {};
  const headers = jsonIn(value.startsWith('@') ? read(value.slice(1)) : value);
  const entries = headers !== null && typeof headers === 'object' && !Array.isArray(headers) ? Object.entries(headers) : undefined;
  if (!entries?.every(([name, value]) => NAME.test(name) && typeof value === 'string'))
    throw new UsageError(`KEDGE_HEADERS cannot be read. ${FORM}`);
  const [invalidName] = entries.find(([, value]) => !VALUE.test(value)) ?? [];
  if (invalidName)
    throw new UsageError(
      `The header ${invalidName} in KEDGE_HEADERS contains a character that is not allowed, such as a line break. Remove it.`,
    );
  return Object.fromEntries(entries);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The file ${file} that KEDGE_HEADERS names cannot be read (${(error as NodeJS.ErrnoException).code}). Check its path.`,
    );
  }
}
