/** Prints the end of a run and returns the exit code. It is loaded when a run has ended. */
import { resolve } from 'node:path';
import type { Session } from '../../app/session/session.ts';
import { brokeOff } from '../../core/session/reduce.ts';
import { EXIT } from './exit-codes.ts';
import { bareAddress } from './options/addresses.ts';
import type { Options } from './options/arguments.ts';
import { howToGiveKey } from './options/environment.ts';

export function exitCode(session: Session, options: Options, isOutputRead: boolean): number {
  const run = session.state.lastRun;
  if (run?.status === 'paused') {
    process.stderr.write(`To continue: ${continueCommand(session, options)}\n`);
    return EXIT.paused;
  }
  if (run?.outcome === 'stopped') {
    // If the output is no longer read, a hint would not be seen.
    if (!isOutputRead) return EXIT.stopped;
    if (!printPlanRemainder(session, options))
      process.stderr.write(`To continue with a new request: ${continueCommand(session, options)} "…"\n`);
    return EXIT.stopped;
  }
  if (run?.outcome === 'failed') {
    const end = session.events.ofType('run_finished', run.runId).at(-1);
    if (end?.error?.kind === 'auth') process.stderr.write(`To set a new key: ${lower(howToGiveKey(run.model.provider))}.\n`);
    // After a failed check of a plan, `printPlanRemainder` says how to continue the plan.
    if (end?.error?.kind !== 'check')
      process.stderr.write(
        `${brokeOff(session.state) ? 'The first part of the answer was kept. To continue' : 'To try again'}: ${continueCommand(session, options)}\n`,
      );
  }
  const resolved = run ? session.events.ofType('approval_resolved', run.runId) : [];
  const unanswered = resolved.filter(({ answer }) => !answer.approve && answer.by === 'nobody');
  if (unanswered.length > 0) {
    const ids = new Set(unanswered.map(({ approvalId }) => approvalId));
    const requested = session.events.ofType('approval_requested', run?.runId);
    const isEdit = requested.some(({ approvalId, rule }) => ids.has(approvalId) && rule === 'edit');
    const calls = ids.size === 1 ? '1 tool call was' : `${ids.size} tool calls were`;
    process.stderr.write(
      `kedge: ${calls} not approved because no terminal is connected.${isEdit ? ' To allow edits without asking, use --yes.' : ''}\n`,
    );
    return EXIT.failed;
  }
  printPlanRemainder(session, options);
  return run?.outcome === 'answered' ? EXIT.answered : EXIT.failed;
}

/** Prints how many steps of the last run's plan are left, and how to continue the plan. Returns false if no steps are left. */
function printPlanRemainder(session: Session, options: Options): boolean {
  const unfinished = session.plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === session.state.lastRun?.runId);
  if (!unfinished) return false;
  const total = unfinished.plan.steps.length;
  const open = total - unfinished.done;
  const steps =
    open === 0 ? 'A check at the end of the plan failed' : `${open} of ${total} plan steps ${open === 1 ? 'is' : 'are'} not finished`;
  process.stderr.write(`${steps}. To continue the plan: ${continueCommand(session, options)}\n`);
  return true;
}

export function continueCommand(session: Session, { folders, baseUrl }: Options): string {
  const elsewhere = folders.length > 1 || resolve(folders[0] ?? '.') !== process.cwd();
  const named = elsewhere ? folders.map((folder) => ` --folder ${shellWord(folder)}`) : [];
  const address = baseUrl ? ` --base-url ${shellWord(bareAddress(baseUrl))}` : '';
  return `kedge --continue ${session.id}${address}${named.join('')}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Quotes a word for a shell if it needs to be. */
export function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text);
}
