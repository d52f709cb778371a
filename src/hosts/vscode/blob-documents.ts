/** Contents from the blob store as read-only documents, for VS Code's own diff editors. */
import * as vscode from 'vscode';
import type { Session } from '../../app/session.ts';
import type { ChangeSummary } from '../../core/tool.ts';
import { decodeText } from '../../workspace/content.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { BlobStore } from '../../workspace/types.ts';
import type { VsCodeFileSystem } from './file-system.ts';

const SCHEME = 'kedge-blob';

export function registerBlobDocuments(blobs: BlobStore): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri) {
      if (!uri.query) return '';
      const bytes = await blobs.get(uri.query);
      if (!bytes) return 'This content is no longer kept.';
      return decodeText(bytes) ?? `Binary file of ${bytes.length} bytes.`;
    },
  });
}

function blobUri(path: string, hash: string | undefined): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: hash ?? '' });
}

/** Before and after of one file of a call: what is proposed, or what was done. */
export async function openDiff(session: Session, callId: string, path: string): Promise<void> {
  const change = changesOfCall(session, callId).find((candidate) => candidate.path === path);
  if (!change) return;
  const title = `${path} (${change.kind})`;
  await vscode.commands.executeCommand('vscode.diff', blobUri(path, change.before), blobUri(path, change.after), title, { preview: true });
}

/** All files of a call in VS Code's multi-file diff editor. */
export async function openDiffs(session: Session, callId: string, fs: VsCodeFileSystem): Promise<void> {
  await openAll(changesOfCall(session, callId), 'Changes of this call', fs);
}

/** A run's whole change in VS Code's multi-file diff editor. */
export async function reviewRun(session: Session, runId: string, fs: VsCodeFileSystem): Promise<void> {
  const first = new Map<string, string | undefined>();
  const last = new Map<string, string | undefined>();
  for (const { runId: of, change } of session.state.staged) {
    if (of !== runId) continue;
    if (!first.has(change.path)) first.set(change.path, change.before);
    last.set(change.path, change.after);
  }
  const changes = [...last].map(([path, after]) => ({ path, before: first.get(path), after }));
  await openAll(changes, 'Changes of this run', fs);
}

type Contents = { path: string; before?: string | undefined; after?: string | undefined };

async function openAll(changes: readonly Contents[], title: string, fs: VsCodeFileSystem): Promise<void> {
  const resources = changes.map(({ path, before, after }) => [
    fs.uri(parsePath(path, fs.folders)),
    blobUri(path, before),
    blobUri(path, after),
  ]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

function changesOfCall(session: Session, callId: string): ChangeSummary[] {
  const event = session.events.findLast(
    (candidate) => (candidate.type === 'file_changed' || candidate.type === 'approval_requested') && candidate.callId === callId,
  );
  return event?.type === 'file_changed' || event?.type === 'approval_requested' ? event.changes : [];
}
