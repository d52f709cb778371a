/** The messages for the user when a log cannot be written, or was damaged. */

import { fileFailure } from '../../core/file-failure.ts';

export const IN_USE = 'This session is in use in another window or process. Close it there, or start a new session.';
export const WENT_ON = 'This session was changed in another window or process. Review the changes and try again.';

export function logFailure(error: unknown): Error {
  const reason = fileFailure(error).replace(/\.?$/, '.');
  return new Error(`The session's log cannot be written, so the run was stopped: ${reason} Correct the problem and try again.`);
}

/** Returns whether the error is one of the file system, which does not say which file it is about and what to do. */
export function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error;
}

/** Returns the error that says why a log cannot be read. An error that is no error of the file system says so itself. */
export function readFailure(error: unknown): unknown {
  if (!isFileError(error)) return error;
  return new Error(`The session's log cannot be read: ${error.message.replace(/\.?$/, '.')} Correct the problem and try again.`, {
    cause: error,
  });
}

/** @param copy the path of the copy of the log */
export function damageText(lines: number, copy: string | undefined): string {
  const what =
    lines === 1
      ? '1 line of this session’s log is damaged and was skipped.'
      : `${lines} lines of this session’s log were skipped, because they are damaged or depend on damaged lines.`;
  return `${what}${copy ? ` A copy of the complete log is in ${copy}.` : ''}`;
}
