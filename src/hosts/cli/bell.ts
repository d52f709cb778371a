/** `--bell`: rings the bell of the terminal, which signals it as the user has configured. */
import type { Session } from '../../app/session/session.ts';
import type { EventBody } from '../../core/session/events.ts';
import type { Output } from './output/terminal.ts';

const BELL = '\u0007';
/** The events at which the user has to answer or can read the result. */
const RINGS: ReadonlySet<EventBody['type']> = new Set(['approval_requested', 'question_asked', 'run_paused', 'run_finished']);

/** Writes nothing if the output is not a terminal. Returns a function that ends it. */
export function ringFor(session: Pick<Session, 'subscribe'>, output: Output): () => void {
  if (output.isTTY !== true) return () => undefined;
  return session.subscribe(({ type }) => {
    if (RINGS.has(type)) output.write(BELL);
  });
}
