/** What the tools on language services share: where a name stands, how long an answer may take, and how places are shown. */
import * as z from 'zod';
import { abortable } from '../../core/abort.ts';
import { ToolError } from '../../core/run/tool.ts';
import { decodeText } from '../../workspace/content.ts';
import type { Place, Position } from '../../workspace/languages.ts';
import type { Location } from '../../workspace/types.ts';
import type { Resolved, Workspace } from '../../workspace/workspace.ts';
import { existingFile } from '../edit/change-call.ts';
import { grouped, shorten } from '../grouped-lines.ts';

const MOST_MS = 10_000;
const MAX_PLACES = 200;
const MAX_NAMES = 12;

/** A model knows the line and the name, but counts no columns. */
export const symbolInput = { path: z.string(), line: z.int().min(1), symbol: z.string() };

/** @throws ToolError where the service fails, or does not answer within ten seconds. */
export async function answerOf<T>(ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, mostMs = MOST_MS): Promise<T> {
  const limit = AbortSignal.timeout(mostMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await abortable(ask(either), either);
  } catch (error) {
    if (signal.aborted || error instanceof ToolError) throw error;
    if (limit.aborted) throw new ToolError(`The language service did not answer within ${mostMs / 1000} seconds. Use search_text instead.`);
    throw new ToolError(`The language service failed: ${error instanceof Error ? error.message : error}`);
  }
}

export async function positionIn(workspace: Workspace, place: Resolved, line: number, symbol: string): Promise<Position> {
  const lines = linesOf(await existingFile(workspace, place)) ?? [];
  return { line, column: columnOf(lines, line, symbol, place.path) };
}

/** Of a dotted name the last part counts. @throws ToolError that says what is on the line instead, or where the name is. */
export function columnOf(lines: readonly string[], line: number, symbol: string, path: string): number {
  if (symbol.trim() === '') throw new ToolError('symbol is empty. Give the name that stands in the line.');
  const text = lines[line - 1];
  if (text === undefined) throw new ToolError(`${path} has ${lines.length} lines only.`);
  const whole = wordAt(text, symbol);
  if (whole >= 0) return whole + Math.max(0, symbol.search(/[\p{L}\p{N}_$#@]+$/u));
  const last = /[\p{L}\p{N}_$]+$/u.exec(symbol)?.[0];
  const column = last === undefined ? -1 : wordAt(text, last);
  if (column >= 0) return column;
  const elsewhere = lines.flatMap((each, index) => (wordAt(each, last ?? symbol) >= 0 ? [index + 1] : []));
  elsewhere.sort((a, b) => Math.abs(a - line) - Math.abs(b - line));
  const names = [...new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])].slice(0, MAX_NAMES);
  const there = names.length > 0 ? `has ${names.join(', ')}` : 'has no names';
  const hint = elsewhere.length > 0 ? ` ${symbol} is at line ${elsewhere.slice(0, 5).join(', ')}.` : '';
  throw new ToolError(`${symbol} is not on line ${line} of ${path}, which ${there}.${hint}`);
}

/** Where the name stands by itself, and not as a part of another. */
function wordAt(text: string, name: string): number {
  const letter = /[\p{L}\p{N}_$]/u;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const begins = !letter.test(name[0] as string) || !letter.test(text[at - 1] ?? '');
    if (begins && !(letter.test(name.at(-1) as string) && letter.test(text[at + name.length] ?? ''))) return at;
  }
  return -1;
}

/** Places with their lines, by file. */
export async function placesText(workspace: Workspace, places: readonly Place[], noun: string): Promise<string> {
  const texts = new Map<string, string[] | undefined>();
  const rows: { group: string; line: number; text: string }[] = [];
  for (const { at, name, line } of places.slice(0, MAX_PLACES)) {
    const group = nameOf(workspace, { at, name });
    if (at && !texts.has(group)) texts.set(group, await textOf(workspace, at));
    rows.push({ group, line, text: shorten((texts.get(group)?.[line - 1] ?? '').trim()) });
  }
  return grouped(rows, places.length, noun);
}

/** A path of the workspace, or that it is none. */
export function nameOf(workspace: Workspace, { at, name }: { at?: Location | undefined; name: string }): string {
  return at ? workspace.display(at) : `outside the workspace: ${name}`;
}

async function textOf(workspace: Workspace, at: Location): Promise<string[] | undefined> {
  const file = await workspace.snapshot(at).catch(() => undefined);
  return file && linesOf(file.bytes);
}

function linesOf(bytes: Uint8Array): string[] | undefined {
  return decodeText(bytes)
    ?.replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/);
}
