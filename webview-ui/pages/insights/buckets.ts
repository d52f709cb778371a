/** Combines the days of a period into weeks or months if there are too many days for one bar each. */
import { dayOf } from '../../../src/core/insights/fold.ts';
import type { Insights } from '../../../src/core/insights/insights.ts';
import { type Numbers, sumOf } from '../../../src/core/insights/numbers.ts';

/** `label` is the first day of the bucket, or its month, with the year unless it is that of the last day. `short` is for the axis, without the year of days. */
export type Bucket = { label: string; short: string; numbers: Numbers };
/** How long a bucket is. */
export type Step = 'day' | 'week' | 'month';

const MAX_BARS = 92;

/**
 * Returns the buckets. Days without numbers are included. They start at the beginning of the period or, if it has none, at the first day
 * with a number.
 */
export function bucketsOf({ from, to, days }: Pick<Insights, 'from' | 'to' | 'days'>): { step: Step; buckets: Bucket[] } {
  const all = daysBetween(from ?? days[0]?.day ?? to, to);
  const step = all.length <= MAX_BARS ? 'day' : all.length <= 7 * MAX_BARS ? 'week' : 'month';
  const known = new Map(days.map(({ day, numbers }) => [day, numbers]));
  const groups = new Map<string, { label: string; numbers: Numbers[] }>();
  for (const [index, day] of all.entries()) {
    const key = step === 'day' ? day : step === 'month' ? day.slice(0, 7) : String(Math.floor(index / 7));
    const group = groups.get(key) ?? { label: step === 'month' ? key : day, numbers: [] };
    groups.set(key, group);
    const numbers = known.get(day);
    if (numbers) group.numbers.push(numbers);
  }
  const buckets = [...groups.values()].map(({ label, numbers }) => ({
    label: dayText(label, label.slice(0, 4) !== to.slice(0, 4)),
    short: dayText(label, false),
    numbers: sumOf(numbers),
  }));
  return { step, buckets };
}

function dayText(label: string, hasYear: boolean): string {
  const [year = 0, month = 1, date] = label.split('-').map(Number);
  const at = new Date(year, month - 1, date ?? 1, 12);
  return at.toLocaleDateString(undefined, {
    month: 'short',
    ...(date !== undefined && { day: 'numeric' }),
    ...((hasYear || date === undefined) && { year: 'numeric' }),
  });
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  const [year = 0, month = 1, date = 1] = from.split('-').map(Number);
  // Dates are computed at noon, because not every day has a midnight.
  for (let offset = 0; ; offset++) {
    const day = dayOf(new Date(year, month - 1, date + offset, 12).getTime());
    if (day > to || offset > 40_000) return days;
    days.push(day);
  }
}
