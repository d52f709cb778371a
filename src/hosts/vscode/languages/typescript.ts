/**
 * VS Code's TypeScript service reports problems only for files that are open in tabs. A direct request to its server answers for
 * every file and its current text, without opening a tab or waiting for a report.
 */
import * as vscode from 'vscode';
import { abortable } from '../../../core/abort.ts';
import type { Problem } from '../../../workspace/languages.ts';

const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
const COMMAND = 'typescript.tsserverRequest';

type Position = { line: number; offset: number };
/** Syntactic and semantic diagnostics use different property names. */
type ServerDiagnostic = {
  text?: string;
  message?: string;
  start?: Position | number;
  startLocation?: Position;
  category: string;
  code?: number;
};
export type TypeScriptProblem = Omit<Problem, 'at'>;

/** Resolves to undefined for another language, if the user has turned validation off, or if the service does not answer in time. */
export async function askTypeScript(
  { uri, languageId }: vscode.TextDocument,
  signal: AbortSignal,
): Promise<TypeScriptProblem[] | undefined> {
  if (!LANGUAGES.includes(languageId)) return undefined;
  const section = languageId.startsWith('typescript') ? 'typescript' : 'javascript';
  if (!vscode.workspace.getConfiguration(section, uri).get('validate.enable', true)) return undefined;
  const ask = async (question: string) => {
    const reply = await vscode.commands.executeCommand<{ type?: string; body?: ServerDiagnostic[] }>(COMMAND, question, { file: uri });
    if (reply?.type !== 'response' || !reply.body) throw new Error('No answer.');
    return reply.body;
  };
  try {
    const all = Promise.all([ask('syntacticDiagnosticsSync'), ask('semanticDiagnosticsSync')]);
    return (await abortable(all, signal)).flat().flatMap(problemsOf);
  } catch {
    return undefined;
  }
}

function problemsOf({ text, message, start, startLocation, category, code }: ServerDiagnostic): TypeScriptProblem[] {
  if (category !== 'error' && category !== 'warning') return [];
  const line = (startLocation ?? (typeof start === 'object' ? start : undefined))?.line ?? 1;
  return [{ line, severity: category, message: `${text ?? message ?? ''} [ts${code === undefined ? '' : ` ${code}`}]` }];
}
