/**
 * Validates input against schemas of servers without running their regular expressions, because a malicious expression could block the
 * process.
 */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';

export function schemaValidator(): jsonSchemaValidator {
  const ajv = new AjvJsonSchemaValidator();
  return {
    getValidator<T>(schema: JsonSchemaType) {
      const plain = withoutPatterns(schema);
      // The server checks the input that the client cannot check without patterns.
      return plain ? ajv.getValidator<T>(plain) : (input: unknown) => ({ valid: true, data: input as T, errorMessage: undefined });
    },
  };
}

/** Keywords that can make a schema stricter when patterns are removed from it. */
const TURNS_ROUND = /"(not|oneOf|if|const|maxContains|patternProperties)":|"enum":\[[^\]]*\{/;

/** Returns the schema without `pattern`; undefined if the result could reject input that the original accepts. */
function withoutPatterns<Schema extends object>(schema: Schema): Schema | undefined {
  let has = false;
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'patternProperties') has = true;
    // A property of the input may be named `pattern`. Its value is a schema instead of a string.
    if (key !== 'pattern' || typeof value !== 'string') return value;
    has = true;
    return undefined;
  });
  if (!has) return schema;
  return TURNS_ROUND.test(text) ? undefined : (JSON.parse(text) as Schema);
}
