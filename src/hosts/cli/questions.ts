/** The questions that a run asks its user. */
import { createInterface } from 'node:readline';
import type { ApprovalAnswer } from '../../core/events.ts';
import type { ApprovalRequest } from '../../core/session.ts';
import { diffText, oneLine, paintFor } from './terminal.ts';

export type Questions = {
  /** A person is there who can answer. */
  interactive: boolean;
  /** Edits inside the folder need no answer; deletions do. */
  yes: boolean;
};

/** `rule` is the policy's rule that made it a question. */
export async function answerTo(request: ApprovalRequest, rule: string, given: Questions, signal: AbortSignal): Promise<ApprovalAnswer> {
  if (given.yes && rule === 'edit') return { approve: true };
  if (!given.interactive) return { approve: false, by: 'nobody', words: nobodyAsked(request.reason, rule) };
  const err = process.stderr;
  const paint = paintFor(err);
  err.write(`\n${paint.bold(oneLine(request.title))}\n${diffText(request.changes, paint)}\n${oneLine(request.reason)}\n`);
  // For other rules a yes for the run would change nothing: they ask each time.
  const forRun = rule === 'edit';
  for (;;) {
    const line = await question(`Do it? y = yes${forRun ? ', r = yes to edits in this run' : ''}, n = no (n and why) > `, signal);
    const [, letter = 'n', words = ''] = /^\s*(yes|y|r|no|n)\b[\s:,]*(.*)$/i.exec(line ?? 'n') ?? [undefined, '?'];
    if (/^y/i.test(letter)) return { approve: true };
    if (/^r/i.test(letter) && forRun) return { approve: true, grant: 'run' };
    if (/^n/i.test(letter)) return { approve: false, ...(words.trim() && { words: words.trim() }) };
  }
}

function nobodyAsked(reason: string, rule: string): string {
  const how =
    rule === 'edit'
      ? ' Edits can be allowed beforehand with --yes.'
      : rule === 'deletes'
        ? ' --yes is for edits alone: somebody has to agree to a deletion.'
        : '';
  return `Nobody can be asked here (no terminal). ${reason}${how}`;
}

export async function confirmPlan(signal: AbortSignal): Promise<'run' | 'discard' | 'keep'> {
  for (;;) {
    const line = await question('Carry out this plan? y = yes, n = no, k = keep it for later > ', signal);
    if (line === undefined || /^\s*k/i.test(line)) return 'keep';
    if (/^\s*y/i.test(line)) return 'run';
    if (/^\s*n/i.test(line)) return 'discard';
  }
}

/** One line of stdin; undefined when there is no more of it, or the signal aborts. The terminal stays as it is, so that Ctrl+C is a signal. */
function question(prompt: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    const end = (line?: string) => {
      signal.removeEventListener('abort', abandon);
      lines.removeAllListeners();
      lines.close();
      process.stdin.pause();
      resolve(line);
    };
    const abandon = () => end();
    signal.addEventListener('abort', abandon, { once: true });
    lines.once('line', end).once('close', abandon);
    process.stderr.write(prompt);
  });
}
