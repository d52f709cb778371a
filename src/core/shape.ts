/**
 * Checks that a value read from a file has the declared shape. The checks are written by hand, so that code that reads logs does not load a
 * schema library and long logs load quickly. The types ensure that the check of an object covers all its fields.
 */

export type Check<T> = (value: unknown) => value is T;
export type FieldChecks<T> = { [Name in keyof T]-?: Check<T[Name]> };

/** How many levels of nesting a value may have. Code that processes values is recursive and would overflow the stack for deeper values. */
const MAX_DEPTH = 1_000;

export const string: Check<string> = (value): value is string => typeof value === 'string';
export const boolean: Check<boolean> = (value): value is boolean => typeof value === 'boolean';
/** Rejects Infinity, which is what JSON.parse returns for a number that is too large, such as 1e999. */
export const number: Check<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

export function between(min: number, max: number): Check<number> {
  return (value): value is number => number(value) && value >= min && value <= max;
}

export function integer(min: number, max: number): Check<number> {
  return (value): value is number => Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

export function constant<const T extends string | boolean>(expected: T): Check<T> {
  return (value): value is T => value === expected;
}

/** Accepts the members of a string union. The type of `names` requires every member to be listed. */
export function oneOf<T extends string>(names: Record<T, true>): Check<T> {
  const all = new Set<unknown>(Object.keys(names));
  return (value): value is T => all.has(value);
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

export function anyOf<T extends readonly unknown[]>(...checks: { [Index in keyof T]: Check<T[Index]> }): Check<T[number]> {
  return (value): value is T[number] => checks.some((check) => check(value));
}

export function arrayOf<T>(check: Check<T>): Check<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(check);
}

export function recordOf<T>(check: Check<T>): Check<Record<string, T>> {
  return (value): value is Record<string, T> => isObject(value) && Object.values(value).every(check);
}

/** Accepts objects whose listed fields pass their checks. Other fields are not checked. */
export function object<T extends object>(fields: FieldChecks<T>): Check<T> {
  const entries = Object.entries(fields) as [string, Check<unknown>][];
  return (value): value is T => {
    if (!isObject(value)) return false;
    for (const [name, check] of entries) if (!check(value[name])) return false;
    return true;
  };
}

/** Accepts any JSON that is not nested too deeply for recursive code. */
export const json = (value: unknown): value is unknown => !isDeeperThan(value, MAX_DEPTH);

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const entry of Object.values(value)) if (isDeeperThan(entry, levels - 1)) return true;
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
