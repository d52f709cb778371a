/** The questions that a run asks its user. */

import type { ChangeSummary } from '../../core/session/effects.ts';
import type { ApprovalAnswer, QuestionAnswer } from '../../core/session/events.ts';
import type { GrantScope } from '../../core/session/grant-scope.ts';
import type { RuleId } from '../../core/session/rule-ids.ts';
import type { ApprovalRequest, AskedQuestion } from '../../core/session/session-state.ts';
import { withoutCut } from '../../core/view/approval-details.ts';
import { Lines } from './lines.ts';
import { askedText, questionText } from './output/approval-text.ts';
import { canChoose, chooseHunks } from './output/hunks.ts';
import { diffText, oneLine, paintFor } from './output/terminal.ts';

export type Questions = {
  /** A person is there who can answer. */
  interactive: boolean;
  /** Edits inside the folder need no answer; deletions do. */
  yes: boolean;
};

export const NOBODY = 'Nobody can be asked here (no terminal).';
const typed = new WeakMap<NodeJS.ReadableStream, Lines>();

/** The lines of a stream are one sequence, whoever waits for them. */
export function linesOf(input: NodeJS.ReadableStream): Lines {
  const lines = typed.get(input) ?? new Lines(input);
  typed.set(input, lines);
  return lines;
}

const SCOPES: Record<string, GrantScope> = { t: 'turn', r: 'run', s: 'session', w: 'workspace' };

/** `rule` is the policy's rule that made it a question; `whole` gives the changes with all of their diffs. */
export async function answerTo(
  request: ApprovalRequest,
  rule: RuleId | undefined,
  given: Questions,
  signal: AbortSignal,
  whole: () => Promise<readonly ChangeSummary[]> = async () => request.changes,
): Promise<ApprovalAnswer> {
  if (given.yes && rule === 'edit') return { approve: true };
  if (!given.interactive) return { approve: false, by: 'nobody', words: nobodyAsked(request.reason, rule) };
  const { covers = [], similar = 0 } = request;
  process.stderr.write(`\n${askedText(request, paintFor(process.stderr))}\n`);
  const deviates = rule === 'outside-plan';
  const further = covers.length > 0 ? ', or for longer as above' : deviates ? ', p = yes, and widen the plan' : '';
  const byHunks = canChoose(request.changes) ? ', h = hunk by hunk' : '';
  const isCut = request.changes.some(({ diff }) => withoutCut(diff).more > 0);
  const rest = isCut ? ', d = show the whole diff' : '';
  for (;;) {
    const line = await linesOf(process.stdin).ask(`Do it? y = yes${further}${byHunks}${rest}, n = no (n and why) > `, signal);
    if (isCut && /^\s*d\s*$/i.test(line ?? '')) {
      process.stderr.write(`\n${diffText(await whole(), paintFor(process.stderr))}\n`);
      continue;
    }
    if (byHunks && /^\s*h\s*$/i.test(line ?? '')) {
      const ask = (prompt: string) => linesOf(process.stdin).ask(prompt, signal);
      return chooseHunks(request.changes, (text) => process.stderr.write(`\n${text}\n`), ask, paintFor(process.stderr));
    }
    if (deviates && /^\s*p\s*$/i.test(line ?? '')) return { approve: true, widen: true };
    const answer = answerIn(line ?? 'n', covers.length, similar);
    if (answer) return answer;
  }
}

/** The letters by which a yes stands for more, `p` before them for the narrower of two. */
export function answerIn(line: string, covers: number, similar: number): ApprovalAnswer | undefined {
  const [, narrow = '', letter = '', words = ''] = /^\s*(p?)(yes|y|t|r|s|w|no|n)\b[\s:,]*(.*)$/is.exec(line) ?? [];
  const key = letter.toLowerCase();
  if (!narrow && key.startsWith('n')) return { approve: false, ...(words.trim() && { words: words.trim() }) };
  // A yes with a condition is no yes.
  if (words.trim()) return undefined;
  if (!narrow && key.startsWith('y')) return { approve: true };
  const grant = SCOPES[key];
  const which = narrow ? 1 : 0;
  if (!grant || which >= covers || (grant === 'turn' && similar === 0)) return undefined;
  return { approve: true, grant, covers: which };
}

function nobodyAsked(reason: string, rule: RuleId | undefined): string {
  const how =
    rule === 'edit'
      ? ' Edits can be allowed beforehand with --yes.'
      : rule === 'deletes'
        ? ' --yes is for edits alone: somebody has to agree to a deletion.'
        : '';
  return `${NOBODY} ${reason}${how}`;
}

/** A number stands for an option; anything else is the user's own words, where the question takes them. Undefined where no answer came. */
export async function replyTo({ question }: AskedQuestion, lines: Lines, signal: AbortSignal): Promise<QuestionAnswer | undefined> {
  const { options, freeText } = question;
  const takesWords = freeText || options.length === 0;
  const paint = paintFor(process.stderr);
  const rows = options.map(
    ({ label, detail }, index) => `  ${index + 1}  ${oneLine(label)}${detail ? paint.dim(`  ${oneLine(detail)}`) : ''}\n`,
  );
  // Shown only when its turn has come.
  let shown = `\n${questionText(question, paint)}\n${rows.join('')}`;
  const how = options.length === 0 ? 'Your answer' : takesWords ? `1-${options.length}, or your own words` : `1-${options.length}`;
  for (;;) {
    const line = (await lines.ask(`${shown}${how} > `, signal))?.trim();
    shown = '';
    if (line === undefined) return undefined;
    const option = /^\d+$/.test(line) ? options[Number(line) - 1] : options.find(({ label }) => label === line);
    if (option) return { option: option.label };
    if (line && takesWords) return { words: line };
  }
}

const CONFIRM = 'Carry out this plan? y = yes, n = no, k = keep it for later, or say what to change > ';

/** `change` is what another plan is to do otherwise. */
export async function confirmPlan(
  signal: AbortSignal,
  lines = linesOf(process.stdin),
): Promise<'run' | 'discard' | 'keep' | { change: string }> {
  for (;;) {
    const line = (await lines.ask(CONFIRM, signal))?.trim();
    if (line === undefined || /^(k|keep)$/i.test(line)) return 'keep';
    if (/^(y|yes)$/i.test(line)) return 'run';
    if (/^(n|no)$/i.test(line)) return 'discard';
    if (/\s/.test(line)) return { change: line };
  }
}
