/** What values of settings have to be. By hand, for they are looked at from the start, and zod weighs as much as all else that is loaded then. */
import type { PressureThresholds } from '../../../app/models/memory-pressure.ts';
import type { ModelFacts } from '../../../providers/types.ts';

type Check<T> = (value: unknown) => value is T;
type Shape = Readonly<Record<string, Check<unknown>>>;

export const isText: Check<string> = (value) => typeof value === 'string';
const isFlag: Check<boolean> = (value) => typeof value === 'boolean';
export const isCount: Check<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) > 0;

export const isBetween =
  (least: number, most: number): Check<number> =>
  (value): value is number =>
    Number.isFinite(value) && (value as number) >= least && (value as number) <= most;

export const isOneOf =
  <T extends string>(...words: readonly T[]): Check<T> =>
  (value): value is T =>
    words.includes(value as T);

export const isTexts: Check<Record<string, string>> = (value): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names that are in neither are nobody's business. */
const shaped =
  <T>(needed: Shape, optional: Shape = {}): Check<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.entries(needed).every(([key, check]) => check(value[key])) &&
    Object.entries(optional).every(([key, check]) => value[key] === undefined || check(value[key]));

const isPrice = isBetween(0, Number.MAX_VALUE);
const rates = { input: isPrice, output: isPrice };
const cache = { cached: isPrice, cacheWrite: isPrice };

/** What a user may say of a model. */
export const isFacts = shaped<ModelFacts>(
  {},
  {
    label: isText,
    contextWindow: isCount,
    maxOutput: isCount,
    vision: isFlag,
    tools: isFlag,
    reasoning: isFlag,
    calls: isOneOf('native', 'text', 'none'),
    prices: shaped(rates, { ...cache, long: shaped({ ...rates, above: isCount }, cache) }),
  },
);

const isPercent = isBetween(0, 100);
export const isThresholds = shaped<Partial<PressureThresholds>>({}, { moderatePercent: isPercent, criticalPercent: isPercent });
