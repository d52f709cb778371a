/** Proposed contents as documents that the user may edit before saying yes. What is saved stays with the question, and goes with it. */
import * as vscode from 'vscode';
import { type Session, SessionError } from '../../app/session/session.ts';
import type { ChangeSummary } from '../../core/session/effects.ts';
import type { BlobStore } from '../../workspace/types.ts';
import { blobUri } from './files/blob-documents.ts';

const SCHEME = 'kedge-proposal';
const EDITS_KEY = 'kedge.proposals';

/** `content` is the hash of what the user saved, the rest how it differs from the file as it is. */
export type EditedProposal = { approvalId: string; path: string; content: string; diff: string; added: number; removed: number };

/** Which proposal a document is of; `start` is the hash of the content that it began with. */
type Place = { session: string; approval: string; start: string };

type Ports = { blobs: BlobStore; memory: vscode.Memento; sessionById(id: string): Promise<Session> };

export class Proposals implements vscode.Disposable {
  readonly #ports: Ports;
  readonly #edited = new vscode.EventEmitter<EditedProposal>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  /** Whoever shows the question shows this too. */
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

  /** Opens the proposed content, without the hunks that the user refused, beside the file as it is. @throws SessionError */
  async open(session: Session, approvalId: string, path: string, without: number[]): Promise<void> {
    const { change, before } = this.#proposed(session, approvalId, path);
    const known = this.#edits().find((edit) => edit.approval === approvalId && edit.path === path);
    const start = known?.start ?? (await this.#start(session, approvalId, change, without));
    const place: Place = { session: session.id, approval: approvalId, start };
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify(place) });
    await vscode.commands.executeCommand('vscode.diff', blobUri(path, before), uri, `${path}: your edit of the proposal`);
  }

  /** What was edited of the questions that this session still asks. */
  async of(session: Session): Promise<EditedProposal[]> {
    const mine = this.#edits().filter(({ approval }) => session.state.pendingApprovals.has(approval));
    return Promise.all(mine.map(({ approval, path, content }) => this.#describe(session, approval, path, content)));
  }

  /** @throws SessionError where something was edited and not saved: it is not part of what is agreed to. */
  expectSaved(approvalId: string): void {
    const open = vscode.workspace.textDocuments.find(({ isDirty, uri }) => isDirty && placeOf(uri)?.approval === approvalId);
    if (open) throw new SessionError(`You edited the proposal for ${open.uri.path.slice(1)}. Save it first, or undo the edit.`);
  }

  /** The question is answered. */
  async close(approvalId: string): Promise<void> {
    await this.#keep(this.#edits().filter(({ approval }) => approval !== approvalId));
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const mine = tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && placeOf(input.modified)?.approval === approvalId);
    await vscode.window.tabGroups.close(mine);
  }

  async #start(session: Session, approvalId: string, change: ChangeSummary, without: number[]): Promise<string> {
    const { blobs } = this.#ports;
    const together = session.state.pendingApprovals
      .get(approvalId)
      ?.changes.filter(({ path }) => path === change.path || path === change.from);
    const { changesFrom, reviseChanges } = await import('../../workspace/apply-revision.ts');
    const kept = await reviseChanges(await changesFrom(together ?? [], blobs), { [change.path]: { without } }, blobs);
    const after = kept.find(({ path }) => path === change.path)?.after;
    return after ? blobs.put(after) : (change.after as string);
  }

  async #write(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const place = placeOf(uri);
    if (!place) throw vscode.FileSystemError.FileNotFound(uri);
    const path = uri.path.slice(1);
    const session = await this.#ports.sessionById(place.session);
    this.#proposed(session, place.approval, path);
    const content = await this.#ports.blobs.put(bytes);
    const others = this.#edits().filter((edit) => edit.approval !== place.approval || edit.path !== path);
    await this.#keep([...others, { ...place, path, content, savedAt: Date.now() }]);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#edited.fire(await this.#describe(session, place.approval, path, content));
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

  /** The change, and the hash of what the file was before it, wherever that was. */
  #proposed(session: Session, approvalId: string, path: string): { change: ChangeSummary; before: string | undefined } {
    const changes = session.state.pendingApprovals.get(approvalId)?.changes;
    const change = changes?.find((candidate) => candidate.path === path);
    if (!changes || !change?.after) throw new SessionError('This question was answered already.');
    return { change, before: change.before ?? changes.find((other) => other.path === change.from)?.before };
  }

  async #read(uri: vscode.Uri): Promise<Uint8Array> {
    const place = placeOf(uri);
    const hash = this.#edit(uri)?.content ?? place?.start;
    const bytes = hash === undefined ? undefined : await this.#ports.blobs.get(hash);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  #savedAt(uri: vscode.Uri): number {
    return this.#edit(uri)?.savedAt ?? 0;
  }

  #edit(uri: vscode.Uri): Edit | undefined {
    const approval = placeOf(uri)?.approval;
    return this.#edits().find((edit) => edit.approval === approval && `/${edit.path}` === uri.path);
  }

  #edits(): Edit[] {
    return this.#ports.memory.get<Edit[]>(EDITS_KEY, []);
  }

  async #keep(edits: Edit[]): Promise<void> {
    await this.#ports.memory.update(EDITS_KEY, edits.length > 0 ? edits : undefined);
  }

  dispose(): void {
    vscode.Disposable.from(this.#registration, this.#edited, this.#changed).dispose();
  }
}

type Edit = Place & { path: string; content: string; savedAt: number };

function placeOf({ scheme, query }: vscode.Uri): Place | undefined {
  return scheme === SCHEME ? (JSON.parse(query) as Place) : undefined;
}
