/** Checks against the schemas of servers, none of whose regular expressions ever runs here: one can hold up the whole program. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';

export function schemaValidator(): jsonSchemaValidator {
  const ajv = new AjvJsonSchemaValidator();
  return {
    getValidator<T>(schema: JsonSchemaType) {
      const plain = withoutPatterns(schema);
      // What cannot be checked without them is the server's to check.
      return plain ? ajv.getValidator<T>(plain) : (input: unknown) => ({ valid: true, data: input as T, errorMessage: undefined });
    },
  };
}

/** Where one of these stands, less to match may mean more to refuse. */
const TURNS_ROUND = /"(not|oneOf|if|const|maxContains|patternProperties)":|"enum":\[[^\]]*\{/;

/** The schema without any `pattern`; undefined where what is left could refuse what the whole takes. */
function withoutPatterns<Schema extends object>(schema: Schema): Schema | undefined {
  let has = false;
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'patternProperties') has = true;
    // A property may be called `pattern`: what says what it takes is no text.
    if (key !== 'pattern' || typeof value !== 'string') return value;
    has = true;
    return undefined;
  });
  if (!has) return schema;
  return TURNS_ROUND.test(text) ? undefined : (JSON.parse(text) as Schema);
}
