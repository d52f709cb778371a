/** Names as file systems take them: what two spellings of one file have in common. */

/**
 * The parts of a path, folded. Two of three platforms compare without case; Windows drops trailing dots and blanks and reads
 * `name:stream` as `name`; others fold letters such as the long s, or skip letters that nobody sees.
 */
export function foldedParts(path: string): string[] {
  return path.split('/').map((part) =>
    part
      .toUpperCase()
      .toLowerCase()
      .replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '')
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, ''),
  );
}

/** What else a path of the workspace is called; see src/workspace/aliases.ts. */
export type Aliases = {
  /** As each open folder has it, itself first: a rule may name it by any of them. */
  names(path: string): readonly string[];
  /** With the names of directories above its folder: by these it is secret or protected, or not. */
  places(path: string): readonly string[];
};

/** `GIT~1`: a short name that Windows makes of a longer one, so it may stand for any. */
export function isShortName(part: string): boolean {
  return /^[^.]{1,6}~\d{1,4}(\.[^.]{0,3})?$/.test(part);
}
