/** The format of a session's log. Events of earlier formats are converted when they are read. */

/**
 * The current format. The first line that Kedge writes into a log has a field `format` with this number. It applies to this line and the
 * lines after it, because a newer version of Kedge can continue the log of an older one. Lines before the first `format` field have format
 * 1. Increase the number when the current version would misread newer events, and convert older events in `migrated`.
 */
export const LOG_FORMAT = 2;
export const FIRST_FORMAT = 1;
/** A line with a larger format number is treated as damaged. */
const MAX_FORMAT = 999;

/** The log has a newer format. It is neither displayed nor changed, so that no data of the newer version is lost. */
export class NewerLogError extends Error {
  override name = 'NewerLogError';

  constructor() {
    super('This session was written by a newer version of Kedge. Update Kedge to open it.');
  }
}

/**
 * Returns the format that a line of a log names, or undefined if it does not name a format. @throws NewerLogError when the format is newer than
 * `LOG_FORMAT`.
 */
export function formatNamed(line: unknown): number | undefined {
  const format = isObject(line) ? line.format : undefined;
  if (!Number.isInteger(format) || (format as number) < FIRST_FORMAT || (format as number) > MAX_FORMAT) return undefined;
  if ((format as number) > LOG_FORMAT) throw new NewerLogError();
  return format as number;
}

/**
 * Converts a line of an earlier format to the current format. The shape of the line is checked afterwards. Data that format 1 did not
 * record stays unknown: hashes of plans, ids of undos, and dropped changes. Notes to the model remain part of the text of their message.
 */
export function migrated(line: unknown, format: number): unknown {
  return format < 2 && isObject(line) ? fromFormat1(line) : line;
}

function fromFormat1(line: Record<string, unknown>): Record<string, unknown> {
  const { type, rule, reason, answer, granted, note } = line;
  // In format 1, only the displayed sentence shows that a command reads a secret.
  if (type === 'approval_requested' && rule === 'guarded-path' && typeof reason === 'string' && /keys or passwords/.test(reason))
    return { ...line, secret: true };
  // In format 1 only edits could be granted, so the answer alone recorded the grant.
  if (type === 'approval_resolved' && isObject(answer) && answer.approve && answer.grant !== undefined && granted === undefined)
    return { ...line, granted: { scope: answer.grant, covers: { kind: 'edits' } } };
  // In format 1, only the displayed note shows that a command was stopped.
  if (type === 'tool_finished' && note === 'stopped') return { ...line, stopped: true };
  return line;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
