/**
 * Validates the values of settings. It does not use zod, because settings are read at activation and zod would double the code that is
 * loaded at activation.
 */
import type { PressureThresholds } from '../../../app/models/memory-pressure.ts';
import type { ModelFacts } from '../../../providers/types.ts';

type Check<T> = (value: unknown) => value is T;
type Shape = Readonly<Record<string, Check<unknown>>>;

export const isText: Check<string> = (value) => typeof value === 'string';
const isFlag: Check<boolean> = (value) => typeof value === 'boolean';
export const isCount: Check<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) > 0;

export const isBetween =
  (min: number, max: number): Check<number> =>
  (value): value is number =>
    Number.isFinite(value) && (value as number) >= min && (value as number) <= max;

export const isOneOf =
  <T extends string>(...options: readonly T[]): Check<T> =>
  (value): value is T =>
    options.includes(value as T);

export const isTexts: Check<Record<string, string>> = (value): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks the required and optional properties of an object. Other properties are ignored. */
const hasShape =
  <T>(required: Shape, optional: Shape = {}): Check<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.entries(required).every(([key, check]) => check(value[key])) &&
    Object.entries(optional).every(([key, check]) => value[key] === undefined || check(value[key]));

const isPrice = isBetween(0, Number.MAX_VALUE);
const rates = { input: isPrice, output: isPrice };
const cache = { cached: isPrice, cacheWrite: isPrice };

/** Returns true if a value contains only facts about a model that a user can set. */
export const isFacts = hasShape<ModelFacts>(
  {},
  {
    label: isText,
    contextWindow: isCount,
    maxOutput: isCount,
    vision: isFlag,
    tools: isFlag,
    reasoning: isFlag,
    calls: isOneOf('native', 'text', 'none'),
    prices: hasShape(rates, { ...cache, long: hasShape({ ...rates, above: isCount }, cache) }),
  },
);

const isPercent = isBetween(0, 100);
export const isThresholds = hasShape<Partial<PressureThresholds>>({}, { moderatePercent: isPercent, criticalPercent: isPercent });
