/** Reads what a hook answers: its exit code, and JSON on its standard output. No answer can allow or approve anything. */
import { tokensOfText } from '../core/context/tokens.ts';
import { visibleText } from '../core/words/visible-text.ts';

/** How the process of a hook ended. `stdout` and `stderr` are cut off at a limit. */
export type HookExit = { code?: number; stdout: string; stderr: string; problem?: string };

/** The answer of a hook. `reason` belongs to the decision. */
export type HookAnswer = { decision?: 'deny' | 'ask'; reason?: string; context?: string; notify?: string; problem?: string };

/** The exit code of a hook that denies, as in other assistants. Its standard error output is the reason. */
const DENIES = 2;
const MAX_REASON = 500;
const MAX_CONTEXT_TOKENS = 1_000;

export function answerOf({ code, stdout, stderr, problem }: HookExit): HookAnswer {
  if (problem !== undefined) return { problem };
  if (code === DENIES) return { decision: 'deny', reason: limited(stderr, MAX_REASON) || 'It gave no reason.' };
  if (code !== 0) return { problem: `it exited with code ${code ?? 'unknown'}.${stderr.trim() ? ` ${limited(stderr, MAX_REASON)}` : ''}` };
  if (stdout.trim() === '') return {};
  let json: unknown;
  try {
    json = JSON.parse(stdout);
  } catch {
    return { problem: 'its output is not JSON.' };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { problem: 'its output is not a JSON object.' };
  const { decision, reason, context, notify } = json as Record<string, unknown>;
  const text = (value: unknown, most: number) => (typeof value === 'string' && value.trim() !== '' ? limited(value, most) : undefined);
  const answer: HookAnswer = {};
  const [said, added, told] = [text(reason, MAX_REASON), text(context, charactersIn(context)), text(notify, MAX_REASON)];
  if (decision === 'deny' || decision === 'ask') Object.assign(answer, { decision, reason: said ?? 'It gave no reason.' });
  else if (decision !== undefined)
    answer.problem = 'it can deny a call or ask for an approval, and nothing else. Its decision was ignored.';
  if (added !== undefined) answer.context = added;
  if (told !== undefined) answer.notify = told;
  return answer;
}

/** Returns how many characters of a text fit. Characters of other alphabets need more tokens. */
function charactersIn(text: unknown): number {
  const all = typeof text === 'string' ? text.trim() : '';
  let fitting = all.length;
  for (let tokens = tokensOfText(all); tokens > MAX_CONTEXT_TOKENS; tokens = tokensOfText(all.slice(0, fitting)))
    fitting = Math.floor((fitting * MAX_CONTEXT_TOKENS * 0.95) / tokens);
  return fitting;
}

function limited(text: string, most: number): string {
  const plain = visibleText(text.trim());
  return plain.length > most ? `${plain.slice(0, most).toWellFormed()}\n[cut off]` : plain;
}
