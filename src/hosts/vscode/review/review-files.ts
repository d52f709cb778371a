/** The changes in files that wait for the user: written by runs and neither kept nor undone, or proposed and not answered. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { ChangeSummary } from '../../../core/session/effects.ts';
import { type AgentEvent, isDurable } from '../../../core/session/events.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { formatPath, parsePath } from '../../../workspace/paths.ts';
import type { Kedge } from '../kedge.ts';
import { firstLine, type Hunk, hunksIn, keysOf } from './hunks.ts';
import type { ReviewList } from './review-list.ts';

/** A hunk that a run wrote. `index` is its position in the diff with the digest `digest`. */
export type WrittenHunk = Hunk & { session: Session; runId: string; path: string; digest: string };
/** A hunk of a proposal. Its line numbers refer to the current file. */
export type ProposedHunk = Hunk & { session: Session; request: ApprovalRequest; path: string; isRejected: boolean };
/** Returns the indexes of the hunks of a file that the user rejected. */
type RejectedIn = (approvalId: string, path: string) => readonly number[];
export type FileReview = { written: readonly WrittenHunk[]; proposed: readonly ProposedHunk[] };

type Parts = Pick<Kedge, 'assistant' | 'fs'>;

/** How long the user must stop typing before a file is compared again. */
const DEBOUNCE_MS = 200;
const NONE: FileReview = { written: [], proposed: [] };

export class ReviewFiles implements vscode.Disposable {
  readonly list: ReviewList;
  readonly #kedge: Parts;
  readonly #rejectedIn: RejectedIn;
  readonly #changed = new vscode.EventEmitter<string>();
  /** Fires with the path of a file whose review has changed. */
  readonly onDidChange = this.#changed.event;
  readonly #reviews = new Map<string, FileReview>();
  readonly #numbers = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #pending = new Map<string, { session: Session; request: ApprovalRequest }>();
  readonly #disposables: vscode.Disposable[];

