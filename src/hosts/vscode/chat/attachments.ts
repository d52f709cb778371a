import * as vscode from 'vscode';
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from '../../../core/model/images.ts';
import type { ImagePart, TextPart } from '../../../core/model/messages.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import { decodeText } from '../../../workspace/content.ts';
import { withIgnoreFiles } from '../../../workspace/ignore.ts';
import { PathError } from '../../../workspace/paths.ts';
import { Workspace } from '../../../workspace/workspace.ts';
import type { VsCodeFileSystem } from '../files/file-system.ts';

const MAX_CHARS = 20_000;
const IMAGE_NAME = /\.(png|jpe?g|gif|webp)$/i;

/**
 * Converts the files, selections and images that the user referenced in the Chat to parts of the message. A file that cannot be included
 * is represented by its path.
 */
export async function attachmentsOf(references: readonly vscode.ChatPromptReference[], fs: VsCodeFileSystem): Promise<Part[]> {
  const places = { fs, workspace: new Workspace(await withIgnoreFiles(fs)) };
  const parts = await Promise.all(
    references.map(({ value }): Promise<Part | undefined> | Part | undefined => {
      if (value instanceof vscode.Uri) return filePart(places, value);
      if (value instanceof vscode.Location) return filePart(places, value.uri, value.range);
      if (isBinary(value)) return binaryPart(value);
      return typeof value === 'string' ? textPart(`<attachment>\n${value.slice(0, MAX_CHARS)}\n</attachment>`) : undefined;
    }),
  );
  return parts.filter((part) => part !== undefined);
}

type Part = TextPart | ImagePart;
/** `workspace` does not contain files that are excluded by `.kedgeignore`. */
type Places = { fs: VsCodeFileSystem; workspace: Workspace };

/** The form in which VS Code passes a pasted image. */
type Binary = { mimeType: string; data(): Thenable<Uint8Array> };

function isBinary(value: unknown): value is Binary {
  return value !== null && typeof value === 'object' && typeof (value as Partial<Binary>).data === 'function';
}

const textPart = (text: string): TextPart => ({ type: 'text', text: `\n\n${visibleText(text)}` });

async function binaryPart(value: Binary): Promise<Part> {
  const bytes = await value.data();
  return imageOf(bytes) ?? textPart(`<attachment type=${JSON.stringify(value.mimeType)} bytes="${bytes.length}" binary="true"/>`);
}

/** Returns undefined if the bytes are not an image, or if the image is larger than `MAX_IMAGE_BYTES`. */
function imageOf(bytes: Uint8Array): ImagePart | undefined {
  const type = bytes.length > MAX_IMAGE_BYTES ? undefined : imageTypeOf(bytes);
  return type && imagePart(type, bytes);
}

/** A file that cannot be read is named with the reason, so that the model can tell the user, who attached it on purpose. */
async function filePart({ fs, workspace }: Places, uri: vscode.Uri, range?: vscode.Range): Promise<Part | undefined> {
  const at = fs.locate(uri);
  if (!at) return undefined;
  const path = workspace.display(at);
  try {
    const real = await workspace.fs.canonical(at);
    if (!real) return undefined;
    const stat = await workspace.stat(real);
    if (stat?.type === 'directory') return textPart(`<directory path="${path}"/>`);
    const file = await workspace.snapshot(real);
    if (!file) return undefined;
    return (IMAGE_NAME.test(path) && imageOf(file.bytes)) || textPart(fileBlock(path, decodeText(file.bytes), range));
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return textPart(`<file path="${path}" error=${JSON.stringify(error.message)}/>`);
  }
}

function fileBlock(path: string, text: string | undefined, range?: vscode.Range): string {
  if (text === undefined) return `<file path="${path}" binary="true"/>`;
  const lines = text.split(/\r?\n/);
  const [from, to] = range && !range.isEmpty ? [range.start.line, range.end.line] : [0, lines.length - 1];
  const passage = lines.slice(from, to + 1).join('\n');
  const cut = passage.length > MAX_CHARS ? `${passage.slice(0, MAX_CHARS)}\n[cut off; read the rest with read_file]` : passage;
  return `<file path="${path}" lines="${from + 1}-${to + 1}">\n${cut}\n</file>`;
}
