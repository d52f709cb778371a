/** Tool calls and their results, as the wires write and read them. */
import { resultText, type ToolCall, type ToolResult } from '../core/model/messages.ts';

/** A call's arguments as the model wrote them. `null` means that there are none. */
export function parseArguments(text: string): Pick<ToolCall, 'input' | 'malformed'> {
  const read = parseInput(text);
  return read.input === null ? { input: {} } : read;
}

/** What may be JSON. Nothing at all means an empty object. */
export function parseInput(text: string): Pick<ToolCall, 'input' | 'malformed'> {
  if (text.trim() === '') return { input: {} };
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return { malformed: text };
  }
}

/** A call's arguments for the way back to the model: always an object, for wires and chat templates require one. */
export function echoInput(call: ToolCall): Record<string, unknown> {
  // Where something else is wrong with the call, its arguments are whole.
  const input = call.problem === undefined ? call.input : parseInput(call.malformed ?? '').input;
  if (input !== null && typeof input === 'object' && !Array.isArray(input)) return input as Record<string, unknown>;
  if (call.malformed !== undefined) return { malformed_arguments: call.malformed };
  return input === undefined ? {} : { malformed_arguments: JSON.stringify(input) };
}

/** A result's text on wires that have no mark for a failure. */
export function markedText(result: ToolResult): string {
  const text = resultText(result);
  return result.isError && !/^\W*error/i.test(text) ? `Error: ${text}` : text;
}

/** The id that a call came with, or one of its own where it has none or another call has the same. */
export function newId(given: string | undefined, taken: ReadonlySet<string>): string {
  let id = given || `call_${taken.size}`;
  for (let number = taken.size; taken.has(id); number++) id = `call_${number}`;
  return id;
}

/** A call id that every wire takes: 64 letters, digits, `_` and `-`. The same id gives the same text, always. */
export function wireId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const char of id) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  return `${id.replace(/[^\w-]/g, '_').slice(0, 40)}_${hash.toString(16)}`;
}
