/** Shared code for the providers' model lists. */
import { ModelError } from '../core/model/model.ts';
import { modelError } from './errors.ts';
import type { Server } from './server.ts';
import type { ModelFacts } from './types.ts';

/** The time limit for a list request, in milliseconds. */
const LIST_MS = 20_000;

const NO_LIST = 'the response is not a list of models';

/** Sends a request that has a single response, with a time limit, and converts failures. @throws ModelError */
export async function sendListRequest<T>(
  server: Server,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
  explain: (server: Server, error: unknown) => ModelError,
): Promise<T> {
  const late = AbortSignal.timeout(LIST_MS);
  try {
    return await send(AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw modelError(server, 'invalid_request', NO_LIST);
    if (late.aborted) throw modelError(server, 'network', `no answer within ${LIST_MS / 1000} seconds`);
    throw error instanceof ModelError ? error : explain(server, error);
  }
}

/** Returns the entries of a list response. @throws ModelError if the response is not a list, such as a web page */
export function entriesOf(server: Server, answer: unknown, key: string): Record<string, unknown>[] {
  const entries = (answer as Record<string, unknown> | undefined)?.[key] ?? answer;
  if (!Array.isArray(entries)) throw modelError(server, 'invalid_request', NO_LIST);
  return entries.filter((entry) => entry !== null && typeof entry === 'object');
}

/** Removes facts that have no value. */
export function withoutEmpty(facts: { [name in keyof ModelFacts]: ModelFacts[name] | undefined | null }): ModelFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)) as ModelFacts;
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}
