/** *Explain*, *Edit*, *Fix* and *Write Tests* in the menus of the editor, the explorer, the terminal and the test results, and for problems. */
import * as vscode from 'vscode';
import type { Pointed } from '../../../app/mentions/index.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import { mentionLabel } from '../../../core/model/mentions.ts';
import type { MentionRef } from '../../../core/model/messages.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import { urisOf } from '../add-mention.ts';
import type { Kedge } from '../kedge.ts';
import { refOfUri } from '../mentions.ts';
import type { Panel } from '../panel/panel.ts';
import { begin } from './begin.ts';

type View = Pick<Panel, 'reveal'>;
export type CodeActionName = 'explain' | 'fix' | 'writeTests';
/** The argument of *Fix with Kedge* and *Explain with Kedge* for a problem. */
export type ProblemTarget = { uri: vscode.Uri; range: vscode.Range; problems: readonly vscode.Diagnostic[] };

/** The lines around a problem that are sent with it. */
const AROUND = 10;
const MAX_PROBLEMS = 10;
const SYMBOLS = new Set([vscode.SymbolKind.Function, vscode.SymbolKind.Method, vscode.SymbolKind.Constructor, vscode.SymbolKind.Class]);

/**
 * `args` are the arguments of VS Code: files in the explorer, the file in the editor, a `ProblemTarget` for a problem, and nothing for a
 * keyboard shortcut.
 */
export async function runCodeAction(kedge: Kedge, panel: View, name: CodeActionName, args: readonly unknown[]): Promise<void> {
  const [first] = args;
  const target = isProblem(first) ? first : undefined;
  const refs = target ? [around(kedge, target)] : await refsOf(kedge, args);
  const labels = refs.map(mentionLabel).join(', ');
  // The mentions contain no line numbers, because the text of each problem contains its line.
  const files = refs.map((ref) => mentionLabel({ kind: 'file', ...(ref.path !== undefined && { path: ref.path }) })).join(', ');
  if (name === 'explain')
    return begin(kedge, panel, {
      mode: 'ask',
      refs,
      text: target ? `Explain ${problemText(target.problems, files)}` : `Explain ${labels}.`,
    });
  if (name === 'writeTests') {
    const text = `Write tests for ${labels}. Follow the conventions of the tests in this workspace.`;
    return begin(kedge, panel, { mode: 'agent', refs, text });
  }
  const problems = target?.problems ?? problemsIn(kedge, refs);
  const text = problems.length > 0 ? `Fix ${problemText(problems, files)}` : `Find out what is wrong with ${labels}, and fix it.`;
  return begin(kedge, panel, { mode: 'agent', refs, text });
}

/**
 * Asks what to change in the code at the cursor, and starts a run that changes it. The panel is not shown, because the proposed change is
 * shown in the editor, where it can be approved.
 */
export async function edit(kedge: Kedge, args: readonly unknown[]): Promise<void> {
  const refs = await refsOf(kedge, args);
  const text = await vscode.window.showInputBox({
    title: `Edit ${refs.map(mentionLabel).join(', ')} with Kedge`,
    prompt: 'Describe the change. Kedge shows it in the editor.',
    placeHolder: 'For example: handle the empty list',
  });
  if (text?.trim()) await begin(kedge, undefined, { mode: 'agent', refs, text: text.trim() });
}

/** Explains or fixes the text that is selected in the terminal, or else the output of the last command. */
export async function runTerminalAction(kedge: Kedge, panel: View, name: 'explain' | 'fix'): Promise<void> {
  const selected = await terminalSelection();
  const ref: Pointed = selected ? { kind: 'attachment', name: 'terminal selection', text: selected } : { kind: 'terminal' };
  const what = selected ? 'the text that is selected in the terminal' : 'the output of the last command in the terminal';
  if (name === 'explain') return begin(kedge, panel, { mode: 'ask', refs: [ref], text: `Explain ${what}.` });
  return begin(kedge, panel, { mode: 'agent', refs: [ref], text: `Fix the problem that ${what} shows.` });
}

