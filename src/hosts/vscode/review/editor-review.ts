/** Lets the user review changes in the editor: find, keep and undo them. It is loaded when there is something to review. */
import * as vscode from 'vscode';
import { type Session, SessionError } from '../../../app/session/session.ts';
import type { AgentEvent, UndoResult } from '../../../core/session/events.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';
import type { Proposals } from '../review-proposals.ts';
import { firstLine, keysAfterUndo, keysOf } from './hunks.ts';
import { Marks } from './marks.ts';
import { ReviewFiles, type WrittenHunk } from './review-files.ts';
import type { ReviewList } from './review-list.ts';
import { closeReviewTabs } from './tabs.ts';

/** The arguments of the buttons above a hunk: the path of the file, the run, the digest of the diff, and the index of the hunk in it. */
export type HunkId = [path?: string, runId?: string, digest?: string, index?: number];

export class EditorReview implements vscode.Disposable {
  readonly files: ReviewFiles;
  readonly #proposals: Proposals;
  readonly #marks: Marks;
  readonly #kedge: Pick<Kedge, 'sessions'>;
  readonly #disposables: vscode.Disposable[];

  constructor(kedge: Pick<Kedge, 'assistant' | 'fs' | 'sessions'>, proposals: Proposals, list: ReviewList) {
    this.#kedge = kedge;
    this.files = new ReviewFiles(kedge, list, (approvalId, path) => proposals.rejected(approvalId)[path] ?? []);
    this.#proposals = proposals;
    this.#marks = new Marks(this.files, (approvalId) => proposals.rejected(approvalId));
    this.#disposables = [
      this.#marks,
      this.files,
      // The other session may have been waiting for an approval since before this window was opened.
      kedge.sessions.onDidChange((session) => void this.files.showPending(session).catch(console.error)),
      proposals.onDidChoose(({ approvalId }) => void this.files.chosen(approvalId).catch(console.error)),
      this.files.onDidChange(() => this.#setContext()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#setContext()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#setContext()),
    ];
    this.#setContext();
  }

  /** Call this for each event of a session. */
  async follow(session: Session, event: AgentEvent): Promise<void> {
    if (event.type === 'approval_resolved') await this.#proposals.close(event.approvalId, event.callId);
    if (event.type === 'run_finished') await this.#proposals.closeUnanswered(session);
    if (event.type === 'changes_undone' && !event.part) await closeReviewTabs(session, event.undoneRunId);
    await this.files.follow(session, event);
  }

  async keepChange(...id: HunkId): Promise<void> {
    const hunk = await this.#find(id);
    const { path, runId } = hunk;
    const { written } = this.files.latest(path);
    const others = written.filter((each) => each.runId === runId && each !== hunk);
    const kept = this.files.list.ofPath(path).find((run) => run.runId === runId)?.files[path] ?? [];
    await this.files.list.set(runId, path, others.length > 0 ? [...kept, ...keysOf(hunk)] : undefined);
    await this.files.refresh(path);
  }

