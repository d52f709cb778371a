/** Reads calls written as nested elements: in Kimi K3's XTML, which states the type of each argument, and in MiniMax M3's nested tags. */
import type { JsonSchema } from '../core/model/model.ts';
import { type Call, coerce, isObject, plainName, propertiesOf, type Tools } from './calls.ts';
import { M3 } from './markers.ts';
import { fromJson } from './parameters.ts';
import { type Reading, type Source, Unreadable } from './source.ts';

const DEEPEST = 30;

/** Reads `<|open|>call tool="…" index="1"<|sep|>`, starting after `call`, with one element per argument. */
export function* readXtml(src: Source, tools: Tools): Reading<Call> {
  const name = attributeIn((yield* src.until(['<|sep|>'], 300)).text, 'tool');
  if (name === undefined) throw new Unreadable();
  const input: Record<string, unknown> = {};
  for (;;) {
    yield* src.spaces();
    const mark = yield* src.literal(['<|open|>argument ', '<|close|>call<|sep|>']);
    if (mark === '<|close|>call<|sep|>') return { name: plainName(name, tools), input };
    if (!mark) throw new Unreadable();
    const head = (yield* src.until(['<|sep|>'], 300)).text;
    const key = attributeIn(head, 'key');
    if (key === undefined) throw new Unreadable();
    const { text } = yield* src.until(['<|close|>argument<|sep|>']);
    input[key] = attributeIn(head, 'type') === 'string' ? text : fromJson(text);
  }
}

function attributeIn(head: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head)?.[1];
  return value?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Reads `]<]minimax[>[<invoke name="…">`, starting after `name=`. Each argument is an element with its own name. */
export function* readM3(src: Source, tools: Tools): Reading<Call> {
  const head = (yield* src.until(['>'], 200)).text.trim();
  const name = plainName(/^(["'])(.*?)\1/.exec(head)?.[2] ?? head, tools);
  const schema = tools.get(name)?.inputSchema;
  const input = yield* readElements(src, 'invoke', { type: 'object', properties: propertiesOf(tools.get(name)) }, schema, 0);
  return { name, input: isObject(input) ? input : {} };
}

/** Reads the content of an element: child elements (`item` for list entries), or text that is converted according to the schema. */
function* readElements(
  src: Source,
  name: string,
  schema: JsonSchema | undefined,
  root: JsonSchema | undefined,
  depth: number,
): Reading<unknown> {
  if (depth > DEEPEST) throw new Unreadable();
  const members: [string, unknown][] = [];
  const { text } = yield* src.until([M3]);
  for (;;) {
    if (!(yield* src.literal(['<']))) throw new Unreadable();
    const isEnd = yield* src.literal(['/']);
    const tag = (yield* src.until(['>'], 200)).text.trim();
    if (isEnd && tag !== name) throw new Unreadable();
    if (isEnd) break;
    const inner =
      tag === 'item' && isObject(schema?.items) ? schema.items : isObject(schema?.properties) ? schema.properties[tag] : undefined;
    members.push([tag, yield* readElements(src, tag, inner as JsonSchema | undefined, root, depth + 1)]);
    yield* src.spaces();
    if (!(yield* src.literal([M3]))) throw new Unreadable();
  }
  // Without a schema, text that looks like a number or boolean is converted to one.
  if (members.length === 0 && depth > 0) return schema ? coerce(text, schema, root) : asPrimitive(text);
  if (members.length > 0 && members.every(([tag]) => tag === 'item')) return members.map(([, value]) => value);
  return asObject(members);
}

function asPrimitive(text: string): unknown {
  return /^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}

/** Converts elements to an object. Several elements with the same name are a list. */
function asObject(members: readonly [string, unknown][]): Record<string, unknown> {
  const grouped = new Map<string, unknown[]>();
  for (const [tag, value] of members) {
    const values = grouped.get(tag);
    if (values) values.push(value);
    else grouped.set(tag, [value]);
  }
  return Object.fromEntries([...grouped].map(([tag, values]) => [tag, values.length > 1 ? values : values[0]]));
}
