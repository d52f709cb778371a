/** Shows the changes to review in the editors: colored lines, and buttons above each hunk. */
import * as vscode from 'vscode';
import { countHunks, goesWithMove } from '../../../core/run/hunk-revision.ts';
import { fence } from '../../../core/words/markdown-code.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import type { Proposals } from '../review-proposals.ts';
import { type Block, firstLine } from './hunks.ts';
import type { FileReview, ProposedHunk, ReviewFiles, WrittenHunk } from './review-files.ts';

const HOVER_LINES = 40;
const MAX_NOTE = 100;
const color = (id: string) => new vscode.ThemeColor(id);

export class Marks implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #files: ReviewFiles;
  readonly #rejected: Proposals['rejected'];
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #added = decoration('diffEditor.insertedLineBackground', 'editorOverviewRuler.addedForeground');
  readonly #changed = decoration('diffEditor.insertedLineBackground', 'editorOverviewRuler.modifiedForeground');
  /** The style of a place where lines were removed and none were added. */
  readonly #removed = decoration(undefined, 'editorOverviewRuler.deletedForeground');
  /** The style of lines that a proposal replaces or removes, and of a place where it only adds lines. */
  readonly #replaced = decoration('diffEditor.removedLineBackground', 'editorOverviewRuler.modifiedForeground');
  readonly #inserted = decoration(undefined, 'editorOverviewRuler.modifiedForeground');
  readonly #disposables: vscode.Disposable[];

  /** `rejected` returns the hunks of an approval that the user rejected, by path. */
  constructor(files: ReviewFiles, rejected: Proposals['rejected']) {
    this.#files = files;
    this.#rejected = rejected;
    this.#disposables = [
      this.#lenses,
      ...[this.#added, this.#changed, this.#removed, this.#replaced, this.#inserted],
      files.onDidChange((path) => this.#show(path)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.#compare(editors)),
      vscode.window.onDidChangeActiveTextEditor(() => this.#setContext()),
      vscode.languages.registerCodeLensProvider({ pattern: '**' }, this),
    ];
    this.#compare(vscode.window.visibleTextEditors);
  }

  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const path = this.#files.pathOf(uri);
    if (path === undefined || !this.#files.has(path)) return [];
    const { written, proposed } = await this.#files.current(path);
    return [
      ...proposed.flatMap((hunk) => proposalLenses(hunk, this.#rejected(hunk.request.approvalId))),
      ...written.flatMap((hunk) => hunkLenses(hunk, written.length > 1)),
    ];
  }

  #compare(editors: readonly vscode.TextEditor[]): void {
    for (const { document } of editors) {
      const path = this.#files.pathOf(document.uri);
      if (path !== undefined && this.#files.has(path)) void this.#files.refresh(path).catch(console.error);
    }
    this.#setContext();
  }

  #show(path: string): void {
    for (const editor of vscode.window.visibleTextEditors)
      if (this.#files.pathOf(editor.document.uri) === path) this.#decorate(editor, this.#files.latest(path));
    this.#lenses.fire();
    this.#setContext();
  }

  #decorate(editor: vscode.TextEditor, { written, proposed }: FileReview): void {
    const last = editor.document.lineCount - 1;
    const blocks = written.flatMap((hunk) => hunk.blocks);
    const plans = proposed.filter(({ isRejected }) => !isRejected).flatMap((hunk) => hunk.blocks);
    const mark = (type: vscode.TextEditorDecorationType, of: readonly Block[], isProposal = false) =>
      editor.setDecorations(
        type,
        of.map((block) => marked(block, last, isProposal)),
      );
    mark(
      this.#added,
      blocks.filter(({ removed }) => removed.length === 0),
    );
    mark(
      this.#changed,
      blocks.filter(({ added, removed }) => added.length > 0 && removed.length > 0),
    );
    mark(
      this.#removed,
      blocks.filter(({ added }) => added.length === 0),
    );
    mark(
      this.#replaced,
      plans.filter(({ removed }) => removed.length > 0),
      true,
    );
    mark(
      this.#inserted,
      plans.filter(({ removed }) => removed.length === 0),
      true,
    );
  }

  /** `kedge.hasChanges` shows the buttons in the title of the active editor, and `kedge.isReviewing` the commands. */
  #setContext(): void {
    const { document } = vscode.window.activeTextEditor ?? {};
    const path = document && this.#files.pathOf(document.uri);
    const { written } = path === undefined ? { written: [] } : this.#files.latest(path);
    void vscode.commands.executeCommand('setContext', 'kedge.hasChanges', written.length > 0);
    void vscode.commands.executeCommand('setContext', 'kedge.isReviewing', this.#files.paths.length > 0);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}

function decoration(background: string | undefined, ruler: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    ...(background && { backgroundColor: color(background) }),
    overviewRulerColor: color(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

/**
 * Marks the lines of a block. A note after the line describes lines that are not in the file: removed lines, or lines that a proposal adds.
 */
function marked({ from, to, removed, added }: Block, last: number, isProposal: boolean): vscode.DecorationOptions {
  const first = Math.min(from, last);
  const note = isProposal ? added.length > 0 && proposedText(added) : to === from && `${count(removed)} removed above`;
  const hover = isProposal ? code('Kedge proposes:', added) : code('Before the change:', removed);
  return {
    range: new vscode.Range(first, 0, Math.max(first, Math.min(to - 1, last)), Number.MAX_SAFE_INTEGER),
    ...(hover && { hoverMessage: hover }),
    ...(note && { renderOptions: { after: { contentText: `  ${note}`, color: color('editorCodeLens.foreground'), fontStyle: 'italic' } } }),
  };
}

/** Returns a note about proposed lines. The note quotes a single line. */
function proposedText(added: readonly string[]): string {
  const [line = ''] = added;
  if (added.length > 1 || line.trim() === '') return `${count(added)} proposed`;
  const text = visibleText(line.trim());
  return `→ ${text.length > MAX_NOTE ? `${text.slice(0, MAX_NOTE)}…` : text}`;
}

const count = ({ length }: readonly string[]) => `${length} ${length === 1 ? 'line' : 'lines'}`;

function code(title: string, texts: readonly string[]): vscode.MarkdownString | undefined {
  if (texts.length === 0) return undefined;
  const more = texts.length > HOVER_LINES ? [`… ${texts.length - HOVER_LINES} more lines`] : [];
  return new vscode.MarkdownString(`${title}\n\n${fence(visibleText([...texts.slice(0, HOVER_LINES), ...more].join('\n')))}`);
}

function hunkLenses(hunk: WrittenHunk, hasOthers: boolean): vscode.CodeLens[] {
  const id = [hunk.path, hunk.runId, hunk.digest, hunk.index];
  return [
    lens(hunk, 'Keep', 'kedge.keepChange', 'Keep this change and stop showing it', id),
    lens(hunk, 'Undo', 'kedge.undoChange', 'Undo this change', id),
    ...(hasOthers
      ? [
          lens(hunk, 'Previous', 'kedge.previousChange', 'Go to the previous change', [firstLine(hunk)]),
          lens(hunk, 'Next', 'kedge.nextChange', 'Go to the next change', [firstLine(hunk)]),
        ]
      : []),
  ];
}

function proposalLenses(hunk: ProposedHunk, rejected: Readonly<Record<string, readonly number[]>>): vscode.CodeLens[] {
  const { session, request, path, index, isRejected } = hunk;
  const { approvalId, changes } = request;
  const id = [session.id, approvalId];
  const own = changes.filter((change) => !goesWithMove(change, changes));
  const total = own.reduce((sum, change) => sum + countHunks(change), 0);
  const accepted = total - own.reduce((sum, change) => sum + (rejected[change.path]?.length ?? 0), 0);
  const approve = total === 1 ? 'Approve' : accepted === total ? 'Approve All' : `Apply ${accepted} of ${total} Changes`;
  return [
    lens(hunk, 'Show Proposal', 'kedge.openProposal', 'Open the proposed change in a diff editor', [...id, path]),
    ...(total > 1
      ? [
          isRejected
            ? lens(hunk, 'Accept This Change', 'kedge.chooseHunk', 'Include this change in the approval', [approvalId, path, index])
            : lens(hunk, 'Reject This Change', 'kedge.chooseHunk', 'Leave this change out of the approval', [approvalId, path, index]),
        ]
      : []),
    ...(accepted > 0 ? [lens(hunk, approve, 'kedge.approveProposal', 'Approve the proposed change', id)] : []),
    lens(hunk, total > 1 ? 'Reject All' : 'Reject', 'kedge.rejectProposal', 'Reject the proposed change', id),
  ];
}

function lens(hunk: WrittenHunk | ProposedHunk, title: string, command: string, tooltip: string, args: unknown[]): vscode.CodeLens {
  const line = firstLine(hunk);
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, tooltip, arguments: args });
}
