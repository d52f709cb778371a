import * as z from 'zod';
import type { JsonSchema } from '../core/model/model.ts';
import { type PreparedCall, type Tool, ToolError } from '../core/run/tool.ts';
import type { Effect } from '../core/session/effects.ts';
import { convertTypes, renameArguments, withoutNulls } from './input-repair.ts';

type Definition<Schema extends z.ZodType> = {
  name: string;
  description: string;
  input: Schema;
  effect: Effect;
  alone?: boolean;
  /** Corrects input that models are known to send instead of valid input. */
  repair?(input: unknown): unknown;
  prepare(input: z.infer<Schema>, signal: AbortSignal): Promise<PreparedCall>;
};

/** Builds a built-in tool from its schema. Invalid input causes an error message that allows the model to correct its call. */
export function defineTool<Schema extends z.ZodType>({
  name,
  description,
  input: schema,
  effect,
  alone,
  repair,
  prepare,
}: Definition<Schema>): Tool {
  let inputSchema: JsonSchema | undefined;
  return {
    name,
    description,
    effect,
    source: 'builtin',
    ...(alone && { alone }),
    get inputSchema() {
      inputSchema ??= wireSchema(schema);
      return inputSchema;
    },
    async prepare(input, signal) {
      const inSchema = (value: unknown) => renameArguments(withoutNulls(value), schema);
      const meant = repair ? inSchema(repair(inSchema(input))) : inSchema(input);
      const parsed = schema.safeParse(meant);
      if (parsed.success) return prepare(parsed.data, signal);
      const again = schema.safeParse(inSchema(convertTypes(meant, parsed.error.issues)));
      if (again.success) return prepare(again.data, signal);
      throw new ToolError(
        `The arguments of ${name} do not fit its schema:\n${z.prettifyError(parsed.error)}\nCorrect them and call the tool again.`,
      );
    },
  };
}

/** Constraints that models never violate in practice. `prepare` still checks them. */
const IMPLIED: Readonly<Record<string, unknown>> = { maximum: Number.MAX_SAFE_INTEGER, minimum: 1, minLength: 1, minItems: 1 };

/** Returns the JSON schema without the parts that cost tokens in every request and contain no information for the model. */
function wireSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return JSON.parse(JSON.stringify(rest, (key, value) => (IMPLIED[key] === value ? undefined : value)));
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
