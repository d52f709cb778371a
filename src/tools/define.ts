import * as z from 'zod';
import type { JsonSchema } from '../core/model.ts';
import type { Effect, PreparedCall, Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';

type Definition<Schema extends z.ZodType> = {
  name: string;
  description: string;
  input: Schema;
  effect: Effect;
  /** Puts right what models are known to send instead of what the schema says. */
  repair?(input: unknown): unknown;
  prepare(input: z.infer<Schema>, signal: AbortSignal): Promise<PreparedCall>;
};

/** A built-in tool from its schema. Input that does not fit becomes an error that the model can correct. */
export function defineTool<Schema extends z.ZodType>({
  name,
  description,
  input: schema,
  effect,
  repair,
  prepare,
}: Definition<Schema>): Tool {
  let inputSchema: JsonSchema | undefined;
  return {
    name,
    description,
    effect,
    source: 'builtin',
    get inputSchema() {
      inputSchema ??= wireSchema(schema);
      return inputSchema;
    },
    async prepare(input, signal) {
      const parsed = schema.safeParse(repair ? repair(input) : input);
      if (!parsed.success) throw new ToolError(`The arguments of ${name} do not fit:\n${z.prettifyError(parsed.error)}`);
      return prepare(parsed.data, signal);
    },
  };
}

/** Without what costs tokens on every request and tells a model nothing. */
function wireSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return JSON.parse(JSON.stringify(rest, (key, value) => (key === 'maximum' && value === Number.MAX_SAFE_INTEGER ? undefined : value)));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
