/** The format of a session's log. Events of earlier formats are converted when they are read. */

/**
 * The first line that Kedge writes into a log has a field `format` with this number. It applies from that line on, because a log that was
 * begun by an earlier version may be continued by this one. Events before any such line have format 1. Increase it when the current version
 * would misread a newer event, and convert older events in `migrated`.
 */
export const LOG_FORMAT = 2;
export const FIRST_FORMAT = 1;
/** A larger number is damage, not a format. */
const MAX_FORMAT = 999;

/** A log in a newer format is left alone: nothing of it is displayed, and nothing is added to it. */
export class NewerLogError extends Error {
  override name = 'NewerLogError';

  constructor() {
    super('This session was written by a newer version of Kedge. Update Kedge to open it.');
  }
}

/**
 * Returns the format that a line of a log names, or undefined when it names none. @throws NewerLogError when this version does not know the
 * format.
 */
export function formatNamed(line: unknown): number | undefined {
  const format = isObject(line) ? line.format : undefined;
  if (!Number.isInteger(format) || (format as number) < FIRST_FORMAT || (format as number) > MAX_FORMAT) return undefined;
  if ((format as number) > LOG_FORMAT) throw new NewerLogError();
  return format as number;
}

/**
 * Converts a line of an earlier format to the current one; its shape is checked later. What format 1 did not record stays unknown: hashes
 * of plans, ids of undos, and that staged changes were dropped. Its notes to the model are text of the message.
 */
export function migrated(line: unknown, format: number): unknown {
  return format < 2 && isObject(line) ? fromFormat1(line) : line;
}

function fromFormat1(line: Record<string, unknown>): Record<string, unknown> {
  const { type, rule, reason, answer, granted, note } = line;
  // Format 1 recorded only in the displayed sentence that a command reads a secret.
  if (type === 'approval_requested' && rule === 'guarded-path' && typeof reason === 'string' && /keys or passwords/.test(reason))
    return { ...line, secret: true };
  // In format 1 only edits could be granted, so the answer alone recorded the grant.
  if (type === 'approval_resolved' && isObject(answer) && answer.approve && answer.grant !== undefined && granted === undefined)
    return { ...line, granted: { scope: answer.grant, covers: { kind: 'edits' } } };
  // Format 1 recorded only in the displayed note that a command was stopped.
  if (type === 'tool_finished' && note === 'stopped') return { ...line, stopped: true };
  return line;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
