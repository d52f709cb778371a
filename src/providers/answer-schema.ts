/** Fits a JSON Schema for answers to the subset that services support. */
import type { JsonSchema } from '../core/model/model.ts';

/**
 * Returns a schema whose objects may contain only the properties that it names, because services require that. It only
 * becomes stricter, except in `oneOf`, so answers are still checked by the original. An object without named properties stays open, since it could contain nothing otherwise.
 */
export function closed(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = closedValue(schema) as JsonSchema;
  return rest;
}

/** The keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** The keywords whose values have freely chosen names, so that a name may look like a keyword. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Beside these, an object may have properties that its own schema does not name. */
const COMBINED: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'dependentSchemas']);
/** Closing an object in these could allow more. */
const NOT_CLOSED: ReadonlySet<string> = new Set(['allOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (DATA.has(key) || NOT_CLOSED.has(key) || ('properties' in value && COMBINED.has(key))) return [key, inner];
    return [key, NAMED.has(key) && inner ? mapped(inner) : closedValue(inner)];
  });
  const isOpen = 'properties' in value && !('additionalProperties' in value) && !Object.keys(value).some((key) => COMBINED.has(key));
  return Object.fromEntries(isOpen ? [...entries, ['additionalProperties', false]] : entries);
}

const mapped = (named: object) => Object.fromEntries(Object.entries(named).map(([name, inner]) => [name, closedValue(inner)]));

/** Returns the format of OpenAI's services. A service that does not support the schema rejects the request. */
export function strictFormat(schema: JsonSchema) {
  return { name: 'answer', schema: closed(schema), strict: true };
}
