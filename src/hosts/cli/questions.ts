/** Prompts the user for approvals, answers to questions, and the confirmation of plans. */

import type { ChangeSummary } from '../../core/session/effects.ts';
import type { ApprovalAnswer, QuestionAnswer } from '../../core/session/events.ts';
import { canGrant, type GrantScope, type Permission } from '../../core/session/grant-scope.ts';
import type { RuleId } from '../../core/session/rule-ids.ts';
import type { ApprovalRequest, AskedQuestion } from '../../core/session/session-state.ts';
import { withoutCut } from '../../core/view/approval-details.ts';
import { LineReader } from './line-reader.ts';
import { approvalText, questionText } from './output/approval-text.ts';
import { canChoose, chooseHunks } from './output/choose-hunks.ts';
import { diffText, oneLine, paintFor } from './output/terminal.ts';

export type PromptOptions = {
  /** Whether a terminal is connected, so that a person can answer. */
  interactive: boolean;
  /** Whether edits inside the folder are approved without a prompt. Deletions still need approval. */
  yes: boolean;
};

export const NOBODY = 'The user could not be asked because no terminal is connected.';
const readers = new WeakMap<NodeJS.ReadableStream, LineReader>();

/** Returns the reader of a stream. All prompts share it, because a second reader would take lines away from the first one. */
export function linesOf(input: NodeJS.ReadableStream): LineReader {
  const lines = readers.get(input) ?? new LineReader(input);
  readers.set(input, lines);
  return lines;
}

const SCOPES: Record<string, GrantScope> = { t: 'turn', r: 'run', s: 'session', w: 'workspace' };

/** `rule` is the id of the policy rule that requires the approval. `wholeChanges` loads the changes with their complete diffs. */
export async function promptForApproval(
  request: ApprovalRequest,
  rule: RuleId | undefined,
  options: PromptOptions,
  signal: AbortSignal,
  wholeChanges: () => Promise<readonly ChangeSummary[]> = async () => request.changes,
): Promise<ApprovalAnswer> {
  if (options.yes && rule === 'edit') return { approve: true };
  if (!options.interactive) return { approve: false, by: 'nobody', words: noTerminalText(request.reason, rule) };
  const { covers = [], similar = 0 } = request;
  process.stderr.write(`\n${approvalText(request, paintFor(process.stderr))}\n`);
  const deviates = rule === 'outside-plan';
  const moreAnswers = `${deviates ? ', p = yes, and add it to the plan' : ''}${covers.length > 0 ? ', or a letter from above' : ''}`;
  const byHunks = canChoose(request.changes) ? ', h = choose hunks' : '';
  const isCut = request.changes.some(({ diff }) => withoutCut(diff).more > 0);
  const showDiff = isCut ? ', d = show the complete diff' : '';
  for (;;) {
    const line = await linesOf(process.stdin).ask(
      `Approve? y = yes${moreAnswers}${byHunks}${showDiff}, n = no (add a reason after n) > `,
      signal,
    );
    if (isCut && /^\s*d\s*$/i.test(line ?? '')) {
      process.stderr.write(`\n${diffText(await wholeChanges(), paintFor(process.stderr))}\n`);
      continue;
    }
    if (byHunks && /^\s*h\s*$/i.test(line ?? '')) {
      const ask = (prompt: string) => linesOf(process.stdin).ask(prompt, signal);
      return chooseHunks(request.changes, (text) => process.stderr.write(`\n${text}\n`), ask, paintFor(process.stderr));
    }
    if (deviates && /^\s*p\s*$/i.test(line ?? '')) return { approve: true, widen: true };
    const answer = parseApproval(line ?? 'n', covers.length, similar);
    if (answer && isOffered(answer, covers)) return answer;
  }
}

/** Returns true if the permission can be granted for as long as the answer says. */
function isOffered(answer: ApprovalAnswer, covers: readonly Permission[]): boolean {
  const chosen = answer.approve && answer.grant ? covers[answer.covers ?? 0] : undefined;
  return !answer.approve || !answer.grant || (chosen !== undefined && canGrant(chosen, answer.grant));
}

/**
 * Parses a typed answer. The letters t, r, s and w also grant a permission. A `p` before the letter chooses the narrower of two
 * permissions.
 */
export function parseApproval(line: string, covers: number, similar: number): ApprovalAnswer | undefined {
  const [, narrow = '', letter = '', words = ''] = /^\s*(p?)(yes|y|t|r|s|w|no|n)\b[\s:,]*(.*)$/is.exec(line) ?? [];
  const key = letter.toLowerCase();
  if (!narrow && key.startsWith('n')) return { approve: false, ...(words.trim() && { words: words.trim() }) };
  // A yes that is followed by words may be conditional, so it does not count as approval.
  if (words.trim()) return undefined;
  if (!narrow && key.startsWith('y')) return { approve: true };
  const grant = SCOPES[key];
  const index = narrow ? 1 : 0;
  if (!grant || index >= covers || (grant === 'turn' && similar === 0)) return undefined;
  return { approve: true, grant, covers: index };
}

function noTerminalText(reason: string, rule: RuleId | undefined): string {
  const how =
    rule === 'edit'
      ? ' To allow edits without asking, use --yes.'
      : rule === 'deletes'
        ? ' --yes allows edits only. Deletions always need approval.'
        : '';
  return `${NOBODY} ${reason}${how}`;
}

/** Asks for an option by its number or label, or for free text if the question allows it. Resolves to undefined if the input ends. */
export async function promptForAnswer(
  { question }: AskedQuestion,
  lines: LineReader,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const { options, freeText } = question;
  const takesWords = freeText || options.length === 0;
  const paint = paintFor(process.stderr);
  const rows = options.map(
    ({ label, detail }, index) => `  ${index + 1}  ${oneLine(label)}${detail ? paint.dim(`  ${oneLine(detail)}`) : ''}\n`,
  );
  // The question is part of the prompt, so that it is printed only when no other question is waiting for an answer.
  let text = `\n${questionText(question, paint)}\n${rows.join('')}`;
  const how = options.length === 0 ? 'Your answer' : takesWords ? `1-${options.length}, or your own words` : `1-${options.length}`;
  for (;;) {
    const line = (await lines.ask(`${text}${how} > `, signal))?.trim();
    text = '';
    if (line === undefined) return undefined;
    const option = /^\d+$/.test(line) ? options[Number(line) - 1] : options.find(({ label }) => label === line);
    if (option) return { option: option.label };
    if (line && takesWords) return { words: line };
  }
}

const CONFIRM =
  'Run this plan? y = yes; e = yes, and allow edits outside the plan during this run; n = no; k = keep it for later; or describe what to change > ';

/** Asks whether to run a plan. `change` is the user's description of the changes to the plan. */
export async function confirmPlan(
  signal: AbortSignal,
  lines = linesOf(process.stdin),
): Promise<'run' | 'run_and_allow_edits' | 'discard' | 'keep' | { change: string }> {
  for (;;) {
    const line = (await lines.ask(CONFIRM, signal))?.trim();
    if (line === undefined || /^(k|keep)$/i.test(line)) return 'keep';
    if (/^(y|yes)$/i.test(line)) return 'run';
    if (/^e$/i.test(line)) return 'run_and_allow_edits';
    if (/^(n|no)$/i.test(line)) return 'discard';
    if (/\s/.test(line)) return { change: line };
  }
}