  constructor(kedge: Parts, list: ReviewList, rejectedIn: RejectedIn) {
    this.#kedge = kedge;
    this.#rejectedIn = rejectedIn;
    this.list = list;
    this.#disposables = [
      this.#changed,
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const path = this.pathOf(document.uri);
        if (path !== undefined && this.#reviews.has(path) && contentChanges.length > 0) this.#refreshSoon(path);
      }),
    ];
  }

  pathOf(uri: vscode.Uri): string | undefined {
    const at = this.#kedge.fs.locate(uri);
    return at && formatPath(at, this.#kedge.fs.folders);
  }

  uriOf(path: string): vscode.Uri {
    return this.#kedge.fs.uri(parsePath(path, this.#kedge.fs.folders));
  }

  /** The paths with changes or proposals, starting with the newest run. */
  get paths(): string[] {
    const proposed = [...this.#pending.values()].flatMap(({ request }) => request.changes.filter(isShown).map(({ path }) => path));
    return [...new Set([...proposed, ...this.list.paths])];
  }

  has(path: string): boolean {
    return this.list.ofPath(path).length > 0 || this.paths.includes(path);
  }

  /** Returns the review of a file from its last comparison. */
  latest(path: string): FileReview {
    return this.#reviews.get(path) ?? NONE;
  }

  /** Compares a file again. */
  async refresh(path: string): Promise<FileReview> {
    clearTimeout(this.#timers.get(path));
    this.#timers.delete(path);
    const number = (this.#numbers.get(path) ?? 0) + 1;
    this.#numbers.set(path, number);
    const review = { written: await this.#written(path), proposed: await this.#proposed(path) };
    // A newer comparison has begun, and its result replaces this one.
    if (this.#numbers.get(path) !== number) return review;
    this.#reviews.set(path, review);
    this.#changed.fire(path);
    return review;
  }

  /** Returns the review of a file, compared with its current text. */
  async current(path: string): Promise<FileReview> {
    return this.#reviews.has(path) && !this.#timers.has(path) ? this.latest(path) : this.refresh(path);
  }

  /** The open approvals with changes. */
  get pending(): { session: Session; request: ApprovalRequest }[] {
    return [...this.#pending.values()];
  }

  /** Call this for each event of a session. */
  async follow(session: Session, event: AgentEvent): Promise<void> {
    if (!isDurable(event)) return;
    if (event.type === 'approval_requested') {
      this.#pending.set(event.approvalId, { session, request: event });
      await this.#refreshAll(event.changes);
    } else if (event.type === 'approval_resolved') {
      const pending = this.#pending.get(event.approvalId);
      this.#pending.delete(event.approvalId);
      await this.#refreshAll(pending?.request.changes ?? []);
    } else if (event.type === 'run_finished') {
      for (const [id, { session: other, request }] of this.#pending) {
        if (other !== session || session.state.pendingApprovals.has(id)) continue;
        this.#pending.delete(id);
        await this.#refreshAll(request.changes);
      }
    } else if (event.type === 'file_changed') {
      const changes = event.changes.filter(isShown);
      if (changes.length > 0)
        await this.list.add(
          session.id,
          event.runId,
          changes.map(({ path }) => path),
        );
      await this.#refreshAll(event.changes);
    } else if (event.type === 'changes_undone' || event.type === 'changes_restored' || event.type === 'step_rolled_back')
      await this.#refreshAll(event.results);
  }

  /** Call this when the user has accepted or rejected hunks of a proposal. */
  async chosen(approvalId: string): Promise<void> {
    await this.#refreshAll(this.#pending.get(approvalId)?.request.changes ?? []);
  }

  /** Shows the open proposals of a session that was loaded from its log. */
  async showPending(session: Session): Promise<void> {
    for (const [id, request] of session.state.pendingApprovals) {
      this.#pending.set(id, { session, request });
      await this.#refreshAll(request.changes);
    }
  }

  async #refreshAll(files: readonly { path: string }[]): Promise<void> {
    const open = new Set(vscode.workspace.textDocuments.flatMap(({ uri }) => this.pathOf(uri) ?? []));
    // Files that are not open are compared when they are opened.
    for (const { path } of files) {
      if (open.has(path)) await this.refresh(path);
      else this.#reviews.delete(path);
    }
    if (files.length > 0) this.#changed.fire('');
  }

  #refreshSoon(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(() => void this.refresh(path).catch(console.error), DEBOUNCE_MS),
    );
  }

  async #written(path: string): Promise<WrittenHunk[]> {
    const all: WrittenHunk[] = [];
    for (const { sessionId, runId, files } of this.list.ofPath(path)) {
      const session = await this.#kedge.assistant.session(sessionId);
      if (!session) await this.list.removeSession(sessionId);
      if (!session || session.state.undone.has(runId)) continue;
      const review = await session.changes.review(runId, path);
      // If the user has changed the same lines since, they are no longer reviewed.
      if ('problem' in review) continue;
      const kept = new Set(files[path]);
      const hunks = hunksIn(review.diff, 'new').filter((hunk) => !keysOf(hunk).every((key) => kept.has(key)));
      all.push(...hunks.map((hunk) => ({ ...hunk, session, runId, path, digest: review.digest })));
    }
    return all.sort((a, b) => firstLine(a) - firstLine(b));
  }

  /** Returns the hunks that are proposed for a file, if the file is still as it was when they were proposed. */
  async #proposed(path: string): Promise<ProposedHunk[]> {
    const all: ProposedHunk[] = [];
    for (const { session, request } of this.#pending.values()) {
      const change = request.changes.find((each) => each.path === path && each.kind === 'edit');
      const rejected = this.#rejectedIn(request.approvalId, path);
      const hunks = change ? hunksIn(change.diff, 'old') : [];
      all.push(...hunks.map((hunk) => ({ ...hunk, session, request, path, isRejected: rejected.includes(hunk.index) })));
    }
    return all.sort((a, b) => firstLine(a) - firstLine(b));
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}

/** Moved and deleted files are reviewed in the panel, because they have no text to show the change in. */
function isShown({ kind }: ChangeSummary): boolean {
  return kind === 'edit' || kind === 'create';
}
