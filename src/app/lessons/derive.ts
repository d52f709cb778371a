/**
 * Derives a lesson from what a run logged: what failed first, and what worked then. No model is asked, and the output of commands and the contents
 * of files are left out, so a lesson cannot repeat them.
 */
import { holdsKey, withoutKeys } from '../../core/keys.ts';
import { landedChanges } from '../../core/view/run-changes.ts';
import { type CallView, callsIn, isTakenBack, type RunView } from '../../core/view/run-view.ts';
import { memoryEntry } from '../../core/words/memory-entry.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { significantWords } from './similar.ts';

/** `about` identifies what was learned, regardless of the task: a declined lesson is not proposed again for another task. */
export type DerivedLesson = { text: string; about: string };

/** The maximum length of a lesson, in characters. */
export const MAX_LESSON = 600;
/** The maximum number of lessons. With so many, none is proposed. */
export const MAX_LESSONS = 100;
/** A run with fewer steps needs no reminder. */
const MIN_CALLS = 3;
const MAX_TASK = 160;
/** A longer command is a script, and would not be typed again. It could also contain the content of a file. */
const MAX_COMMAND = 160;
const MAX_FILES = 5;
/** Commands that only look. Their exit code is an answer and not a failure. */
const LOOKING =
  /^(?:cat|cd|diff|egrep|fgrep|find|grep|head|ls|rg|stat|tail|test|type|wc|where|which|\[|git (?:diff|grep|log|show|status))\b/;

/** Commands contain passwords in forms that would be usual words elsewhere. */
const CREDENTIALS =
  /(?:^|\s)(?:--?[\w-]*(?:password|passwd|secret|token|api-?key|access-?key)(?:\s+|=)(?!-)\S|(?:-u\s*|--user[\s=]+)["']?[^\s:]+:\S|\w*(?:password|passwd|secret|token|api_?key|access_?key)=\S)/i;

type Attempt = { command: string; how: string; worked: boolean };
type Finding = { failed: Attempt; times: number; worked?: string };

/** Returns the lesson of a run that has ended, or undefined if there is nothing worth remembering. `mayName` says whether a path may be named. */
export function lessonOf(run: RunView, mayName: (path: string) => boolean): DerivedLesson | undefined {
  const { outcome, error } = run.finished ?? {};
  const hasEnded = outcome === 'answered' || (outcome === 'failed' && error?.kind === 'check');
  if (!hasEnded || run.mode !== 'agent' || run.applies || run.parent || run.isImported || isTakenBack(run)) return undefined;
  const calls = callsIn(run).filter(({ carriedOut }) => carriedOut);
  const task = taskOf(run.plan?.goal ?? run.prompt);
  if (calls.length < MIN_CALLS || significantWords(task).size < 2) return undefined;
  const attempts = [...calls.flatMap(attemptOf), ...checksOf(run)];
  const finding = otherCommand(attempts) ?? finallyWorked(attempts) ?? stillFails(attempts);
  if (!finding) return undefined;
  const { failed, times, worked } = finding;
  const changed = landedChanges(run).map(({ path }) => path);
  const files = changed.filter(mayName).slice(0, MAX_FILES);
  const often = times > 1 ? `${times} times, ${failed.how}` : failed.how;
  const parts = [
    `Task: ${task}`,
    worked === undefined
      ? `Failed to the end: \`${failed.command}\` (${often})`
      : `Failed: \`${failed.command}\` (${often}). Worked: \`${worked}\`${worked === failed.command ? ' after changes' : ''}`,
  ];
  const text = withFiles(parts, files);
  const about = JSON.stringify([failed.command, worked ?? null]);
  // A lesson with something that looks like a key is not shown at all.
  const hasCredentials = [failed.command, worked ?? ''].some((command) => CREDENTIALS.test(command));
  return text === undefined || hasCredentials || holdsKey(text) ? undefined : { text, about };
}

/** Returns an entry as it is shown and stored: one line in which hidden characters are marked, and without keys. */
export function lessonEntry(text: string): string {
  return visibleLine(memoryEntry(withoutKeys(text)));
}

function withFiles(parts: readonly string[], files: readonly string[]): string | undefined {
  const whole = lessonEntry(`${[...parts, ...(files.length > 0 ? [`Changed: ${files.join(', ')}`] : [])].join('. ')}.`);
  if (whole.length <= MAX_LESSON) return whole;
  const short = lessonEntry(`${parts.join('. ')}.`);
  return short.length <= MAX_LESSON ? short : undefined;
}

function taskOf(words: string): string {
  const line = memoryEntry(words.trim().split('\n', 1)[0] ?? '').replace(/[.:!]+$/, '');
  return line.length <= MAX_TASK ? line : `${line.slice(0, MAX_TASK).toWellFormed()}…`;
}

function attemptOf({ name, source, command, note = '', stopped, status }: CallView): Attempt[] {
  if (name !== 'run_command' || source !== undefined || command === undefined || stopped) return [];
  const text = command.trim();
  if (!isShort(text) || LOOKING.test(text)) return [];
  if (note === 'exit 0') return [{ command: text, how: note, worked: true }];
  const hasFailed = status === 'failed' || note === 'timed out' || /^exit [1-9]/.test(note);
  return hasFailed ? [{ command: text, how: note || 'failed', worked: false }] : [];
}

function isShort(command: string): boolean {
  return command.length <= MAX_COMMAND && !command.trim().includes('\n');
}

/** The checks after the last step of a plan, which are not calls of the model. */
function checksOf({ endChecks }: RunView): Attempt[] {
  return endChecks.flatMap(({ check, outcome }): Attempt[] => {
    if (typeof check === 'string' || !('command' in check) || outcome === 'not_run') return [];
    return isShort(check.command) ? [{ command: check.command.trim(), how: 'check', worked: outcome === 'passed' }] : [];
  });
}

/** A command never worked, and a later one that shares a word with it did. */
function otherCommand(attempts: readonly Attempt[]): Finding | undefined {
  const working = new Set(attempts.flatMap(({ command, worked }) => (worked ? [command] : [])));
  for (const [index, failed] of attempts.entries()) {
    if (failed.worked || working.has(failed.command)) continue;
    const words = commandWords(failed.command);
    const later = attempts
      .slice(index + 1)
      .find(({ command, worked }) => worked && [...commandWords(command)].some((word) => words.has(word)));
    if (later) return { failed, times: failuresOf(attempts, failed), worked: later.command };
  }
  return undefined;
}

/** A command failed several times before it worked. Once is usual, for example for a test that shows a fault. */
function finallyWorked(attempts: readonly Attempt[]): Finding | undefined {
  for (const failed of attempts) {
    const times = failed.worked ? 0 : failuresOf(attempts, failed);
    if (times > 1 && attempts.findLast(({ command }) => command === failed.command)?.worked)
      return { failed, times, worked: failed.command };
  }
  return undefined;
}

/** The last command failed repeatedly, or a check of the plan failed. */
function stillFails(attempts: readonly Attempt[]): Finding | undefined {
  const failed = attempts.at(-1);
  if (!failed || failed.worked) return undefined;
  const times = failuresOf(attempts, failed);
  return times > 1 || failed.how === 'check' ? { failed, times } : undefined;
}

function failuresOf(attempts: readonly Attempt[], of: Attempt): number {
  return attempts.filter(({ command, worked }) => command === of.command && !worked).length;
}

/** Options and words that connect commands say nothing about the purpose of a command. */
function commandWords(command: string): Set<string> {
  const words = command.toLowerCase().match(/[\p{L}\p{N}._/-]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !word.startsWith('-') && word !== 'run' && word !== 'cd'));
}
