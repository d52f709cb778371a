/** Why a file of Kedge's own could not be written, in words. Node and the file systems below it name the same thing in different ways. */

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

/** undefined where it is another failure. */
export function writeFailure(error: unknown): string | undefined {
  const { code, syscall, path } = (error ?? {}) as SystemError;
  if (typeof code !== 'string' || typeof path !== 'string') return undefined;
  // Of a folder that cannot be made on a read-only disk, Node says that it is not there.
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'its folder cannot be created there' : REASONS[code];
  return reason && `${path} cannot be written: ${reason}.`;
}
