/** Converts the forms in which models write calls to one common form. */
import type { JsonSchema, ToolSpec } from '../core/model/model.ts';
import { parseLiteral } from './literal.ts';

export type Tools = ReadonlyMap<string, ToolSpec>;
export type Call = { name: string; input?: unknown; malformed?: string };

const NAMES = ['name', 'tool_name', 'tool', 'function_name', 'function', 'action', 'recipient_name'];
const INPUTS = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'action_input', 'kwargs', 'arguments_json'];
const OTHERS = [
  'type',
  'id',
  'call_id',
  'tool_call_id',
  'index',
  'tool_calls',
  'tool_call',
  'function_call',
  'calls',
  'tool_uses',
  'thought',
  'reasoning',
  'explanation',
];
const KEYS = new Set([...NAMES, ...INPUTS, ...OTHERS]);

export function isCallKey(key: string): boolean {
  return KEYS.has(key);
}

export function isNameKey(key: string): boolean {
  return NAMES.includes(key);
}

/** Removes the additions of call formats to a tool name: `functions.read_file:0`, `read_file.call`, `default_api.read_file`, `read\_file`. */
export function plainName(name: string, tools: Tools): string {
  const bare = name
    .trim()
    .replace(/^["'`]|["'`]$/g, '')
    .replaceAll('\\_', '_');
  if (tools.has(bare)) return bare;
  const short = bare
    .replace(/^(functions?|tools?|default_api|multi_tool_use|api|call)[.:/]/, '')
    .replace(/:\d*$/, '')
    .replace(/\.call$|\(\)$/, '');
  return tools.has(short) ? short : bare;
}

/**
 * Returns the calls that a parsed value represents; undefined if the value is not a call. `strict` is for values without a marker, which
 * might be plain data: they must have a name, arguments and no other keys.
 */
export function toCalls(value: unknown, tools: Tools, strict: boolean): Call[] | undefined {
  if (Array.isArray(value)) {
    const all = value.map((item) => (isObject(item) ? toCalls(item, tools, strict) : undefined));
    return all.length > 0 && all.every((calls) => calls !== undefined) ? all.flat() : undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of ['tool_calls', 'tool_call', 'function_call', 'calls', 'tool_uses', 'function']) {
    const inner = value[key];
    if (inner !== null && typeof inner === 'object' && (!strict || Object.keys(value).every(isCallKey)))
      return toCalls(inner, tools, strict);
  }
  const nameKey = NAMES.find((key) => typeof value[key] === 'string');
  const inputKey = INPUTS.find((key) => key in value && key !== nameKey);
  if (!nameKey) return strict ? undefined : keyedCall(value, tools);
  const name = plainName(value[nameKey] as string, tools);
  if (inputKey) {
    if (strict && (!Object.keys(value).every(isCallKey) || isDefinition(value[inputKey], tools.get(name)))) return undefined;
    return [{ name, ...toInput(value[inputKey]) }];
  }
  if (strict) return undefined;
  const { [nameKey]: _, ...rest } = value;
  return [{ name, input: Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'id' && key !== 'type')) }];
}

/** Converts the form `{"read_file": {"path": …}}` to a call. */
function keyedCall(value: Record<string, unknown>, tools: Tools): Call[] | undefined {
  const [entry, ...more] = Object.entries(value);
  if (!entry || more.length > 0 || !tools.has(entry[0]) || !isObject(entry[1])) return undefined;
  return [{ name: entry[0], input: entry[1] }];
}

/** Returns true if the arguments are a tool's schema. In this case, the value describes a tool and is not a call. */
function isDefinition(input: unknown, tool: ToolSpec | undefined): boolean {
  return isObject(input) && input.type === 'object' && isObject(input.properties) && !('properties' in propertiesOf(tool));
}

/** Converts arguments, which may be an object or a string that contains an object. */
export function toInput(value: unknown): Pick<Call, 'input' | 'malformed'> {
  if (value === null || value === undefined || value === '') return { input: {} };
  if (typeof value !== 'string') return isObject(value) ? { input: value } : { malformed: JSON.stringify(value) };
  try {
    const input = parseLiteral(value);
    return isObject(input) ? { input } : { malformed: value };
  } catch {
    return { malformed: value };
  }
}

export function propertiesOf(tool: ToolSpec | undefined): Record<string, JsonSchema> {
  return (tool?.inputSchema.properties ?? {}) as Record<string, JsonSchema>;
}

/** Converts arguments from strings to the types in the tool's schema, for formats in which all arguments are strings. */
export function coerceAll(values: Record<string, string>, tool: ToolSpec | undefined): Record<string, unknown> {
  const properties = propertiesOf(tool);
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, coerce(text, properties[key], tool?.inputSchema)]));
}

/** Converts a string to the type that its schema requires. */
export function coerce(text: string, schema: JsonSchema | undefined, root: JsonSchema | undefined): unknown {
  const types = typesOf(schema, root);
  const trimmed = text.trim();
  if (types.has('null') && /^(null|none)$/i.test(trimmed)) return null;
  if (types.has('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if ((types.has('integer') || types.has('number')) && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if ((types.has('array') && /^[[(]/.test(trimmed)) || (types.has('object') && trimmed.startsWith('{'))) {
    try {
      return parseLiteral(trimmed);
    } catch {
      return text;
    }
  }
  return text;
}

function typesOf(schema: JsonSchema | undefined, root: JsonSchema | undefined, depth = 0): Set<string> {
  if (!schema || depth > 4) return new Set();
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root);
    return typesOf(target as JsonSchema | undefined, root, depth + 1);
  }
  const inner = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter((each) => isObject(each));
  const values = [schema.enum, 'const' in schema ? [schema.const] : []].flat().filter((value) => value !== undefined && value !== null);
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  return new Set([...types, ...values.map((value) => typeof value), ...inner.flatMap((each) => [...typesOf(each, root, depth + 1)])]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
