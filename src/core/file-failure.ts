/**
 * Error messages for Kedge's own files, such as session logs, that cannot be written. Operating systems and file systems report the same
 * failure with different error codes.
 */

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
};

type SystemError = Partial<Record<'code' | 'syscall' | 'path', unknown>>;

export function fileFailure(error: unknown): string {
  return writeFailure(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Returns undefined for an error that is not one of the known write failures. */
export function writeFailure(error: unknown): string | undefined {
  const { code, syscall, path } = (error ?? {}) as SystemError;
  if (typeof code !== 'string' || typeof path !== 'string') return undefined;
  // On a read-only disk, Node reports ENOENT when `mkdir` cannot create a folder.
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'its folder cannot be created' : REASONS[code];
  return reason && `${path} cannot be written: ${reason}.`;
}
