/** The settings of the configuration file. The file's JSON Schema, its checks, and `kedge config` all use this table. */
import { MIN_CONTEXT_TOKENS } from '../../../app/limits.ts';
import { MODES } from '../../../core/session/events.ts';

/** The part of JSON Schema that the settings need. */
export type Schema = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object';
  description?: string;
  enum?: readonly string[];
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | false;
  examples?: readonly unknown[];
};

/** `option` and `variable` are what takes precedence over the setting. `isFile` is true for the path of a file. */
export type Setting = Schema & { description: string; option?: string; variable?: string; isFile?: true };

const count = { type: 'integer', minimum: 1 } as const;
const amount = { type: 'number', exclusiveMinimum: 0 } as const;
const quantity = { type: 'number', minimum: 0 } as const;
/** A user name, a password or a query could be secret. */
const address = { type: 'string', pattern: '^https?://[^/@?#\\s]+(?:/[^@?#\\s]*)?$', examples: ['http://127.0.0.1:8080/v1'] } as const;
const file = { type: 'string', pattern: '^(?:/|[A-Za-z]:[\\\\/]|\\\\\\\\)', isFile: true, examples: ['/home/me/policy.json'] } as const;

export const SETTINGS: Readonly<Record<string, Setting>> = {
  model: {
    ...{ type: 'string', pattern: '\\S', examples: ['openai/gpt-6.1-sol'], option: 'model', variable: 'KEDGE_MODEL' },
    description: 'The model to use, as provider/model. The default is offline.',
  },
  mode: { type: 'string', enum: MODES, description: 'The mode of a quoted request without a mode: kedge "where is the port set?".' },
  baseUrls: {
    ...{ type: 'object', additionalProperties: address, option: 'base-url' },
    description: 'The addresses of servers, by provider. A variable such as OPENAI_BASE_URL takes precedence.',
  },
  embeddingModel: {
    ...{
      type: 'string',
      pattern: '^[^/\\s]+/\\S',
      examples: ['openai/text-embedding-3-small', 'ollama/nomic-embed-text'],
      variable: 'KEDGE_EMBEDDING_MODEL',
    },
    description: 'The model that computes embeddings of documents, so that kedge docs also finds other words. The default is none.',
  },
  temperature: {
    type: 'number',
    minimum: 0,
    maximum: 2,
    option: 'temperature',
    description: 'The temperature, for models that support it.',
  },
  maxOutputTokens: { ...count, option: 'max-output-tokens', description: 'The maximum length of one answer of the model, in tokens.' },
  system: { type: 'string', option: 'system', description: 'Words that are added to the instructions of the model.' },
  contextTokens: {
    ...{ type: 'integer', minimum: MIN_CONTEXT_TOKENS, variable: 'KEDGE_CONTEXT_TOKENS' },
    description: "How many tokens of a model's context window are used at most.",
  },
  memoryTokens: {
    ...{ type: 'integer', minimum: 0, maximum: 100_000, variable: 'KEDGE_MEMORY_TOKENS' },
    description: 'How many tokens of the memory are sent to the model.',
  },
  delegation: {
    ...{ type: 'integer', minimum: 0, maximum: 3, variable: 'KEDGE_DELEGATION' },
    description: 'How deep a run may give tasks to further runs that only read: 0 not at all, 1 or 2 as a rule.',
  },
  browser: {
    ...{ type: 'string', pattern: '^(?:on|off|/.*|[A-Za-z]:[\\\\/].*)$', examples: ['on'], variable: 'KEDGE_BROWSER' },
    description: 'Lets Agent mode use a browser: on, or the path of Chrome, Chromium or Edge. The default is off.',
  },
  lessons: {
    ...{ type: 'boolean', variable: 'KEDGE_LESSONS' },
    description: 'Proposes after a run in a conversation what could be remembered for similar tasks. The default is true.',
  },
  serverTimeout: {
    ...{ type: 'number', minimum: 1, maximum: 290, variable: 'KEDGE_SERVER_TIMEOUT' },
    description: 'Seconds without data before a request fails.',
  },
  maxTurns: { ...count, option: 'max-turns', description: 'The number of requests to the model at which a run pauses.' },
  maxCalls: { ...count, option: 'max-calls', description: 'The number of tool calls at which a run pauses.' },
  maxMinutes: { ...amount, option: 'max-minutes', description: 'The minutes of work at which a run pauses.' },
  maxTokens: { ...count, option: 'max-tokens', description: 'The number of tokens at which a run pauses.' },
  maxUsd: { ...amount, option: 'max-usd', description: 'The US dollars at which a run pauses.' },
  dayBudget: {
    type: 'object',
    properties: { runs: quantity, turns: quantity, calls: quantity, tokens: quantity, usd: quantity, minutes: quantity },
    additionalProperties: false,
    variable: 'KEDGE_DAY_BUDGET',
    description: 'Limits for all runs of one day.',
  },
  price: {
    ...{ type: 'string', pattern: '^\\d+(?:\\.\\d+)?/\\d+(?:\\.\\d+)?$', examples: ['0.5/2'], option: 'price' },
    description: 'The price of a model whose price is unknown: US dollars per million input/output tokens.',
  },
  surroundings: {
    ...{ type: 'string', pattern: '^(?:none|(?:system|date|folders|git)(?:,(?:system|date|folders|git))*)$', examples: ['date,git'] },
    ...{ option: 'surroundings', description: 'Facts that are sent to the model: none, or a list.' },
  },
  policy: { ...file, option: 'policy', description: 'A file with rules that allow or deny tool calls.' },
  mcpConfig: { ...file, option: 'mcp-config', description: 'A file that lists MCP servers.' },
  requirePlan: { type: 'boolean', option: 'require-plan', description: 'Agent mode proposes a plan first.' },
  bell: { type: 'boolean', option: 'bell', description: 'Rings the bell of the terminal when a run waits for you, has failed or is done.' },
  quiet: { type: 'boolean', option: 'quiet', description: 'Prints only the answer, and what needs your attention.' },
  otlpEndpoint: {
    ...address,
    variable: 'KEDGE_OTLP_ENDPOINT',
    description: 'An OpenTelemetry collector to which runs are sent as traces.',
  },
  passEnvironment: {
    ...{ type: 'string', variable: 'KEDGE_PASS_ENV', examples: ['GITHUB_TOKEN'] },
    description: 'Names of variables to pass to commands although they look like keys.',
  },
  withholdEnvironment: {
    ...{ type: 'string', variable: 'KEDGE_WITHHOLD_ENV', examples: ['AWS_*'] },
    description: 'Names of additional variables to withhold from commands.',
  },
};

