/** Prompts the user for approvals, answers to questions, and the confirmation of plans. */

import type { Plan } from '../../core/plan/plan.ts';
import type { ChangeSummary } from '../../core/session/effects.ts';
import type { ApprovalAnswer, QuestionAnswer } from '../../core/session/events.ts';
import { canGrant, type GrantScope, type Permission, permissionText } from '../../core/session/grant-scope.ts';
import type { RuleId } from '../../core/session/rule-ids.ts';
import type { ApprovalRequest, AskedQuestion } from '../../core/session/session-state.ts';
import { withoutCut } from '../../core/view/approval-details.ts';
import { planLines } from '../../core/view/plan-details.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { LineReader } from './line-reader.ts';
import { approvalText, questionText } from './output/approval-text.ts';
import { canChoose, chooseHunks } from './output/choose-hunks.ts';
import { diffText } from './output/diff-text.ts';
import { oneLine, type Paint, paintFor } from './output/terminal.ts';

export type PromptOptions = {
  /** Whether a terminal is connected, so that a person can answer. */
  interactive: boolean;
  /** Whether edits inside the folder are approved without a prompt. Deletions still need approval. */
  yes: boolean;
  /** Asks the user. The default reads lines from stdin. */
  prompter?: Prompter;
  /** Lets the user edit a plan. Resolves to undefined if it was not changed. */
  editPlan?: (plan: Plan) => Promise<Plan | undefined>;
};

/**
 * An answer that one key gives where single keys are read. `line` is the same answer as a typed line; `words` asks for words, which are
 * added to it. `help` explains the answer. An answer without a label is listed only in the help.
 */
export type Choice = { key: string; label: string; line?: string; words?: string; help?: string };

/** Asks the user. */
export type Prompter = {
  show(text: string): void;
  /** Resolves to the typed line, or to the line of the chosen answer. `words` is true if any other line is an answer, too. */
  ask(prompt: string, signal: AbortSignal, choices?: readonly Choice[], words?: boolean): Promise<string | undefined>;
  /** Whether single keys answer. */
  readsKeys?: boolean;
  paint?: Paint;
};

export const NOBODY = 'The user could not be asked because no terminal is connected.';
type Lines = Pick<LineReader, 'ask' | 'listen'>;
const readers = new WeakMap<NodeJS.ReadableStream, Lines>();

/** Returns the reader of a stream. All prompts share it, because a second reader would take lines away from the first one. */
export function linesOf(input: NodeJS.ReadableStream): Lines {
  const lines = readers.get(input) ?? new LineReader(input);
  readers.set(input, lines);
  return lines;
}

/** Lets `prompter` answer whatever code asks for a line of stdin, because it reads stdin itself. */
export function askThrough({ ask }: Prompter): void {
  readers.set(process.stdin, { ask: (prompt, signal) => ask(prompt, signal), listen: () => () => undefined });
}

const terminalLines: Prompter = {
  show: (text) => void process.stderr.write(text),
  ask: (prompt, signal) => linesOf(process.stdin).ask(prompt, signal),
};

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
  const { prompter = terminalLines } = options;
  const { paint = paintFor(process.stderr) } = prompter;
  // A single key is the capital letter in place of the `p` before a letter.
  prompter.show(`\n${approvalText(request, paint, prompter.readsKeys ? (letter) => letter.toUpperCase() : undefined)}\n`);
  const deviates = rule === 'outside-plan';
  const moreAnswers = `${deviates ? ', p = yes, and add it to the plan' : ''}${covers.length > 0 ? ', or a letter from above' : ''}`;
  const byHunks = canChoose(request.changes) ? ', h = choose hunks' : '';
  const isCut = request.changes.some(({ diff }) => withoutCut(diff).more > 0);
  const showDiff = isCut ? ', d = show the complete diff' : '';
  for (;;) {
    const line = await prompter.ask(
      `Approve? y = yes${moreAnswers}${byHunks}${showDiff}, n = no (add a reason after n) > `,
      signal,
      approvalChoices(request, deviates, byHunks !== '', isCut),
    );
    if (isCut && /^\s*d\s*$/i.test(line ?? '')) {
      prompter.show(`\n${diffText(await wholeChanges(), paint)}\n`);
      continue;
    }
    if (byHunks && /^\s*h\s*$/i.test(line ?? '')) {
      const ask = (prompt: string) => prompter.ask(prompt, signal, HUNK_CHOICES);
      return chooseHunks(request.changes, (text) => prompter.show(`\n${text}\n`), ask, paint);
    }
    if (deviates && /^\s*p\s*$/i.test(line ?? '')) return { approve: true, widen: true };
    const answer = parseApproval(line ?? 'n', covers.length, similar);
    if (answer && isOffered(answer, covers)) return answer;
  }
}

const HUNK_CHOICES: readonly Choice[] = [
  { key: 'y', label: 'yes' },
  { key: 'n', label: 'no' },
  { key: 'a', label: 'yes to the rest' },
  { key: 'd', label: 'no to the rest' },
];

const SCOPE_LABELS: readonly [letter: string, label: string, help: string][] = [
  ['t', 'similar', 'for this and the similar calls of this answer'],
  ['r', 'run', 'for this run'],
  ['s', 'session', 'for this session'],
  ['w', 'always', 'always in this folder'],
];

