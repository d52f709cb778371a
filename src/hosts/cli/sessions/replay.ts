/** `kedge replay`: shows a session again as it looked while it ran. Nothing is sent, executed or written. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isChildRun } from '../../../core/session/children/child-ids.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { replayOf } from '../../../core/view/replay.ts';
import { harmless, paintFor } from '../output/terminal.ts';
import { TextRenderer } from '../output/text-renderer.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, onlyWord, positiveNumber } from './context.ts';
import { findSession } from './find.ts';

/** The events after which `--step` waits for Enter. */
const STEPS: ReadonlySet<AgentEvent['type']> = new Set(['message_added', 'tool_finished', 'run_paused', 'run_finished']);

export async function replay({ kedge, words, values, signal }: CommandContext): Promise<number> {
  const byStep = values.step === true && process.stdin.isTTY === true;
  // Without an interactive terminal, there are no pauses.
  const speed = positiveNumber('--speed', values.speed) ?? (process.stdout.isTTY === true ? 1 : Number.POSITIVE_INFINITY);
  const session = await findSession(kedge.assistant, onlyWord(words, 'Specify the session to replay: kedge replay SESSION.'));
  const renderer = values.json ? undefined : new TextRenderer(process.stdout, process.stderr);
  const { bold } = paintFor(process.stderr);
  for (const { event, waitMs } of replayOf(session.events, { speed: byStep ? Number.POSITIVE_INFINITY : speed })) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return EXIT.stopped;
    if (renderer && event.type === 'run_started' && !isChildRun(event.runId))
      process.stderr.write(`\n${bold(`> ${harmless(event.prompt)}`)}\n`);
    if (renderer) renderer.handle(event);
    else process.stdout.write(`${JSON.stringify(event)}\n`);
    if (byStep && STEPS.has(event.type) && !(await next(signal))) return EXIT.stopped;
  }
  return EXIT.answered;
}

async function next(signal: AbortSignal): Promise<boolean> {
  const { linesOf } = await import('../questions.ts');
  return (await linesOf(process.stdin).ask('Enter = next > ', signal)) !== undefined;
}
