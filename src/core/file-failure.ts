/**
 * Describes why one of Kedge's own files could not be written. Node and the file systems below it have different codes for the same
 * failure.
 */

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only disk',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
};

type SystemError = Partial<Record<'code' | 'syscall' | 'path', unknown>>;

export function fileFailure(error: unknown): string {
  return writeFailure(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Returns undefined for any other kind of error. */
export function writeFailure(error: unknown): string | undefined {
  const { code, syscall, path } = (error ?? {}) as SystemError;
  if (typeof code !== 'string' || typeof path !== 'string') return undefined;
  // When a folder cannot be created on a read-only disk, Node reports that it does not exist.
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'its folder cannot be created there' : REASONS[code];
  return reason && `${path} cannot be written: ${reason}.`;
}
