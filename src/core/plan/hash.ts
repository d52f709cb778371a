import type { Plan } from './plan.ts';

/** SHA-256, hex, of what the plan says: of the same goal, steps and checks it is the same, whoever wrote them down and in which order of keys. */
export async function revisionHash({ id: _, revision: __, hash: ___, supersedes: ____, ...content }: Plan): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(canonical(content)));
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function withHash(plan: Plan): Promise<Plan> {
  return { ...plan, hash: await revisionHash(plan) };
}

/** As people are shown it: enough to tell two revisions apart. */
export function shortHash({ hash }: Pick<Plan, 'hash'>): string {
  return hash?.slice(0, 7) ?? '';
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => [key, canonical(entry)]));
}
