/** The user's actions on an answer: opening the files and symbols that it names, showing its images, and inserting its code into files. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import type { List } from '../../../core/list.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { sessionMarkdown } from '../../../core/view/session-markdown.ts';
import type { ToHost } from '../../../protocol/panel.ts';
import { encodeText } from '../../../workspace/content.ts';
import { parsePath } from '../../../workspace/paths.ts';
import type { VsCodeFileSystem } from '../files/file-system.ts';
import { refOfUri } from '../mentions.ts';

/** Opens the definition of a symbol. If there are several, the user chooses one. @throws SessionError if there is none */
export async function openSymbol(name: string, fs: VsCodeFileSystem): Promise<void> {
  const [last = name, ...containers] = name.split(/\.|::|#/).reverse();
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', last);
  const inWorkspace = (found ?? []).filter(
    (symbol) => symbol.name.replace(/\(.*$/, '') === last && vscode.workspace.getWorkspaceFolder(symbol.location.uri),
  );
  const inContainer = inWorkspace.filter(({ containerName }) => containers.length === 0 || containerName.endsWith(containers[0] as string));
  const symbols = inContainer.length > 0 ? inContainer : inWorkspace;
  if (symbols.length === 0) throw new SessionError(`No symbol ${name} was found in the workspace.`);
  const items = symbols.map(({ name: label, containerName, location }) => ({
    label,
    description: [containerName, refOfUri(fs, location.uri)?.path].filter(Boolean).join(' · '),
    location,
  }));
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { placeHolder: `Go to ${name}` });
  if (chosen) await vscode.window.showTextDocument(chosen.location.uri, { preview: true, selection: chosen.location.range });
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};
const MAX_IMAGE_BYTES = 5_000_000;

/** Reads an image for the panel. It is shown to the user only, and no model receives it. */
export async function loadImage(path: string, fs: VsCodeFileSystem): Promise<{ url: string } | { problem: string }> {
  const type = IMAGE_TYPES[path.split('.').at(-1)?.toLowerCase() ?? ''];
  if (!type) return { problem: `${path} is not an image.` };
  try {
    const uri = fs.uri(parsePath(path, fs.folders));
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_IMAGE_BYTES) return { problem: `${path} is larger than ${MAX_IMAGE_BYTES / 1_000_000} MB.` };
    const bytes = await vscode.workspace.fs.readFile(uri);
    return { url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
  } catch {
    return { problem: `${path} was not found.` };
  }
}

/** Puts an answer, or code from it, where the user wants it. */
export function takeAnswer(
  message: Extract<ToHost, { type: 'insert_code' | 'open_code' | 'save_answer' }>,
  fs: VsCodeFileSystem,
): Promise<void> {
  if (message.type === 'insert_code') return insertCode(message.code);
  return message.type === 'open_code' ? openCode(message, fs) : saveAnswer(message.text);
}

/** Writes an answer into a file that the user chooses. Its first heading proposes the name. */
async function saveAnswer(text: string): Promise<void> {
  const [, heading = 'answer'] = /^#{1,6} +(.+)$/m.exec(text) ?? [];
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `${name || 'answer'}.md`) }),
    filters: { Markdown: ['md'] },
    title: 'Save Answer',
  });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, encodeText(text.endsWith('\n') ? text : `${text}\n`));
  await vscode.window.showTextDocument(uri, { preview: false });
}

/** Replaces the selection of the active editor. VS Code can undo the edit, as if the user had typed it. */
async function insertCode(code: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new SessionError('No editor is open. Open the file that the code belongs to.');
  const isInserted = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, indented(code, editor, selection.start));
  });
  if (!isInserted) throw new SessionError('The code was not inserted, because the editor is read-only.');
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn, preserveFocus: false });
}

/** Indents all lines but the first like the line at the cursor, if only white space is before the cursor. */
function indented(code: string, { document }: vscode.TextEditor, at: vscode.Position): string {
  const before = document.lineAt(at.line).text.slice(0, at.character);
  if (before === '' || before.trim() !== '') return code;
  return code.replace(/\n(?=[^\n])/g, `\n${before}`);
}

/** Opens the session as an unsaved document. */
export async function exportSession(events: List<AgentEvent>): Promise<void> {
  if (events.length === 0) throw new SessionError('This session has no messages yet, so there is nothing to export.');
  const document = await vscode.workspace.openTextDocument({ content: sessionMarkdown(events), language: 'markdown' });
  await vscode.window.showTextDocument(document, { preview: false });
}

type Code = { code: string; language: string; path?: string | undefined };

/**
 * Opens code as an unsaved document with the name of the file in the answer. @throws PathError if that file is outside the workspace,
 * because saving the document would write there without approval
 */
async function openCode({ code, language, path }: Code, fs: VsCodeFileSystem): Promise<void> {
  const known = new Set(await vscode.languages.getLanguages());
  const id = LANGUAGE_IDS[language] ?? language;
  if (path && fs.folders.length > 0) {
    const uri = fs.uri(parsePath(path, fs.folders));
    if (!(await exists(uri))) {
      const document = await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' }));
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), code));
      return;
    }
  }
  const document = await vscode.workspace.openTextDocument({ content: code, ...(known.has(id) && { language: id }) });
  await vscode.window.showTextDocument(document, { preview: false });
}

const LANGUAGE_IDS: Readonly<Record<string, string>> = {
  ...{ ts: 'typescript', tsx: 'typescriptreact', js: 'javascript', jsx: 'javascriptreact', py: 'python', rb: 'ruby', rs: 'rust' },
  ...{ sh: 'shellscript', bash: 'shellscript', zsh: 'shellscript', ps1: 'powershell', cs: 'csharp', 'c++': 'cpp', md: 'markdown' },
  ...{ yml: 'yaml', golang: 'go', kt: 'kotlin', docker: 'dockerfile' },
};

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
