import * as vscode from 'vscode';
import type { TextPart } from '../../core/messages.ts';
import { decodeText } from '../../workspace/content.ts';
import type { VsCodeFileSystem } from './file-system.ts';

const MAX_CHARS = 20_000;

/** Files and selections that the user referenced in the Chat, as parts of the message. What is no file of the workspace is named only. */
export async function attachmentsOf(references: readonly vscode.ChatPromptReference[], fs: VsCodeFileSystem): Promise<TextPart[]> {
  const parts = await Promise.all(
    references.map(({ value }) => {
      if (value instanceof vscode.Uri) return fileBlock(fs, value);
      if (value instanceof vscode.Location) return fileBlock(fs, value.uri, value.range);
      return typeof value === 'string' ? `<attachment>\n${value.slice(0, MAX_CHARS)}\n</attachment>` : undefined;
    }),
  );
  return parts.filter((text) => text !== undefined).map((text) => ({ type: 'text', text: `\n\n${text}` }));
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