function approvalChoices({ covers = [], similar = 0 }: ApprovalRequest, deviates: boolean, byHunks: boolean, isCut: boolean): Choice[] {
  const grants = covers.slice(0, 2).flatMap((each, index) =>
    SCOPE_LABELS.filter(([letter]) => (letter === 't' ? similar > 0 : letter === 'r' || canGrant(each, SCOPES[letter] as GrantScope))).map(
      ([letter, label, help]): Choice => ({
        key: index === 0 ? letter : letter.toUpperCase(),
        label: index === 0 ? label : '',
        line: index === 0 ? letter : `p${letter}`,
        help: `allow ${visibleLine(permissionText(each))} ${help}`,
      }),
    ),
  );
  return [
    { key: 'y', label: 'yes', help: 'allow this call only' },
    { key: 'n', label: 'no', help: 'reject this call; the run continues' },
    { key: 'i', label: 'no, with a reason', line: 'n', words: 'Reason', help: 'reject this call, and tell the model why' },
    ...(deviates ? [{ key: 'p', label: 'yes, add to the plan', help: 'allow it, and add the files to the plan' }] : []),
    ...grants,
    ...(byHunks ? [{ key: 'h', label: 'hunks', help: 'choose the hunks to apply' }] : []),
    ...(isCut ? [{ key: 'd', label: 'complete diff', help: 'show the complete diff' }] : []),
  ];
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
  lines: Pick<Prompter, 'ask' | 'paint'>,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const { options, freeText } = question;
  const takesWords = freeText || options.length === 0;
  const { paint = paintFor(process.stderr) } = lines;
  const rows = options.map(
    ({ label, detail }, index) => `  ${index + 1}  ${oneLine(label)}${detail ? paint.dim(`  ${oneLine(detail)}`) : ''}\n`,
  );
  // The question is part of the prompt, so that it is printed only when no other question is waiting for an answer.
  let text = `\n${questionText(question, paint)}\n${rows.join('')}`;
  const how = options.length === 0 ? 'Your answer' : takesWords ? `1-${options.length}, or your own words` : `1-${options.length}`;
  const choices = options.slice(0, 9).map(({ label }, index) => ({ key: `${index + 1}`, label: oneLine(label, 30) }));
  for (;;) {
    const line = (await lines.ask(`${text}${how} > `, signal, choices, takesWords || options.length > 9))?.trim();
    text = '';
    if (line === undefined) return undefined;
    const option = /^\d+$/.test(line) ? options[Number(line) - 1] : options.find(({ label }) => label === line);
    if (option) return { option: option.label };
    if (line && takesWords) return { words: line };
  }
}

const CONFIRM =
  'Run this plan? y = yes; e = yes, and allow edits outside the plan during this run; n = no; k = keep it for later; or describe what to change > ';

const PLAN_CHOICES: readonly Choice[] = [
  { key: 'y', label: 'yes', help: 'run the plan' },
  { key: 'n', label: 'no', help: 'discard the plan' },
  { key: 'c', label: 'change', words: 'What to change', help: 'describe what to change, and get a new plan' },
  { key: 'o', label: 'open in editor', help: 'edit the plan in $VISUAL or $EDITOR' },
  { key: 'e', label: 'yes, and allow edits', help: 'run the plan, and allow edits outside the plan during this run' },
  { key: 'k', label: 'keep', help: 'keep the plan for later' },
];

export type PlanAnswer = 'run' | 'run_and_allow_edits' | 'discard' | 'keep' | { change: string };

/** Asks whether to run a plan. `change` is the user's description of the changes to the plan. */
export async function confirmPlan(signal: AbortSignal, lines?: Pick<Prompter, 'ask'>): Promise<PlanAnswer>;
export async function confirmPlan(signal: AbortSignal, lines: Pick<Prompter, 'ask'>, canOpen: true): Promise<PlanAnswer | 'open'>;
export async function confirmPlan(
  signal: AbortSignal,
  lines: Pick<Prompter, 'ask'> = linesOf(process.stdin),
  canOpen = false,
): Promise<PlanAnswer | 'open'> {
  for (;;) {
    const line = (
      await lines.ask(
        CONFIRM,
        signal,
        PLAN_CHOICES.filter(({ key }) => canOpen || key !== 'o'),
      )
    )?.trim();
    if (canOpen && /^o$/i.test(line ?? '')) return 'open';
    // With the letter before them, words such as "yes" are a description and do not run the plan.
    const [, change] = /^c\s+(\S[\s\S]*)$/.exec(line ?? '') ?? [];
    if (change) return { change };
    if (line === undefined || /^(k|keep)$/i.test(line)) return 'keep';
    if (/^(y|yes)$/i.test(line)) return 'run';
    if (/^e$/i.test(line)) return 'run_and_allow_edits';
    if (/^(n|no)$/i.test(line)) return 'discard';
    if (/\s/.test(line)) return { change: line };
  }
}

/** Does the same where the user can also edit the plan. `edited` is the plan as it was edited last. */
export async function confirmOrEditPlan(
  plan: Plan,
  { prompter = terminalLines, editPlan }: PromptOptions,
  signal: AbortSignal,
): Promise<{ answer: PlanAnswer; edited?: Plan | undefined }> {
  let edited: Plan | undefined;
  for (;;) {
    const answer = editPlan ? await confirmPlan(signal, prompter, true) : await confirmPlan(signal, prompter);
    if (answer !== 'open') return { answer, edited };
    edited = (await editPlan?.(edited ?? plan)) ?? edited;
    if (edited) prompter.show(`\n${planLines(edited)}\n`);
  }
}
