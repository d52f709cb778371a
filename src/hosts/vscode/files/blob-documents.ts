/** Shows contents of the blob store as read-only documents in VS Code's diff editors. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { ChangeSummary } from '../../../core/session/effects.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { decodeText, encodeText } from '../../../workspace/content.ts';
import { parsePath } from '../../../workspace/paths.ts';
import type { BlobStore } from '../../../workspace/types.ts';
import type { VsCodeFileSystem } from './file-system.ts';

const SCHEME = 'kedge-blob';
const MAX_TITLE = 40;

export function registerBlobDocuments(blobs: BlobStore): vscode.Disposable {
  return registerReadOnly(SCHEME, async ({ query }) => (query ? textOf(await blobs.get(query)) : ''));
}

/** Registers a scheme of read-only documents. */
export function registerReadOnly(scheme: string, textOf: (uri: vscode.Uri) => Promise<string>): vscode.Disposable {
  const read = async (uri: vscode.Uri) => encodeText(await textOf(uri));
  const refuse = () => {
    throw vscode.FileSystemError.NoPermissions();
  };
  // A file system is used instead of a content provider, because VS Code waits for a file system when it restores its tabs.
  const files: vscode.FileSystemProvider = {
    onDidChangeFile: new vscode.EventEmitter<vscode.FileChangeEvent[]>().event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: async (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: (await read(uri)).length }),
    readFile: read,
    readDirectory: () => [],
    createDirectory: refuse,
    writeFile: refuse,
    delete: refuse,
    rename: refuse,
  };
  return vscode.workspace.registerFileSystemProvider(scheme, files, { isCaseSensitive: true, isReadonly: true });
}

function textOf(bytes: Uint8Array | undefined): string {
  if (!bytes) return 'This content is no longer stored.';
  return decodeText(bytes) ?? `Binary file (${bytes.length} bytes).`;
}

/** `callId` is the tool call whose change is shown, so that its tab can be closed later. */
export function blobUri(path: string, hash: string | undefined, callId = ''): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: hash ?? '', fragment: callId });
}

/** Returns the tool call whose change a document shows. */
export function callOfUri({ scheme, fragment }: vscode.Uri): string | undefined {
  return scheme === SCHEME && fragment ? fragment : undefined;
}

/** Opens a diff editor for one file that a tool call changed or proposes to change. */
export async function openDiff(session: Session, callId: string, path: string): Promise<void> {
  const change = changesOfCall(session, callId).find((candidate) => candidate.path === path);
  if (!change) return;
  const title = `${path} (${change.kind})`;
  await vscode.commands.executeCommand('vscode.diff', blobUri(path, change.before, callId), blobUri(path, change.after, callId), title, {
    preview: true,
  });
}

/** Opens all files of a tool call in VS Code's multi-file diff editor. */
export async function openDiffs(session: Session, callId: string, fs: VsCodeFileSystem): Promise<void> {
  const changes = changesOfCall(session, callId).map(({ path, before, after }) => ({
    file: fs.uri(parsePath(path, fs.folders)),
    before: blobUri(path, before),
    after: blobUri(path, after),
  }));
  await openAll(changes, 'Changes in this tool call');
}

/**
 * Opens all files that a run changed in VS Code's multi-file diff editor. The right side is the current file, so the user can edit it and
 * can see the effect of an undo.
 */
export async function reviewRun(session: Session, runId: string, fs: VsCodeFileSystem): Promise<void> {
  const first = new Map<string, string | undefined>();
  for (const { runId: of, change } of session.state.staged) {
    if (of === runId && !first.has(change.path)) first.set(change.path, change.before);
  }
  const changes = [...first].map(async ([path, before]) => {
    const at = parsePath(path, fs.folders);
    const file = fs.uri(at);
    const exists = (await fs.stat(at))?.type === 'file';
    // Both sides have the same path, because different paths would be shown as a rename.
    const stored = (hash: string | undefined) => file.with({ scheme: SCHEME, authority: '', query: hash ?? '' });
    return { file, before: stored(before), after: exists ? file : stored(undefined) };
  });
  await openAll(await Promise.all(changes), reviewTitle(session, runId));
}

/** Returns the title of the tab with all changes of a run. */
export function reviewTitle({ state }: Session, runId: string): string {
  const prompt = visibleLine(state.runs.get(runId)?.prompt ?? '');
  return `Changes in this run: ${prompt.length > MAX_TITLE ? `${prompt.slice(0, MAX_TITLE)}…` : prompt}`;
}

async function openAll(changes: readonly { file: vscode.Uri; before: vscode.Uri; after: vscode.Uri }[], title: string): Promise<void> {
  const resources = changes.map(({ file, before, after }) => [file, before, after]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

function changesOfCall(session: Session, callId: string): ChangeSummary[] {
  const event = session.events
    .select(({ type }) => type === 'file_changed' || type === 'approval_requested')
    .findLast((each) => (each.type === 'file_changed' || each.type === 'approval_requested') && each.callId === callId);
  return event?.type === 'file_changed' || event?.type === 'approval_requested' ? event.changes : [];
}
