/**
 * Shows proposed contents as documents that the user can edit before approving them. A saved edit is kept until the approval is answered.
 */
import * as vscode from 'vscode';
import type { Session } from '../../app/session/session.ts';
import { SessionError } from '../../app/session/session-error.ts';
import { countHunks, fileRevision, goesWithMove } from '../../core/run/hunk-revision.ts';
import type { ChangeSummary, Revision } from '../../core/session/effects.ts';
import type { ApprovalRequest } from '../../core/session/session-state.ts';
import { decodeText } from '../../workspace/content.ts';
import type { BlobStore } from '../../workspace/types.ts';
import { blobUri, callOfUri, openDiff } from './files/blob-documents.ts';
import { closeTabs, diffUris } from './review/tabs.ts';

const SCHEME = 'kedge-proposal';
const EDITS_KEY = 'kedge.proposals';

/** `content` is the hash of the saved text. `diff`, `added` and `removed` compare it with the current file. */
export type EditedProposal = { approvalId: string; path: string; content: string; diff: string; added: number; removed: number };

/** Identifies the proposal that a document belongs to. `start` is the hash of the document's initial content. */
type DocumentKey = { session: string; approval: string; start: string };

/** The hunks of an approval that the user rejected, by path, and whether the user chose them in the panel or in the editor. */
export type ChosenHunks = { approvalId: string; rejected: Rejected; by: 'panel' | 'editor' };
type Rejected = Readonly<Record<string, readonly number[]>>;

type Ports = { blobs: BlobStore; memory: vscode.Memento; sessionById(id: string): Promise<Session> };

export class Proposals implements vscode.Disposable {
  readonly #ports: Ports;
  readonly #edited = new vscode.EventEmitter<EditedProposal>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  readonly #chosen = new vscode.EventEmitter<ChosenHunks>();
  /** The hunks that the user rejected, by approval. */
  readonly #rejected = new Map<string, Rejected>();
  /** Fires when the user accepts or rejects hunks, in the panel or in the editor. */
  readonly onDidChoose = this.#chosen.event;
  /** Fires when the user saves an edited proposal, so that the panel can show the edit. */
  readonly onDidEdit = this.#edited.event;

  constructor(ports: Ports) {
    this.#ports = ports;
    const refuse = () => {
      throw vscode.FileSystemError.NoPermissions();
    };
    this.#registration = vscode.workspace.registerFileSystemProvider(
      SCHEME,
      {
        onDidChangeFile: this.#changed.event,
        watch: () => new vscode.Disposable(() => undefined),
        stat: async (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: this.#savedAt(uri), size: (await this.#read(uri)).length }),
        readFile: (uri) => this.#read(uri),
        writeFile: (uri, content) => this.#write(uri, content),
        readDirectory: () => [],
        createDirectory: refuse,
        delete: refuse,
        rename: refuse,
      },
      { isCaseSensitive: true },
    );
  }

