/** Minutes since midnight. */
export type Minutes = number;

export const hour: Minutes = 60;
export const day: Minutes = 24 * hour;

/** 465 becomes "07:45". */
export function clock(time: Minutes): string {
  const inDay = ((time % day) + day) % day;
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `${two(inDay / hour)}:${two(inDay % hour)}`;
}
