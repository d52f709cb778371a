/** Tool calls and their results as the adapters read and write them. */
import { resultText, type ToolCall, type ToolResult } from '../core/model/messages.ts';

/** Parses the arguments of a call as the model wrote them. `null` means that there are no arguments. */
export function parseArguments(text: string): Pick<ToolCall, 'input' | 'malformed'> {
  const read = parseInput(text);
  return read.input === null ? { input: {} } : read;
}

/** Parses text that may not be valid JSON. Empty text means an empty object. */
export function parseInput(text: string): Pick<ToolCall, 'input' | 'malformed'> {
  if (text.trim() === '') return { input: {} };
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return { malformed: text };
  }
}

/** Returns the arguments of a call to send back to the model. They are always an object, because APIs and chat templates require one. */
export function echoInput(call: ToolCall): Record<string, unknown> {
  // A call with a `problem` may still contain valid JSON in `malformed`.
  const input = call.problem === undefined ? call.input : parseInput(call.malformed ?? '').input;
  if (input !== null && typeof input === 'object' && !Array.isArray(input)) return input as Record<string, unknown>;
  if (call.malformed !== undefined) return { malformed_arguments: call.malformed };
  return input === undefined ? {} : { malformed_arguments: JSON.stringify(input) };
}

/** Returns the text of a result for APIs that have no field for a failed call. */
export function markedText(result: ToolResult): string {
  const text = resultText(result);
  return result.isError && !/^\W*error/i.test(text) ? `Error: ${text}` : text;
}

/** Returns the id that the server sent with a call, or a new id if it sent none or the id is already taken. */
export function newId(given: string | undefined, taken: ReadonlySet<string>): string {
  let id = given || `call_${taken.size}`;
  for (let number = taken.size; taken.has(id); number++) id = `call_${number}`;
  return id;
}

/** Converts a call id to a form that every API accepts: at most 64 letters, digits, `_` and `-`. Equal ids give equal results. */
export function wireId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const char of id) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  return `${id.replace(/[^\w-]/g, '_').slice(0, 40)}_${hash.toString(16)}`;
}
