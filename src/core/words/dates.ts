const DAY = { month: 'short', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit' } as const;

/** Formats a time for reading: "9:15 AM" today, or else "Nov 20, 9:15 AM". The year is given unless it is this year. */
export function timeText(at: number): string {
  return format(at, TIME);
}

/** Formats a time for a list, where another day needs no time: "9:15 AM" or "Nov 20". */
export function shortTime(at: number): string {
  return format(at);
}

function format(at: number, time?: typeof TIME): string {
  const [date, now] = [new Date(at), new Date()];
  if (date.toDateString() === now.toDateString()) return date.toLocaleTimeString(undefined, TIME);
  return date.toLocaleString(undefined, { ...DAY, ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' }), ...time });
}
