/**
 * VS Code's TypeScript service reports on files in tabs only. Asked directly it answers for every file, at once, and for the text as
 * it is now: neither is a tab to be opened nor a report to be waited for.
 */
import * as vscode from 'vscode';
import { abortable } from '../../../core/abort.ts';
import type { Problem } from '../../../workspace/languages.ts';

const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
const COMMAND = 'typescript.tsserverRequest';

type Position = { line: number; offset: number };
/** The syntactic ones come with the one kind of names, the semantic ones with the other. */
type Reported = { text?: string; message?: string; start?: Position | number; startLocation?: Position; category: string; code?: number };
export type Found = Omit<Problem, 'at'>;

/** undefined where it is another language, where the user turned the checks off, and where the service does not answer in time. */
export async function askTypeScript({ uri, languageId }: vscode.TextDocument, signal: AbortSignal): Promise<Found[] | undefined> {
  if (!LANGUAGES.includes(languageId)) return undefined;
  const section = languageId.startsWith('typescript') ? 'typescript' : 'javascript';
  if (!vscode.workspace.getConfiguration(section, uri).get('validate.enable', true)) return undefined;
  const ask = async (question: string) => {
    const reply = await vscode.commands.executeCommand<{ type?: string; body?: Reported[] }>(COMMAND, question, { file: uri });
    if (reply?.type !== 'response' || !reply.body) throw new Error('No answer.');
    return reply.body;
  };
  try {
    const all = Promise.all([ask('syntacticDiagnosticsSync'), ask('semanticDiagnosticsSync')]);
    return (await abortable(all, signal)).flat().flatMap(foundIn);
  } catch {
    return undefined;
  }
}

function foundIn({ text, message, start, startLocation, category, code }: Reported): Found[] {
  if (category !== 'error' && category !== 'warning') return [];
  const line = (startLocation ?? (typeof start === 'object' ? start : undefined))?.line ?? 1;
  return [{ line, severity: category, message: `${text ?? message ?? ''} [ts${code === undefined ? '' : ` ${code}`}]` }];
}
