/** The format of a session's log, and how the events of earlier formats are read. */

/**
 * The first line that Kedge writes into a log has a field `format` with this number. It holds from that line on, so a log that an earlier
 * version began, and this one goes on with, says which of its events are of which format. Events before any such line are of format 1.
 * Raise it when a Kedge of today would misread an event of tomorrow, and add to `migrated` what that event is in the format of today.
 */
export const LOG_FORMAT = 2;
export const FIRST_FORMAT = 1;
/** A larger number is damage and no format. */
const MAX_FORMAT = 999;

/** A log that goes beyond what this version can read is left as it is: nothing of it is shown, and nothing is added. */
export class NewerLogError extends Error {
  override name = 'NewerLogError';

  constructor() {
    super('This session was written by a newer version of Kedge. Update Kedge to open it.');
  }
}

/** The format that a line of a log names; undefined where it names none. @throws NewerLogError for one that this version does not know. */
export function formatNamed(line: unknown): number | undefined {
  const format = isObject(line) ? line.format : undefined;
  if (!Number.isInteger(format) || (format as number) < FIRST_FORMAT || (format as number) > MAX_FORMAT) return undefined;
  if ((format as number) > LOG_FORMAT) throw new NewerLogError();
  return format as number;
}

/**
 * A line of an earlier format as it would be written today; its shape is still to be checked. What format 1 did not record stays unknown:
 * hashes of plans, ids of undos, and that staged changes were dropped. Its notes to the model are text of the message.
 */
export function migrated(line: unknown, format: number): unknown {
  return format < 2 && isObject(line) ? fromFormat1(line) : line;
}

function fromFormat1(line: Record<string, unknown>): Record<string, unknown> {
  const { type, rule, reason, answer, granted, note } = line;
  // Only the sentence for people told that a command reads a secret.
  if (type === 'approval_requested' && rule === 'guarded-path' && typeof reason === 'string' && /keys or passwords/.test(reason))
    return { ...line, secret: true };
  // Only edits could be granted, so the answer alone told it.
  if (type === 'approval_resolved' && isObject(answer) && answer.approve && answer.grant !== undefined && granted === undefined)
    return { ...line, granted: { scope: answer.grant, covers: { kind: 'edits' } } };
  // Only the word for people told that a command was stopped.
  if (type === 'tool_finished' && note === 'stopped') return { ...line, stopped: true };
  return line;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