/** Fixes a failed test. VS Code passes the test and its message. */
export async function fixTest(kedge: Kedge, panel: View, arg: unknown): Promise<void> {
  const { test, message } = (arg ?? {}) as { test?: Partial<vscode.TestItem>; message?: Partial<vscode.TestMessage> };
  if (!test?.label || !message) throw new SessionError('Choose a failed test.');
  const file = test.uri && refOfUri(kedge.fs, test.uri);
  const { expectedOutput, actualOutput } = message;
  const said = typeof message.message === 'string' ? message.message : message.message?.value;
  const text = [
    said,
    expectedOutput !== undefined && `Expected:\n${expectedOutput}`,
    actualOutput !== undefined && `Actual:\n${actualOutput}`,
  ];
  const failure: Pointed = { kind: 'attachment', name: 'test failure', text: text.filter(Boolean).join('\n\n') };
  const where = file ? ` in ${mentionLabel(file)}` : '';
  await begin(kedge, panel, {
    mode: 'agent',
    refs: file ? [file, failure] : [failure],
    text: `The test “${oneLine(test.label)}”${where} fails. Find the cause and fix it.`,
  });
}

/**
 * Returns the files or lines that a menu was opened on. In the editor, this is the selection, or else the function at the cursor, or else
 * the file.
 */
async function refsOf({ fs }: Kedge, args: readonly unknown[]): Promise<MentionRef[]> {
  const uris = urisOf(args);
  const editor = vscode.window.activeTextEditor;
  const isEditor = uris.length === 0 || (!Array.isArray(args[1]) && String(uris[0]) === String(editor?.document.uri));
  const refs = isEditor ? [editor && refOfUri(fs, editor.document.uri, await rangeAt(editor))] : uris.map((uri) => refOfUri(fs, uri));
  const inside = refs.filter((ref) => ref !== undefined);
  if (inside.length === 0) throw new SessionError('Open a file of the workspace first, or select one in the explorer.');
  return inside;
}

async function rangeAt({ document, selection }: vscode.TextEditor): Promise<vscode.Range> {
  if (!selection.isEmpty) return selection;
  const found = await vscode.commands.executeCommand<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const at = (symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): vscode.Range | undefined => {
    const symbol = symbols.find((each) => rangeOf(each).contains(selection.active));
    if (!symbol) return undefined;
    const inner = 'children' in symbol ? at(symbol.children) : undefined;
    return inner ?? (SYMBOLS.has(symbol.kind) ? rangeOf(symbol) : undefined);
  };
  return at(found ?? []) ?? selection;
}

function rangeOf(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): vscode.Range {
  return 'range' in symbol ? symbol.range : symbol.location.range;
}

function isProblem(value: unknown): value is ProblemTarget {
  return value !== null && typeof value === 'object' && 'problems' in value;
}

function around({ fs }: Kedge, { uri, range }: ProblemTarget): MentionRef {
  const from = Math.max(0, range.start.line - AROUND);
  // The document is already open, because VS Code shows its problem.
  const count = vscode.workspace.textDocuments.find((document) => String(document.uri) === String(uri))?.lineCount ?? range.end.line + 1;
  const to = Math.min(range.end.line + AROUND, count - 1);
  const ref = refOfUri(fs, uri, new vscode.Range(from, 0, to, 1));
  if (!ref) throw new SessionError('Only files in the workspace can be fixed. Open the folder of this file first.');
  return ref;
}

/** Returns the errors and warnings in the chosen lines. Returns none for a folder or several files, which may have too many to list. */
function problemsIn({ fs }: Kedge, refs: readonly MentionRef[]): vscode.Diagnostic[] {
  const { document } = vscode.window.activeTextEditor ?? {};
  const [ref] = refs;
  if (!document || !ref || refs.length > 1 || refOfUri(fs, document.uri)?.path !== ref.path) return [];
  const { lines } = ref;
  return vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
    .filter(({ range }) => !lines || (range.end.line + 1 >= lines.from && range.start.line + 1 <= lines.to));
}

function problemText(problems: readonly vscode.Diagnostic[], label: string): string {
  const list = problems.slice(0, MAX_PROBLEMS).map(({ message, range, source }) => {
    return `- line ${range.start.line + 1}: ${oneLine(message)}${source ? ` (${source})` : ''}`;
  });
  const more = problems.length > MAX_PROBLEMS ? [`- and ${problems.length - MAX_PROBLEMS} more`] : [];
  return `${problems.length === 1 ? 'this problem' : 'these problems'} in ${label}:\n\n${[...list, ...more].join('\n')}`;
}

function oneLine(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim());
}

/** Returns the selected text of the terminal. VS Code provides it only through the clipboard, whose content is restored afterwards. */
async function terminalSelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    await clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return (await clipboard.readText()).trim() || undefined;
  } finally {
    await clipboard.writeText(before);
  }
}
