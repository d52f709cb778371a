/** Functions that the language service tools share: they find the column of a name, limit the time of a request and format places. */
import * as z from 'zod';
import { abortable } from '../../core/abort.ts';
import { ToolError } from '../../core/run/tool.ts';
import { decodeText } from '../../workspace/content.ts';
import type { Place, Position } from '../../workspace/languages.ts';
import type { Location } from '../../workspace/types.ts';
import type { Resolved, Workspace } from '../../workspace/workspace.ts';
import { existingFile } from '../edit/change-call.ts';
import { groupedLines, shorten } from '../grouped-lines.ts';

const MOST_MS = 10_000;
const MAX_PLACES = 200;
const MAX_NAMES = 12;

/** The input that selects a symbol. Models give its line and its name, because they cannot count columns. */
export const symbolInput = { path: z.string(), line: z.int().min(1), symbol: z.string() };

/** @throws ToolError when the service fails or does not respond within `mostMs`. */
export async function answerOf<T>(ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, mostMs = MOST_MS): Promise<T> {
  const limit = AbortSignal.timeout(mostMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await abortable(ask(either), either);
  } catch (error) {
    if (signal.aborted || error instanceof ToolError) throw error;
    if (limit.aborted) throw new ToolError(`The language service did not answer within ${mostMs / 1000} seconds. Use search_text instead.`);
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
    throw new ToolError(`The language service failed: ${why} Use search_text instead.`);
  }
}

export async function positionIn(workspace: Workspace, place: Resolved, line: number, symbol: string): Promise<Position> {
  const lines = linesOf(await existingFile(workspace, place)) ?? [];
  return { line, column: columnOf(lines, line, symbol, place.path) };
}

/**
 * Returns the column of a symbol on a line, or of the last part of a dotted name. @throws ToolError that lists the names on the line, and
 * the nearest lines with the symbol.
 */
export function columnOf(lines: readonly string[], line: number, symbol: string, path: string): number {
  if (symbol.trim() === '') throw new ToolError('symbol is empty. Give a name on the line.');
  const text = lines[line - 1];
  if (text === undefined) throw new ToolError(`${path} has only ${lines.length} lines. Use a smaller line number.`);
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

/** Finds a name that is not a part of a longer name. Returns -1 when there is none. */
function wordAt(text: string, name: string): number {
  const letter = /[\p{L}\p{N}_$]/u;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const begins = !letter.test(name[0] as string) || !letter.test(text[at - 1] ?? '');
    if (begins && !(letter.test(name.at(-1) as string) && letter.test(text[at + name.length] ?? ''))) return at;
  }
  return -1;
}

/** Formats locations with the text of their lines, grouped by file. */
export async function placesText(workspace: Workspace, places: readonly Place[], noun: string): Promise<string> {
  const texts = new Map<string, string[] | undefined>();
  const rows: { group: string; line: number; text: string }[] = [];
  for (const { at, name, line } of places.slice(0, MAX_PLACES)) {
    const group = nameOf(workspace, { at, name });
    if (at && !texts.has(group)) texts.set(group, await textOf(workspace, at));
    rows.push({ group, line, text: shorten((texts.get(group)?.[line - 1] ?? '').trim()) });
  }
  return groupedLines(rows, places.length, noun);
}

/** Returns the path of a place in the workspace, or a text that says that the place is outside the workspace. */
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
