/** Calls whose name stands outside of their arguments: in a tag, behind a mark, or before them. */
import { type Call, isObject, plainName, propertiesOf, type Tools, toInput } from './calls.ts';
import { readLiteral } from './literal.ts';
import * as marks from './markers.ts';
import { readParameters, readTagged } from './parameters.ts';
import { NAME, type Reading, type Source, Unreadable } from './source.ts';
import { opensMapping, readYaml } from './yaml.ts';

/** Arguments alone, in braces, perhaps in a fence. Where they lack a bracket, a closing mark must follow. */
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

/** Passes the marks that end a call, or the turn with it. */
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

/** Arguments in braces down to their closing tag, or in a form of their own. */
function* readEnclosed(src: Source, name: string, closer: string, otherwise: () => Reading<Call>): Reading<Call> {
  yield* src.spaces();
  if ((yield* src.char()) !== '{') return yield* otherwise();
  const input = yield* readArguments(src);
  yield* src.spaces();
  if (!(yield* src.literal([closer]))) throw new Unreadable();
  return { name, ...input };
}

/** `<function=name>`, where small models leave the bracket out, or put parentheses around the arguments. */
export function* readFunction(src: Source, tools: Tools): Reading<Call> {
  const name = plainName(yield* src.run(/[^>{(\n]+/y), tools);
  const tagged = yield* src.literal(['>']);
  yield* src.spaces();
  const opened = yield* src.literal(['(']);
  if (tagged && !opened && (yield* src.char()) !== '{') return yield* readMembers(src, tools, name, ['<parameter='], '</function>');
  const input = yield* readArguments(src);
  if (opened && !(yield* src.literal([')']))) throw new Unreadable();
  yield* src.spaces();
  if (!(yield* src.literal(['</function>'])) && !tagged) throw new Unreadable();
  return { name, ...input };
}

/** Arguments that are not JSON: in tags for parameters, in tags of their own names, or as YAML. */
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

/** `key: value` on each line, up to `closer`. It must be the tool's own arguments: other texts have colons, too. */
export function* readYamlArguments(src: Source, tools: Tools, name: string, closer: string): Reading<Call> {
  const input = yield* readYaml(src, closer);
  const known = propertiesOf(tools.get(name));
  if (!isObject(input) || Object.keys(input).some((key) => !(key in known))) throw new Unreadable();
  return { name, input };
}

/** `<invoke name="…">`, from behind the name's equals sign. */
export function* readInvoke(src: Source, tools: Tools, mark: string): Reading<Call> {
  const head = (yield* src.until(['>'], 200)).text.trim();
  return yield* readNamedTag(src, tools, mark.slice(1, mark.indexOf(' ')), /^(["'])(.*?)\1/.exec(head)?.[2] ?? head);
}

/** A wrapper's tag with the name among its attributes; nothing where there is none. */
export function* readAttributed(src: Source, tools: Tools, mark: string): Reading<Call | undefined> {
  const head = (yield* src.until(['>'], 200)).text;
  const given = /(?:^|\s)(?:name|tool|function)=(["'])(.*?)\1/.exec(head)?.[2];
  return given === undefined ? undefined : yield* readNamedTag(src, tools, mark.slice(1).trim(), given);
}

function* readNamedTag(src: Source, tools: Tools, tag: string, given: string): Reading<Call> {
  const name = plainName(given.replace(/\s*\/$/, ''), tools);
  const closer = `</${tag}>`;
  if (src.text[src.at - 2] === '/') return { name, input: {} };
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [...marks.PARAMETERS, '<parameter='], closer));
}

/** A tag with the tool's name in it. */
export function* readToolTag(src: Source, tools: Tools, name: string): Reading<Call> {
  const closer = `</${name}>`;
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [], closer));
}

/** `<name>…</name>`, then the arguments in a tag, as JSON or in tags of their own. */
export function* readInTags(src: Source, tools: Tools, mark: string): Reading<Call> {
  const name = plainName((yield* src.until([mark.replace('<', '</')], 100)).text, tools);
  yield* src.spaces();
  const opener = yield* src.literal(marks.INPUT_TAGS);
  if (!opener) throw new Unreadable();
  const closer = opener.replace('<', '</');
  return yield* readEnclosed(src, name, closer, () => readMembers(src, tools, name, [], closer));
}

/** DeepSeek and Kimi: `function<sep>name\n…`, or `name<sep>…`. Step has an `<invoke>` behind the separator. */
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

/** Qwen-Agent: `✿FUNCTION✿: name`, `✿ARGS✿: {…}`. */
export function* readQwen(src: Source, tools: Tools): Reading<Call> {
  src.at += marks.QWEN_NAME.length;
  yield* src.spaces();
  const name = plainName(yield* src.run(NAME), tools);
  yield* src.spaces();
  if (!(yield* src.literal([marks.QWEN_ARGUMENTS]))) throw new Unreadable();
  yield* src.spaces();
  return { name, ...(yield* readArguments(src)) };
}