  /**
   * Opens the proposed content, without the hunks that the user rejected, in a diff editor with the current file. @throws SessionError if
   * the approval is answered
   */
  async open(session: Session, approvalId: string, path: string, without: number[]): Promise<void> {
    const { change, before } = this.#proposed(session, approvalId, path);
    const existing = this.#edits().find((edit) => edit.approval === approvalId && edit.path === path);
    const start = existing?.start ?? (await this.#start(session, approvalId, change, without));
    const key: DocumentKey = { session: session.id, approval: approvalId, start };
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify(key) });
    await vscode.commands.executeCommand('vscode.diff', blobUri(path, before), uri, `${path} (proposed)`);
  }

  /** Lists the user's edits for the open approvals of a session. */
  async of(session: Session): Promise<EditedProposal[]> {
    const edits = this.#edits().filter(({ approval }) => session.state.pendingApprovals.has(approval));
    return Promise.all(edits.map(({ approval, path, content }) => this.#describe(session, approval, path, content)));
  }

  /** @throws SessionError if a proposal has unsaved edits, because they would not be part of the approved change */
  expectSaved(approvalId: string): void {
    const unsaved = vscode.workspace.textDocuments.find(({ isDirty, uri }) => isDirty && keyOf(uri)?.approval === approvalId);
    if (unsaved)
      throw new SessionError(`Your edit of the proposal for ${unsaved.uri.path.slice(1)} is not saved. Save or revert it first.`);
  }

  /** Call this when the user has accepted or rejected hunks of a file. */
  choose(approvalId: string, path: string, rejected: readonly number[], by: ChosenHunks['by']): void {
    this.#rejected.set(approvalId, { ...this.#rejected.get(approvalId), [path]: rejected });
    this.#chosen.fire({ approvalId, rejected: this.rejected(approvalId), by });
  }

  /** Returns the hunks of an approval that the user rejected, by path. */
  rejected(approvalId: string): Rejected {
    return this.#rejected.get(approvalId) ?? {};
  }

  /**
   * Opens a change that a tool call proposes, without the rejected hunks. A change whose result is not text, such as a deletion, is
   * read-only.
   */
  async show(session: Session, approvalId: string, path: string): Promise<void> {
    const request = session.state.pendingApprovals.get(approvalId);
    const change = request?.changes.find((each) => each.path === path);
    const bytes = change?.after === undefined ? undefined : await this.#ports.blobs.get(change.after);
    if (bytes && decodeText(bytes) !== undefined) return this.open(session, approvalId, path, [...(this.rejected(approvalId)[path] ?? [])]);
    if (request) await openDiff(session, request.callId, path);
  }

  /**
   * Approves a change as it is displayed to the user: without rejected hunks and with the user's edits. For the file in the document
   * `shown`, the content of that document is approved.
   * @throws SessionError if an edit is not saved
   */
  async approve(session: Session, approvalId: string, shown?: vscode.Uri): Promise<void> {
    this.expectSaved(approvalId);
    const changes = session.state.pendingApprovals.get(approvalId)?.changes ?? [];
    const revised: Revision = {};
    const shownKey = shown && keyOf(shown);
    for (const change of changes) {
      const { path, after } = change;
      if (goesWithMove(change, changes)) continue;
      const edit = this.#edits().find((each) => each.approval === approvalId && each.path === path);
      const isShown = shownKey?.approval === approvalId && shown?.path === `/${path}`;
      const content = edit?.content ?? (isShown && shownKey.start !== after ? shownKey.start : undefined);
      const rejected = isShown ? [] : (this.rejected(approvalId)[path] ?? []);
      const total = edit ? 1 : countHunks(change);
      const accepted = rejected.filter((index) => index < total);
      const revision = fileRevision(total, accepted) ?? (content === undefined ? undefined : { content });
      if (revision) revised[path] = revision;
    }
    await session.answerApproval(approvalId, { approve: true, ...(Object.keys(revised).length > 0 && { revised }) });
  }

  /** Returns true if a document shows a change of this approval. */
  shows(uri: vscode.Uri, { approvalId, callId }: ApprovalRequest): boolean {
    return keyOf(uri)?.approval === approvalId || callOfUri(uri) === callId;
  }

  /** Discards the edits of an answered approval and closes its diffs. */
  async close(approvalId: string, callId?: string): Promise<void> {
    this.#rejected.delete(approvalId);
    await this.#keep(this.#edits().filter(({ approval }) => approval !== approvalId));
    const isOf = (uri: vscode.Uri) => keyOf(uri)?.approval === approvalId || (callId !== undefined && callOfUri(uri) === callId);
    await closeTabs((tab) => diffUris(tab).some(isOf));
  }

  /** Closes the proposals of a run that has ended without an answer to them. */
  async closeUnanswered({ id, state }: Session): Promise<void> {
    const keys = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(diffUris)).flatMap((uri) => keyOf(uri) ?? []);
    for (const { session, approval } of keys) if (session === id && !state.pendingApprovals.has(approval)) await this.close(approval);
  }

  async #start(session: Session, approvalId: string, change: ChangeSummary, without: number[]): Promise<string> {
    const { blobs } = this.#ports;
    const moveParts = session.state.pendingApprovals
      .get(approvalId)
      ?.changes.filter(({ path }) => path === change.path || path === change.from);
    const { changesFrom, reviseChanges } = await import('../../workspace/apply-revision.ts');
    const revisedChanges = await reviseChanges(await changesFrom(moveParts ?? [], blobs), { [change.path]: { without } }, blobs);
    const after = revisedChanges.find(({ path }) => path === change.path)?.after;
    return after ? blobs.put(after) : (change.after as string);
  }

  async #write(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const key = keyOf(uri);
    if (!key) throw vscode.FileSystemError.FileNotFound(uri);
    const path = uri.path.slice(1);
    const session = await this.#ports.sessionById(key.session);
    this.#proposed(session, key.approval, path);
    const content = await this.#ports.blobs.put(bytes);
    const others = this.#edits().filter((edit) => edit.approval !== key.approval || edit.path !== path);
    await this.#keep([...others, { ...key, path, content, savedAt: Date.now() }]);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#edited.fire(await this.#describe(session, key.approval, path, content));
  }

  async #describe(session: Session, approvalId: string, path: string, content: string): Promise<EditedProposal> {
    const { before } = this.#proposed(session, approvalId, path);
    const [{ diffOf }, from, to] = await Promise.all([
      import('../../workspace/changes.ts'),
      before === undefined ? undefined : this.#ports.blobs.get(before),
      this.#ports.blobs.get(content),
    ]);
    return { approvalId, path, content, ...diffOf(from, to) };
  }

  /** Returns the proposed change and the hash of the file's current content, which is at the old path if the file was moved. */
  #proposed(session: Session, approvalId: string, path: string): { change: ChangeSummary; before: string | undefined } {
    const changes = session.state.pendingApprovals.get(approvalId)?.changes;
    const change = changes?.find((candidate) => candidate.path === path);
    if (!changes || !change?.after)
      throw new SessionError('This approval has already been answered, so its proposal can no longer be edited.');
    return { change, before: change.before ?? changes.find((other) => other.path === change.from)?.before };
  }

  async #read(uri: vscode.Uri): Promise<Uint8Array> {
    const key = keyOf(uri);
    const hash = this.#edit(uri)?.content ?? key?.start;
    const bytes = hash === undefined ? undefined : await this.#ports.blobs.get(hash);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  #savedAt(uri: vscode.Uri): number {
    return this.#edit(uri)?.savedAt ?? 0;
  }

  #edit(uri: vscode.Uri): Edit | undefined {
    const approval = keyOf(uri)?.approval;
    return this.#edits().find((edit) => edit.approval === approval && `/${edit.path}` === uri.path);
  }

  #edits(): Edit[] {
    return this.#ports.memory.get<Edit[]>(EDITS_KEY, []);
  }

  async #keep(edits: Edit[]): Promise<void> {
    await this.#ports.memory.update(EDITS_KEY, edits.length > 0 ? edits : undefined);
  }

  dispose(): void {
    vscode.Disposable.from(this.#registration, this.#edited, this.#changed, this.#chosen).dispose();
  }
}

/** Opens the diff of a tool call. While the call waits for an approval, its proposal can be edited, approved and rejected there. */
export async function showDiff(session: Session, callId: string, path: string, proposals: Proposals): Promise<void> {
  const pending = [...session.state.pendingApprovals.values()].find((request) => request.callId === callId);
  await (pending ? proposals.show(session, pending.approvalId, path) : openDiff(session, callId, path));
}

type Edit = DocumentKey & { path: string; content: string; savedAt: number };

function keyOf({ scheme, query }: vscode.Uri): DocumentKey | undefined {
  return scheme === SCHEME ? (JSON.parse(query) as DocumentKey) : undefined;
}
