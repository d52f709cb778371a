/** Normalizes file names the way file systems compare them, so that all spellings of a file are recognized. */

/**
 * Splits a path into normalized names. Windows and macOS ignore case; Windows also ignores trailing dots and spaces and
 * reads `name:stream` as `name`; some file systems fold letters such as the long s or ignore invisible characters.
 */
export function normalizedParts(path: string): string[] {
  return path.split('/').map((part) =>
    part
      .toUpperCase()
      .toLowerCase()
      .replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '')
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, ''),
  );
}

/** Other names of a workspace path; see src/workspace/aliases.ts. */
export type Aliases = {
  /** The path as each open folder names it, starting with the path itself. A rule may use any of these names. */
  names(path: string): readonly string[];
  /** The paths to check when deciding whether a file is secret or protected. If an open folder is itself such a directory, for example .ssh, they begin with its name too. */
  places(path: string): readonly string[];
};

/** Returns true if a name may be a short name that Windows generates, such as `GIT~1`, and could therefore refer to any file. */
export function isShortName(part: string): boolean {
  return /^[^.]{1,6}~\d{1,4}(\.[^.]{0,3})?$/.test(part);
}
