/** Reads calls whose name is outside the arguments: in a tag, after a marker, or before the arguments. */
import { type Call, isObject, plainName, propertiesOf, type Tools, toInput } from './calls.ts';
import { readLiteral } from './literal.ts';
import * as marks from './markers.ts';
import { readParameters, readTagged } from './parameters.ts';
import { NAME, type Reading, type Source, Unreadable } from './source.ts';
import { opensMapping, readYaml } from './yaml.ts';

/** Reads arguments in braces, optionally in a fence. If a bracket is missing, a closing marker must follow. */
export function* readArguments(src: Source): Reading<Pick<Call, 'input' | 'malformed'>> {
  const fenced = yield* src.literal(['```json', '```']);
  if (fenced) yield* src.spaces();
  if ((yield* src.char()) !== '{') throw new Unreadable();
  const { value, open } = yield* readLiteral(src);
  if (open > 0 && !(yield* isBeforeCloser(src))) throw new Unreadable();
  if (fenced) {
    yield* src.spaces();
    yield* src.literal(['```']);
  }
  return toInput(value);
}

/** Skips closing markers of the call and the turn. */
export function* passClosers(src: Source): Reading<void> {
  for (let end = src.at; ; end = src.at) {
    yield* src.run(/[\s;]+/y);
    if (yield* src.literal(marks.CLOSERS)) continue;
    src.at = end;
    return;
  }
}

export function* isBeforeCloser(src: Source): Reading<boolean> {
  const start = src.at;
  yield* src.spaces();
  const closer = yield* src.literal([...marks.CLOSERS, '```']);
  src.at = start;
  return closer !== undefined;
}

/** Reads arguments in braces up to the closing tag. Other content is read with `otherwise`. */
function* readEnclosed(src: Source, name: string, closer: string, otherwise: () => Reading<Call>): Reading<Call> {
  yield* src.spaces();
  if ((yield* src.char()) !== '{') return yield* otherwise();
  const input = yield* readArguments(src);
  yield* src.spaces();
  if (!(yield* src.literal([closer]))) throw new Unreadable();
  return { name, ...input };
}

/** Reads `<function=name>`. Small models may omit the `>` or add parentheses around the arguments. */
export function* readFunction(src: Source, tools: Tools): Reading<Call> {
  const name = plainName(yield* src.run(/[^>{(\n]+/y), tools);
  const tagged = yield* src.literal(['>']);
  yield* src.spaces();
  const parenthesis = yield* src.literal(['(']);
  if (tagged && !parenthesis && (yield* src.char()) !== '{') return yield* readMembers(src, tools, name, ['<parameter='], '</function>');
  const input = yield* readArguments(src);
  if (parenthesis && !(yield* src.literal([')']))) throw new Unreadable();
  yield* src.spaces();
  if (!(yield* src.literal(['</function>'])) && !tagged) throw new Unreadable();
  return { name, ...input };
}

/** Reads arguments that are not JSON: in parameter tags, in tags named after the parameters, or as YAML. */
function* readMembers(src: Source, tools: Tools, name: string, openers: readonly string[], closer: string): Reading<Call> {
  const keys = propertiesOf(tools.get(name));
  const start = src.at;
  const own = yield* src.literal(Object.keys(keys).map((key) => `<${key}>`));
  src.at = start;
  if (own !== undefined) return yield* readTagged(src, tools, name, closer);
  if (yield* opensMapping(src, (key) => key in keys)) {
    const call = yield* readYamlArguments(src, tools, name, closer);
    src.at += closer.length;
    return call;
  }
  return yield* readParameters(src, tools, name, openers, [closer]);
}

/** Reads `key: value` lines up to `closer`. All keys must be parameters of the tool, because other text may contain colons too. */
export function* readYamlArguments(src: Source, tools: Tools, name: string, closer: string): Reading<Call> {
  const input = yield* readYaml(src, closer);
  const properties = propertiesOf(tools.get(name));
  if (!isObject(input) || Object.keys(input).some((key) => !(key in properties))) throw new Unreadable();
  return { name, input };
}

/** Reads `<invoke name="…">`, starting after `name=`. */
export function* readInvoke(src: Source, tools: Tools, mark: string): Reading<Call> {
  const head = (yield* src.until(['>'], 200)).text.trim();
  return yield* readNamedTag(src, tools, mark.slice(1, mark.indexOf(' ')), /^(["'])(.*?)\1/.exec(head)?.[2] ?? head);
}

/** Reads an opening tag with the tool name as an attribute. Returns undefined if there is no name. */
export function* readAttributed(src: Source, tools: Tools, mark: string): Reading<Call | undefined> {
  const head = (yield* src.until(['>'], 200)).text;
  const rawName = /(?:^|\s)(?:name|tool|function)=(["'])(.*?)\1/.exec(head)?.[2];
  return rawName === undefined ? undefined : yield* readNamedTag(src, tools, mark.slice(1).trim(), rawName);
}

function* readNamedTag(src: Source, tools: Tools, tag: string, rawName: string): Reading<Call> {
  const name = plainName(rawName.replace(/\s*\/$/, ''), tools);
  const closer = `</${tag}>`;
  if (src.text[src.at - 2] === '/') return { name, input: {} };
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [...marks.PARAMETERS, '<parameter='], closer));
}

/** Reads a tag named after the tool. */
export function* readToolTag(src: Source, tools: Tools, name: string): Reading<Call> {
  const closer = `</${name}>`;
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [], closer));
}

/** Reads `<name>…</name>`, followed by the arguments in a tag, as JSON or in tags of their own. */
export function* readInTags(src: Source, tools: Tools, mark: string): Reading<Call> {
  const name = plainName((yield* src.until([mark.replace('<', '</')], 100)).text, tools);
  yield* src.spaces();
  const opener = yield* src.literal(marks.INPUT_TAGS);
  if (!opener) throw new Unreadable();
  const closer = opener.replace('<', '</');
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [], closer));
}

/** Reads the formats of DeepSeek and Kimi: `function<sep>name\n…` or `name<sep>…`. Step writes `<invoke>` after the separator. */
export function* readTokenCall(src: Source, tools: Tools): Reading<Call> {
  let name = (yield* src.until(marks.CALL_SEPARATORS, 200)).text.trim();
  if (name === 'function') {
    const invoke = yield* src.literal(marks.INVOKES);
    if (invoke) return yield* readInvoke(src, tools, invoke);
    name = yield* src.run(NAME);
    yield* src.literal(marks.CALL_SEPARATORS);
  }
  yield* src.spaces();
  const input = yield* readArguments(src);
  yield* src.spaces();
  yield* src.literal(marks.CLOSERS);
  return { name: plainName(name, tools), ...input };
}

/** Reads the format of Qwen-Agent: `✿FUNCTION✿: name`, `✿ARGS✿: {…}`. */
export function* readQwen(src: Source, tools: Tools): Reading<Call> {
  src.at += marks.QWEN_NAME.length;
  yield* src.spaces();
  const name = plainName(yield* src.run(NAME), tools);
  yield* src.spaces();
  if (!(yield* src.literal([marks.QWEN_ARGUMENTS]))) throw new Unreadable();
  yield* src.spaces();
  return { name, ...(yield* readArguments(src)) };
}
