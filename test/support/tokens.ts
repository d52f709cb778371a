import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ToolSpec } from '../../src/core/model/model.ts';

/** Counts the tokens that tools cost in each request, in the OpenAI wire format. */
export function tokensOfTools(tools: readonly ToolSpec[]): number {
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: false,
  }));
  return countTokens(JSON.stringify(functions));
}
