/** The functions of expressions, and statistics of numbers. */
import { ToolError } from '../../core/run/tool.ts';

type Use = (values: readonly number[]) => number;

/** Adds with the error of each addition, so that the sum of a long column is as exact as its figures. */
export class Sum {
  #sum = 0;
  #error = 0;

  add(value: number): void {
    const next = this.#sum + value;
    this.#error += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - next + value : value - next + this.#sum;
    this.#sum = next;
  }

  get value(): number {
    return this.#sum + this.#error;
  }
}

const sum: Use = (values) => {
  const total = new Sum();
  for (const value of values) total.add(value);
  return total.value;
};
const mean: Use = (values) => sum(values) / values.length;
const median: Use = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};
/** The standard deviation of a sample. */
const stdev: Use = (values) => {
  if (values.length < 2) throw new ToolError('stdev needs at least two numbers.');
  const center = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - center) ** 2)) / (values.length - 1));
};

function one(name: string, apply: (value: number) => number): [string, Use] {
  return [
    name,
    (values) => {
      if (values.length !== 1) throw new ToolError(`${name} takes one number.`);
      return apply(values[0] as number);
    },
  ];
}

/** `round(x, digits)` rounds halves away from zero, as people do. */
const round: Use = ([value = 0, digits = 0, ...more]) => {
  if (more.length > 0 || !Number.isInteger(digits) || Math.abs(digits) > 15)
    throw new ToolError('round takes a number and the number of digits, from -15 to 15.');
  return (Math.sign(value) * Math.round(Number(`${Math.abs(value)}e${digits}`))) / 10 ** digits;
};

export const FUNCTIONS: ReadonlyMap<string, Use | number> = new Map<string, Use | number>([
  ['pi', Math.PI],
  ['sum', sum],
  ['mean', mean],
  ['median', median],
  ['stdev', stdev],
  ['count', (values) => values.length],
  ['min', (values) => values.reduce((least, value) => Math.min(least, value))],
  ['max', (values) => values.reduce((most, value) => Math.max(most, value))],
  ['round', round],
  one('abs', Math.abs),
  one('sqrt', Math.sqrt),
  one('floor', Math.floor),
  one('ceil', Math.ceil),
  one('exp', Math.exp),
  one('ln', Math.log),
  one('log10', Math.log10),
]);
