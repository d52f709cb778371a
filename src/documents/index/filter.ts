/** Translates path filters into patterns of SQLite. */

/** Returns the pattern for SQLite's `glob`: a path without wildcards stands for itself and everything below it. */
export function globPattern(path: string): string {
  const literal = path.replaceAll('[', '[[]');
  return /[*?]/.test(path) ? literal.replace(/\*+/g, '*') : `${literal.replace(/\/$/, '')}*`;
}
