/** Returns how many items at the beginning of two lists are the same objects. */
export function commonPrefix(a: readonly unknown[], b: readonly unknown[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}
