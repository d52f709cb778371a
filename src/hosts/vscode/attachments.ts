import * as vscode from 'vscode';
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from '../../core/images.ts';
import type { ImagePart, TextPart } from '../../core/messages.ts';
import { decodeText } from '../../workspace/content.ts';
import type { Location } from '../../workspace/types.ts';
import type { VsCodeFileSystem } from './file-system.ts';

const MAX_CHARS = 20_000;
const IMAGE_NAME = /\.(png|jpe?g|gif|webp)$/i;

/** Files, selections and images that the user referenced in the Chat, as parts of the message. What is no file of the workspace is named only. */
export async function attachmentsOf(references: readonly vscode.ChatPromptReference[], fs: VsCodeFileSystem): Promise<Part[]> {
  const parts = await Promise.all(
    references.map(({ value }): Promise<Part | undefined> | Part | undefined => {
      if (value instanceof vscode.Uri) return filePart(fs, value);
      if (value instanceof vscode.Location) return filePart(fs, value.uri, value.range);
      if (isBinary(value)) return binaryPart(value);
      return typeof value === 'string' ? textPart(`<attachment>\n${value.slice(0, MAX_CHARS)}\n</attachment>`) : undefined;
    }),
  );
  return parts.filter((part) => part !== undefined);
}

type Part = TextPart | ImagePart;

/** As the editor hands over a pasted image. */
type Binary = { mimeType: string; data(): Thenable<Uint8Array> };

function isBinary(value: unknown): value is Binary {
  return value !== null && typeof value === 'object' && typeof (value as Partial<Binary>).data === 'function';
}

const textPart = (text: string): TextPart => ({ type: 'text', text: `\n\n${text}` });

async function binaryPart(value: Binary): Promise<Part> {
  const bytes = await value.data();
  return imageOf(bytes) ?? textPart(`<attachment type=${JSON.stringify(value.mimeType)} bytes="${bytes.length}" binary="true"/>`);
}

/** Larger ones are named only. */
function imageOf(bytes: Uint8Array): ImagePart | undefined {
  const type = bytes.length > MAX_IMAGE_BYTES ? undefined : imageTypeOf(bytes);
  return type && imagePart(type, bytes);
}

async function filePart(fs: VsCodeFileSystem, uri: vscode.Uri, range?: vscode.Range): Promise<Part | undefined> {
  const at = fs.locate(uri);
  const real = at && (await fs.canonical(at));
  const stat = real && (await fs.stat(real));
  const image = stat?.type === 'file' && IMAGE_NAME.test(uri.path) ? imageOf((await fs.read(real as Location)).bytes) : undefined;
  if (image) return image;
  const block = await fileBlock(fs, uri, range);
  return block === undefined ? undefined : textPart(block);
}

export async function fileBlock(fs: VsCodeFileSystem, uri: vscode.Uri, range?: vscode.Range): Promise<string | undefined> {
  const at = fs.locate(uri);
  const real = at && (await fs.canonical(at));
  if (!at || !real) return undefined;
  const path = fs.folders.length > 1 ? `${fs.folders[at.folder]?.name}/${at.path}` : at.path;
  const stat = await fs.stat(at);
  if (stat?.type === 'directory') return `<directory path="${path}"/>`;
  if (!stat) return undefined;
  const text = decodeText((await fs.read(at)).bytes);
  if (text === undefined) return `<file path="${path}" binary="true"/>`;
  const lines = text.split(/\r?\n/);
  const [from, to] = range && !range.isEmpty ? [range.start.line, range.end.line] : [0, lines.length - 1];
  const passage = lines.slice(from, to + 1).join('\n');
  const cut = passage.length > MAX_CHARS ? `${passage.slice(0, MAX_CHARS)}\n[cut; read_file shows the rest]` : passage;
  return `<file path="${path}" lines="${from + 1}-${to + 1}">\n${cut}\n</file>`;
}
