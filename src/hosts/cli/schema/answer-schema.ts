/** Reads the JSON Schema of `--schema`, and validates answers against it. */
import { runInNewContext } from 'node:vm';
import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { AnswerFormat } from '../../../app/ports.ts';
import { jsonIn } from '../../../core/json.ts';
import type { JsonSchema } from '../../../core/model/model.ts';
import { UsageError } from '../options/arguments.ts';
import { META_SCHEMA } from './meta-schema.ts';

/** The maximum length of a schema in characters. It is sent with every request. */
const MAX_SCHEMA = 200_000;
/** The number of errors that are described to the model. */
const MOST_ERRORS = 8;
const MOST_CHARACTERS = 300;

/** The longest time of a check, because a pattern in a schema can take years for a text of some letters. */
const MOST_MS = 5_000;

type Problem = { keyword: string; instanceLocation: string; error: string };

/** @throws UsageError if the text of a file is not a schema that answers can be validated against. */
export function answerFormat(text: string, path: string): AnswerFormat {
  const fail = (problem: string): never => {
    throw new UsageError(`The schema ${path} cannot be used: ${problem}`);
  };
  if (text.length > MAX_SCHEMA) fail(`it is longer than ${MAX_SCHEMA.toLocaleString('en')} characters.`);
  const schema = jsonIn(text.replace(/^\uFEFF/, ''));
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return fail('it is not a JSON object.');
  const meta = problemsOf(new Validator(META_SCHEMA as Schema, '2020-12', false), schema);
  if (meta.length > 0) fail(listText(meta));
  const validator = validatorOf(structuredClone(schema));
  const problem = typeof validator === 'string' ? validator : unresolvable(validator);
  if (typeof validator === 'string' || problem) return fail(problem as string);
  return { schema: schema as JsonSchema, problemWith: (answer) => problemWith(answer, validator) };
}

/** Returns the JSON text of an answer. Some models put it into a code block although they were told not to. */
export function jsonOf(answer: string): string {
  const text = answer.trim();
  const [, inside] = /^```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```$/.exec(text) ?? [];
  return (inside ?? text).trim();
}

function problemWith(answer: string, validator: Validator): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(jsonOf(answer));
  } catch (error) {
    return `It is not JSON: ${(error as Error).message.slice(0, MOST_CHARACTERS)}.`;
  }
  try {
    const problems = limited(() => problemsOf(validator, value));
    return problems.length > 0 ? `It does not match the JSON Schema: ${listText(problems)}` : undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'It is nested too deeply.';
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return 'It could not be validated against the JSON Schema, because one of the schema’s patterns takes too long.';
    throw error;
  }
}

/** Only a limit of `node:vm` ends a regular expression. The code is our own. @throws if the limit is reached */
function limited<T>(check: () => T): T {
  return runInNewContext('check()', { check }, { timeout: MOST_MS }) as T;
}

function problemsOf(validator: Validator, value: unknown): Problem[] {
  const { valid, errors } = validator.validate(value);
  if (valid) return [];
  // An error of a value inside is repeated by a general one for each object around it.
  const inner = errors.filter(({ keyword }) => !/^(properties|items|\$ref|additionalProperties|prefixItems)$/.test(keyword));
  return inner.length > 0 ? inner : errors;
}

function listText(problems: readonly Problem[]): string {
  const texts = problems.slice(0, MOST_ERRORS).map(({ instanceLocation, error }) => {
    const place = instanceLocation === '#' ? 'the value' : instanceLocation.slice(0, MOST_CHARACTERS);
    return `${place}: ${error.slice(0, MOST_CHARACTERS)}`;
  });
  const more = problems.length - texts.length;
  return texts.join(' ') + (more > 0 ? ` There are ${more} more errors.` : '');
}

const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-04/, '4'],
  [/draft-0[67]/, '7'],
  [/2019-09/, '2019-09'],
];

/** Returns the validator, or a sentence that says why there is none. */
function validatorOf(schema: Schema): Validator | string {
  const [, draft = '2020-12' as const] = DRAFTS.find(([pattern]) => pattern.test(schema.$schema ?? '')) ?? [];
  try {
    return new Validator(schema, draft, false);
  } catch (error) {
    return error instanceof RangeError ? 'It is nested too deeply.' : (error as Error).message;
  }
}

/** Returns a sentence about a reference that leads nowhere. Nothing is read from other files or addresses. */
function unresolvable(validator: Validator): string | undefined {
  const { lookup } = validator as unknown as { lookup: Record<string, Schema | boolean> };
  for (const each of Object.values(lookup)) {
    if (typeof each !== 'object' || each.__absolute_ref__ === undefined) continue;
    const target = lookup[each.__absolute_ref__];
    if (target === undefined) return `the reference ${JSON.stringify(each.$ref)} leads to no schema in this file.`;
    for (let next: Schema | boolean | undefined = target, steps = 0; typeof next === 'object' && next.__absolute_ref__; steps++) {
      if (next === each || steps > 100) return `the reference ${JSON.stringify(each.$ref)} leads back to itself.`;
      next = lookup[next.__absolute_ref__];
    }
  }
  return undefined;
}
