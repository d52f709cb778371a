/**
 * Validates input against schemas of servers without running their regular expressions, because a malicious expression could block the
 * process.
 */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';

export function schemaValidator(): jsonSchemaValidator {
  const validators = new CfWorkerJsonSchemaValidator();
  return {
    getValidator<T>(schema: JsonSchemaType) {
      const unchecked = (input: unknown) => ({ valid: true as const, data: input as T, errorMessage: undefined });
      const plain = withoutPatterns(schema);
      // The server checks the input that the client cannot check without patterns.
      if (!plain) return unchecked;
      // The same is true of a schema that refers to something outside, or that is nested too deeply.
      try {
        const check = validators.getValidator<T>(plain);
        return (input: unknown) => {
          try {
            return check(input);
          } catch {
            return unchecked(input);
          }
        };
      } catch {
        return unchecked;
      }
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