/** Returns the JSON Schema of the configuration file, with which editors check and complete it. */
export function configSchema(): object {
  const properties = Object.entries(SETTINGS).map(([name, { option: _option, variable: _variable, isFile: _isFile, ...schema }]) => [
    name,
    schema,
  ]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration of the terminal program of Kedge',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}

const LOOKS_LIKE_KEY = /(?:^|[/=\s])(?:sk|pk|rk|gh[pousr]|github_pat|gsk|xai|hf)[-_][\w-]{16,}|AIza[\w-]{30,}/;
export const KEYS_ELSEWHERE =
  'Keys are not stored in this file. Store a key in the keychain with kedge keys set PROVIDER, or set a variable such as OPENAI_API_KEY.';

/** Returns a sentence that says what is wrong with a value, or undefined. It never contains a value that may be secret. */
export function problemWith(name: string, value: unknown, schema: Schema): string | undefined {
  if (typeof value === 'string' && LOOKS_LIKE_KEY.test(value)) return `The value of ${name} looks like a key. ${KEYS_ELSEWHERE}`;
  if (schema.type !== 'object') return isAllowed(value, schema) ? undefined : `${name} must be ${allowedText(schema)}.`;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return `${name} must be ${allowedText(schema)}.`;
  for (const [key, each] of Object.entries(value)) {
    const inner = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : schema.additionalProperties;
    const problem = inner ? problemWith(`${name}.${key}`, each, inner) : `${name} has no ${key}. It must be ${allowedText(schema)}.`;
    if (problem) return problem;
  }
  return undefined;
}

function isAllowed(value: unknown, { type, minimum, exclusiveMinimum, maximum, pattern, enum: choices }: Schema): boolean {
  if (typeof value === 'number' && (type === 'number' || type === 'integer')) {
    const isInRange = value >= (minimum ?? -Infinity) && value > (exclusiveMinimum ?? -Infinity) && value <= (maximum ?? Infinity);
    return Number.isFinite(value) && isInRange && (type === 'number' || Number.isInteger(value));
  }
  if (typeof value === 'string' && type === 'string')
    return choices ? choices.includes(value) : value.trim() !== '' && new RegExp(pattern ?? '').test(value);
  return typeof value === 'boolean' && type === 'boolean';
}

/** Says which values are allowed, to follow "must be". */
export function allowedText(schema: Schema): string {
  const { type, minimum, exclusiveMinimum, maximum, enum: choices, examples, properties, additionalProperties: inner } = schema;
  if (choices) return `one of ${choices.join(', ')}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'object') {
    if (!properties) return `an object with names and values, each ${allowedText(inner || { type: 'string' })}`;
    return `an object that may contain ${Object.keys(properties).join(', ')}`;
  }
  if (type === 'string') return `a text${examples ? `, such as ${examples[0]}` : ''}`;
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  return exclusiveMinimum === undefined ? `${kind} of at least ${minimum}` : `${kind} greater than ${exclusiveMinimum}`;
}
