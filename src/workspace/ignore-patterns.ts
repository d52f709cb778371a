/** Each double-star component of a pattern multiplies the time to match a path by the depth of the path. */
const MAX_GLOBSTARS = 2;

/** Returns true if matching a line of an ignore file could take very long. A hostile repository can contain such a line. */
export function isCostlyPattern(line: string): boolean {
  const globstars = line.replace(/(?:\*\*\/)+/g, '**/').match(/\*\*\//g);
  return (globstars?.length ?? 0) > MAX_GLOBSTARS;
}
