import * as z from 'zod';
import { type ImageType, imagePart, imageTypeOf, MAX_IMAGE_BYTES } from '../core/images.ts';
import type { ImagePart, TextPart } from '../core/messages.ts';
import type { Tool } from '../core/tool.ts';
import { ToolError } from '../core/tool.ts';
import { decodeText } from '../workspace/content.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool } from './define.ts';

const MAX_LINES = 1_000;
const MAX_CHARS = 60_000;
const MAX_LINE = 2_000;

export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'read_file',
    description: `Read a text file as numbered lines, at most ${MAX_LINES} at once; or look at an image.`,
    effect: 'readonly',
    input: z.object({
      path: z.string(),
      from_line: z.int().min(1).optional(),
      to_line: z.int().min(1).optional(),
    }),
    async prepare({ path: input, from_line = 1, to_line }) {
      if (to_line !== undefined && to_line < from_line) throw new ToolError('to_line is before from_line.');
      const { at, path } = await workspace.resolve(input);
      return {
        title: to_line || from_line > 1 ? `Read ${path}:${from_line}-${to_line ?? ''}` : `Read ${path}`,
        targets: [{ path, access: 'read' }],
        async execute() {
          const file = await workspace.snapshot(at);
          if (!file) throw new ToolError(`There is no file ${path}. Use find_files to look for it.`);
          const image = imageTypeOf(file.bytes);
          if (image) return { content: imageContent(path, image, file.bytes) };
          const text = decodeText(file.bytes);
          if (text === undefined) return { content: `${path} is a binary file of ${file.bytes.length} bytes.` };
          return { content: numbered(text, from_line, to_line) };
        },
      };
    },
  });
}

function imageContent(path: string, type: ImageType, bytes: Uint8Array): (TextPart | ImagePart)[] {
  const is = `${path} is an image (${type}, ${bytes.length} bytes)`;
  if (bytes.length > MAX_IMAGE_BYTES) return [{ type: 'text', text: `${is}: too large to be shown.` }];
  return [{ type: 'text', text: `${is}:` }, imagePart(type, bytes)];
}

function numbered(text: string, from: number, to = Number.POSITIVE_INFINITY): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return '[the file is empty]';
  if (from > lines.length) throw new ToolError(`The file has ${lines.length} lines only.`);
  const out: string[] = [];
  let size = 0;
  let line = from;
  for (; line <= Math.min(to, lines.length) && out.length < MAX_LINES && size < MAX_CHARS; line++) {
    const content = lines[line - 1] as string;
    const shown = content.length > MAX_LINE ? `${content.slice(0, MAX_LINE)}… [${content.length - MAX_LINE} more characters]` : content;
    out.push(`${line}\t${shown}`);
    size += shown.length;
  }
  const last = line - 1;
  if (last < Math.min(to, lines.length)) out.push(`[lines ${from}-${last} of ${lines.length}; read on with from_line ${line}]`);
  else if (from > 1 || last < lines.length) out.push(`[lines ${from}-${last} of ${lines.length}]`);
  return out.join('\n');
}
