import type { Plan } from './plan.ts';

/**
 * Returns the SHA-256 digest, in hexadecimal, of the content of a plan. It is the same for equal goals, steps and checks, regardless of
 * author and key order.
 */
export async function revisionHash({ id: _, revision: __, hash: ___, supersedes: ____, ...content }: Plan): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(canonical(content)));
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function withHash(plan: Plan): Promise<Plan> {
  return { ...plan, hash: await revisionHash(plan) };
}

/** Returns the beginning of the hash for display. It is long enough to distinguish two revisions. */
export function shortHash({ hash }: Pick<Plan, 'hash'>): string {
  return hash?.slice(0, 7) ?? '';
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => [key, canonical(entry)]));
}
