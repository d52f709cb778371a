/** Reads calls in Python syntax: `f(a=1, b="x")`. */
import { type Call, plainName, propertiesOf, type Tools } from './calls.ts';
import { readLiteral } from './literal.ts';
import { NAME, type Reading, type Source, Unreadable } from './source.ts';

export function* opensPythonic(src: Source): Reading<boolean> {
  const start = src.at++;
  yield* src.spaces();
  const name = yield* src.run(NAME);
  const opens = name !== '' && (yield* src.char()) === '(';
  src.at = start;
  return opens;
}

/** Reads `[f(a=1), g()]`. */
export function* readPythonicList(src: Source, tools: Tools): Reading<Call[]> {
  const calls: Call[] = [];
  src.at += 1;
  for (;;) {
    yield* src.run(/[\s,]+/y);
    if ((yield* src.char()) === ']') {
      src.at += 1;
      return calls;
    }
    calls.push(yield* readPythonCall(src, tools, yield* src.run(NAME)));
  }
}

/** Reads a line of a tool_code block: a call, possibly printed or assigned. Returns undefined if the line prints a variable. */
export function* readStatement(src: Source, tools: Tools): Reading<Call | undefined> {
  let name = yield* src.run(NAME);
  if (name !== 'print' && (yield* src.char()) !== '(') {
    yield* src.spaces();
    if (!(yield* src.literal(['=']))) throw new Unreadable();
    yield* src.spaces();
    name = yield* src.run(NAME);
  }
  if (name !== 'print') return yield* readPythonCall(src, tools, name);
  if (!(yield* src.literal(['(']))) throw new Unreadable();
  yield* src.spaces();
  const inner = yield* src.run(NAME);
  if (inner !== '' && (yield* src.literal([')']))) return undefined;
  const call = yield* readPythonCall(src, tools, inner);
  yield* src.spaces();
  if (!(yield* src.literal([')']))) throw new Unreadable();
  return call;
}

/** Reads `(a=1, b="x")`. Positional arguments are assigned to the tool's parameters in order. */
export function* readPythonCall(src: Source, tools: Tools, rawName: string): Reading<Call> {
  const name = plainName(rawName, tools);
  const order = Object.keys(propertiesOf(tools.get(name)));
  const input: Record<string, unknown> = {};
  if (!(yield* src.literal(['(']))) throw new Unreadable();
  for (let index = 0; ; index++) {
    yield* src.run(/[\s,]+/y);
    if (yield* src.literal([')'])) return { name, input };
    const start = src.at;
    let key: string | undefined = yield* src.run(/\w+/y);
    yield* src.spaces();
    if (key === '' || !(yield* src.literal(['=', ':']))) {
      key = order[index];
      src.at = start;
    }
    if (key === undefined) throw new Unreadable();
    yield* src.spaces();
    const { value, open } = yield* readLiteral(src);
    if (open > 0) throw new Unreadable();
    input[key] = value;
  }
}
