/** Puts an answer into the form of a JSON Schema, as far as that is possible without understanding either. */
import type { JsonSchema } from '../core/model/model.ts';

const MAX_DEPTH = 10;

export function jsonAnswer(root: JsonSchema, text: string): string {
  return JSON.stringify(sampleOf(root, 0));

  function sampleOf(schema: unknown, depth: number): unknown {
    const {
      $ref,
      const: only,
      enum: choices,
      anyOf,
      oneOf,
      allOf,
      type,
      properties = {},
      required = [],
      ...rest
    } = isObject(schema) ? schema : {};
    if (depth > MAX_DEPTH) return null;
    if (only !== undefined) return only;
    if (Array.isArray(choices)) return choices[0];
    if (typeof $ref === 'string') return sampleOf(targetOf($ref), depth + 1);
    const [inner] = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []));
    if (inner !== undefined && type === undefined) return sampleOf(inner, depth + 1);
    const limit = (name: string) => (typeof rest[name] === 'number' ? rest[name] : undefined);
    switch (Array.isArray(type) ? type[0] : (type ?? (isObject(schema) && schema.properties ? 'object' : 'string'))) {
      case 'object': {
        const names = new Set([...(Array.isArray(required) ? required : []), ...(depth < 3 ? Object.keys(properties as object) : [])]);
        return Object.fromEntries([...names].map((name) => [name, sampleOf((properties as JsonSchema)[name as string], depth + 1)]));
      }
      case 'array':
        return Array.from({ length: Math.min(limit('minItems') ?? 1, 100) }, () => sampleOf(rest.items, depth + 1));
      case 'integer':
      case 'number':
        return limit('minimum') ?? Math.min(0, limit('maximum') ?? 0);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return text.slice(0, limit('maxLength')).padEnd(Math.min(limit('minLength') ?? 0, 1_000), '.');
    }
  }

  /** Finds the schema that a reference such as `#/$defs/item` names. */
  function targetOf(reference: string): unknown {
    const names = reference.split('/').slice(1);
    return names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
  }
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value);
