import * as z from 'zod';
import { type ImageType, imagePart, imageTypeOf, MAX_IMAGE_BYTES } from '../../core/model/images.ts';
import type { ImagePart, TextPart } from '../../core/model/messages.ts';
import { type Tool, ToolError, type ToolOutput } from '../../core/run/tool.ts';
import type { Target } from '../../core/session/effects.ts';
import { isSecret } from '../../policy/secrets.ts';
import { binaryKindOf } from '../../workspace/binary-kinds.ts';
import { readLinesInChunks } from '../../workspace/chunked-lines.ts';
import { decodeText, hashOf } from '../../workspace/content.ts';
import type { Location } from '../../workspace/types.ts';
import type { Resolved, Workspace } from '../../workspace/workspace.ts';
import { countOf, defineTool } from '../define-tool.ts';
import { parseNotebook, renderNotebook } from './notebook.ts';
import { missingFile } from './similar-names.ts';

const MAX_LINES = 1_000;
const MAX_CHARS = 60_000;
/** The characters that are reserved for the line that says how to continue reading. */
const ROOM_FOR_NOTE = 100;
const MAX_LINE = 2_000;
/** The maximum size, in bytes, of a file that is read at once. A larger file is read in chunks, if the file system supports it. */
const MAX_WHOLE = 8_000_000;

/** `most` is the maximum number of characters that are returned at once. */
type Range = { from: number; to: number; most: number };

export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'read_file',
    description: `Read a text file as numbered lines, at most ${MAX_LINES} at once; or look at an image or a notebook.`,
    effect: 'readonly',
    input: z.object({
      path: z.string(),
      from_line: z.int().min(1).optional(),
      to_line: z.int().min(1).optional(),
    }),
    repair: rangeOf,
    async prepare({ path: input, from_line = 1, to_line }) {
      if (to_line !== undefined && to_line < from_line)
        throw new ToolError('to_line is before from_line. Use a to_line that is not before from_line.');
      const place = await workspace.resolve(input);
      const { path } = place;
      return {
        title: to_line || from_line > 1 ? `Read ${path}:${from_line}-${to_line ?? ''}` : `Read ${path}`,
        targets: [{ path, access: 'read' }, ...linkTo(workspace.display(await workspace.locate(input)), path)],
        execute: ({ signal, mostCharacters }) => {
          const most = Math.min(MAX_CHARS, (mostCharacters ?? MAX_CHARS) - ROOM_FOR_NOTE);
          return read(workspace, place, { from: from_line, to: to_line ?? Number.POSITIVE_INFINITY, most }, signal);
        },
      };
    },
  });
}

/** Accepts the arguments of other programs' tools: `limit` lines from the line `offset` on. */
function rangeOf(input: unknown): unknown {
  const { offset, limit, ...rest } = (typeof input === 'object' && input ? input : {}) as Record<string, unknown>;
  if (!Number.isInteger(offset ?? limit) || !Number.isInteger(limit ?? 1)) return input;
  const from_line = Math.max(1, Number(offset ?? 1));
  return { from_line, ...(limit !== undefined && { to_line: from_line + Number(limit) - 1 }), ...rest };
}

async function read(workspace: Workspace, { at, path }: Resolved, range: Range, signal: AbortSignal): Promise<ToolOutput> {
  const open = workspace.fs.notebook?.(at);
  if (open) return { content: paged(renderNotebook(open), range) };
  const stat = await workspace.stat(at);
  if (stat?.type === 'file' && stat.size > MAX_WHOLE) {
    const pieces = await readLarge(workspace, at, path, stat.size, range, signal);
    if (pieces !== undefined) return { content: pieces };
  }
  const file = await workspace.snapshot(at);
  if (!file) throw await missingFile(workspace, path);
  return { content: contentOf(file.bytes, path, range), read: { path, digest: await hashOf(file.bytes) } };
}

function contentOf(bytes: Uint8Array, path: string, range: Range): ToolOutput['content'] {
  const image = imageTypeOf(bytes);
  if (image) return imageContent(path, image, bytes);
  const text = decodeText(bytes)?.replace(/^\uFEFF/, '');
  if (text === undefined) {
    const old = oldText(bytes);
    if (old === undefined) return binaryText(path, bytes, bytes.length);
    return `${paged(old, range, (line) => `${line}\t`)}\n[not UTF-8: shown as Windows-1252, and not to be edited]`;
  }
  const cells = /\.ipynb$/i.test(path) ? parseNotebook(text) : undefined;
  return cells ? paged(renderNotebook(cells), range) : paged(text, range, (line) => `${line}\t`);
}

