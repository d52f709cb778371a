/** Returns the source of a regular expression that matches exactly this text, with any flags. */
export function escapeRegex(text: string): string {
  // With the flag `u`, a dash can only be escaped by its code.
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('-', '\\x2d');
}