  /** Undoes a hunk through the write gate. */
  async undoChange(...id: HunkId): Promise<void> {
    const hunk = await this.#find(id);
    if (!(await this.#undo(hunk))) return;
    await this.files.refresh(hunk.path);
  }

  async keepFile(uri?: vscode.Uri): Promise<void> {
    const path = this.#pathOf(uri);
    for (const { runId } of this.files.list.ofPath(path)) await this.files.list.set(runId, path, undefined);
    await this.files.refresh(path);
  }

  /** Undoes the changes that the user has not kept in a file, the last hunk first. */
  async undoFile(uri?: vscode.Uri): Promise<void> {
    const path = this.#pathOf(uri);
    for (;;) {
      const hunk = (await this.files.refresh(path)).written.at(-1);
      if (!hunk || !(await this.#undo(hunk))) return;
    }
  }

  async keepAll(): Promise<void> {
    const { paths } = this.files.list;
    await this.files.list.clear();
    for (const path of paths) await this.files.refresh(path);
  }

  /** Opens a proposed change in a diff editor. */
  async openProposal(sessionId: string, approvalId: string, path: string): Promise<void> {
    await this.#proposals.show(await this.#kedge.sessions.byId(sessionId), approvalId, path);
  }

  /** Rejects a hunk of a proposal, or accepts it again. */
  async chooseHunk(approvalId: string, path: string, index: number): Promise<void> {
    const rejected = this.#proposals.rejected(approvalId)[path] ?? [];
    const others = rejected.filter((each) => each !== index);
    this.#proposals.choose(
      approvalId,
      path,
      others.length < rejected.length ? others : [...rejected, index].sort((a, b) => a - b),
      'editor',
    );
  }

  async approveProposal(...args: unknown[]): Promise<void> {
    const { session, approvalId, uri } = await this.#proposalOf(args);
    await this.#proposals.approve(session, approvalId, uri);
  }

  async rejectProposal(...args: unknown[]): Promise<void> {
    const { session, approvalId } = await this.#proposalOf(args);
    await session.answerApproval(approvalId, { approve: false });
  }

  /** Moves to the next change, in this file or in another one. `line` is where the search begins, counted from 0. */
  nextChange(line?: unknown): Promise<void> {
    return this.#go(1, line);
  }

  previousChange(line?: unknown): Promise<void> {
    return this.#go(-1, line);
  }

  async #go(step: 1 | -1, line: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const path = editor && this.files.pathOf(editor.document.uri);
    const from = typeof line === 'number' ? line : (editor?.selection.active.line ?? 0);
    const here = path === undefined ? [] : await this.#linesIn(path);
    const next = step > 0 ? here.find((each) => each > from) : here.findLast((each) => each < from);
    if (path !== undefined && next !== undefined) return this.#reveal(path, next);
    const all = this.files.paths;
    const at = path === undefined ? -1 : all.indexOf(path);
    for (let away = 1; away <= all.length; away++) {
      const other = all.at((((at + step * away) % all.length) + all.length) % all.length) as string;
      const target = (await this.#linesIn(other)).at(step > 0 ? 0 : -1);
      if (target !== undefined) return this.#reveal(other, target);
    }
    throw new SessionError('There are no changes to review.');
  }

  async #linesIn(path: string): Promise<number[]> {
    const { written, proposed } = await this.files.current(path);
    return [...written, ...proposed].map(firstLine).sort((a, b) => a - b);
  }

  async #reveal(path: string, line: number): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.files.uriOf(path));
    const at = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
    const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Returns the hunk of a button, or the hunk at the cursor. The file may have changed since the button was shown. */
  async #find([path, runId, digest, index]: HunkId): Promise<WrittenHunk> {
    if (path === undefined) return this.#atCursor();
    const shown = this.files.latest(path).written.find((each) => each.runId === runId && each.digest === digest && each.index === index);
    const { written } = await this.files.current(path);
    const found = shown && written.find((each) => each.runId === runId && keysOf(each).join() === keysOf(shown).join());
    if (!found) throw new SessionError('The file has changed. Review the change again.');
    return found;
  }

  async #atCursor(): Promise<WrittenHunk> {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    const path = document && this.files.pathOf(document.uri);
    const line = selection?.active.line ?? 0;
    const { written } = path === undefined ? { written: [] } : await this.files.current(path);
    const isAt = (each: WrittenHunk) => firstLine(each) <= line && line < Math.max(each.blocks.at(-1)?.to ?? 0, firstLine(each) + 1);
    const nearest = written.find(isAt) ?? written.findLast((each) => firstLine(each) <= line) ?? written[0];
    if (!nearest) throw new SessionError('This file has no changes to review.');
    return nearest;
  }

  #pathOf(uri: vscode.Uri | undefined): string {
    const at = uri ?? vscode.window.activeTextEditor?.document.uri;
    const path = at && this.files.pathOf(at);
    if (path === undefined || !this.files.has(path)) throw new SessionError('This file has no changes to review.');
    return path;
  }

  /** The title of a diff passes its document, a button above a hunk passes the ids, and a keyboard shortcut passes nothing. */
  async #proposalOf([sessionId, approvalId]: readonly unknown[]): Promise<{ session: Session; approvalId: string; uri?: vscode.Uri }> {
    if (typeof sessionId === 'string' && typeof approvalId === 'string')
      return { session: await this.#kedge.sessions.byId(sessionId), approvalId };
    const shown = this.#shownProposal();
    if (!shown) throw new SessionError('This proposal has already been answered. Close its tab.');
    return shown;
  }

  #shownProposal(): { session: Session; approvalId: string; uri: vscode.Uri } | undefined {
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
    const found = this.files.pending.find(({ request }) => this.#proposals.shows(input.modified, request));
    return found && { session: found.session, approvalId: found.request.approvalId, uri: input.modified };
  }

  /** `kedge.isProposal` shows *Approve* and *Reject* in the title of a diff while its approval is open. */
  #setContext(): void {
    void vscode.commands.executeCommand('setContext', 'kedge.isProposal', this.#shownProposal() !== undefined);
  }

  async #undo(hunk: WrittenHunk): Promise<boolean> {
    const { session, runId, path, index, digest } = hunk;
    const results: UndoResult[] = [];
    const stop = session.subscribe((event) => {
      if (event.type === 'changes_undone') results.push(...event.results);
    });
    try {
      await session.changes.undo(runId, { path, hunk: { index, digest } });
    } finally {
      stop();
    }
    const refused = results.find(({ outcome }) => outcome === 'refused');
    if (refused) void vscode.window.showWarningMessage(notificationText(`The change in ${path} was not undone: ${refused.reason}`));
    const kept = this.files.list.ofPath(path).find((run) => run.runId === runId)?.files[path];
    if (!refused && kept) await this.files.list.set(runId, path, keysAfterUndo(kept, hunk));
    return !refused;
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}