/** Returns the path of a symbolic link as a second target if it looks like a secret, because the name of the linked file may not. */
export function linkTo(named: string, path: string): Target[] {
  return named !== path && isSecret(named) ? [{ path: named, access: 'read' }] : [];
}

function imageContent(path: string, type: ImageType, bytes: Uint8Array): (TextPart | ImagePart)[] {
  const is = `${path} is an image (${type}, ${bytes.length} bytes)`;
  if (bytes.length > MAX_IMAGE_BYTES) return [{ type: 'text', text: `${is}: too large to be shown.` }];
  return [{ type: 'text', text: `${is}:` }, imagePart(type, bytes)];
}

/** Decodes text in an older encoding than UTF-8. Returns undefined when the bytes contain control characters that do not occur in text. */
function oldText(bytes: Uint8Array): string | undefined {
  const isText = bytes.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27);
  return isText ? new TextDecoder('windows-1252').decode(bytes) : undefined;
}

function binaryText(path: string, begin: Uint8Array, size: number): string {
  const kind = binaryKindOf(begin);
  return `${path} is a binary file${kind ? ` (${kind})` : ''} of ${size} bytes.`;
}

/** Returns undefined when the file system cannot read the file in chunks. */
async function readLarge(
  workspace: Workspace,
  at: Location,
  path: string,
  size: number,
  { from, to, most }: Range,
  signal: AbortSignal,
): Promise<string | undefined> {
  const begin = await workspace.fs.readRange?.(at, 0, 4_096);
  if (!begin) return undefined;
  const piece = async (start: number, length: number) => (await workspace.fs.readRange?.(at, start, length)) ?? new Uint8Array();
  const limits = { from, to, maxLines: MAX_LINES, maxChars: most, maxLine: Math.min(MAX_LINE, most - ROOM_FOR_NOTE) };
  const image = imageTypeOf(begin);
  const chunked = image ? undefined : await readLinesInChunks(piece, limits, signal);
  if (image) return `${path} is an image (${image}, ${size} bytes): too large to be shown.`;
  if (!chunked) return binaryText(path, begin, size);
  if (chunked.lines.length === 0) throw new ToolError(`The file has only ${countOf(chunked.total ?? 0, 'line')}. Use a smaller from_line.`);
  const last = from + chunked.lines.length - 1;
  const lines = chunked.lines.map(({ text, cut }, index) => `${from + index}\t${text}${cut > 0 ? `… [${cut} more bytes]` : ''}`);
  const of = chunked.total === undefined ? `; the file has ${Math.round(size / 1_000_000)} MB` : ` of ${chunked.total}`;
  const next = chunked.more && last < to ? `; read on with from_line ${last + 1}` : '';
  return [...lines, `[lines ${from}-${last}${of}${next}]`].join('\n');
}

/** Returns the requested lines up to the limits for one call. `lead` returns the prefix of a line for its number. */
function paged(text: string, { from, to, most }: Range, lead: (line: number) => string = () => ''): string {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return '[the file is empty]';
  if (from > lines.length) throw new ToolError(`The file has only ${countOf(lines.length, 'line')}. Use a smaller from_line.`);
  const maxLine = Math.min(MAX_LINE, most - ROOM_FOR_NOTE);
  const out: string[] = [];
  let size = 0;
  let line = from;
  for (; line <= Math.min(to, lines.length) && out.length < MAX_LINES; line++) {
    const content = lines[line - 1] as string;
    const shown = content.length > maxLine ? `${content.slice(0, maxLine)}… [${content.length - maxLine} more characters]` : content;
    size += lead(line).length + shown.length + 1;
    if (size > most && out.length > 0) break;
    out.push(lead(line) + shown);
  }
  const last = line - 1;
  if (last < Math.min(to, lines.length)) out.push(`[lines ${from}-${last} of ${lines.length}; read on with from_line ${line}]`);
  else if (from > 1 || last < lines.length) out.push(`[lines ${from}-${last} of ${lines.length}]`);
  return out.join('\n');
}
