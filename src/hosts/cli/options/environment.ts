/** Reads the model and its connection from the command line and the environment. */
import { isAbsolute } from 'node:path';
import { DEFAULT_MEMORY_TOKENS, MIN_CONTEXT_TOKENS } from '../../../app/limits.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { catalogEntry, missingConfig, parseModelRef } from '../../../providers/catalog.ts';
import type { ProviderConfig } from '../../../providers/types.ts';
import type { EnvironmentRules } from '../../node/commands/command-environment.ts';
import { UsageError } from './arguments.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the model that the user chose, or undefined if the user chose no model. @throws UsageError if the name of the model is invalid
 */
export function chosenModel(option: string | undefined, env: Environment): ModelRef | undefined {
  const text = option ?? env.KEDGE_MODEL?.trim();
  if (!text) return undefined;
  try {
    return parseModelRef(text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Returns the key, the address and the timeout for a provider. @throws UsageError if KEDGE_SERVER_TIMEOUT is invalid */
export function providerConfig(provider: string, baseUrlOption: string | undefined, env: Environment): ProviderConfig {
  const apiKey = keyVariablesOf(provider)
    .map((name) => env[name]?.trim())
    .find(Boolean);
  const baseUrl = baseUrlOption || env.KEDGE_BASE_URL?.trim() || env[`${prefixOf(provider)}_BASE_URL`]?.trim();
  const silenceMs = parseTimeout(env.KEDGE_SERVER_TIMEOUT?.trim());
  return { ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }), ...(silenceMs && { silenceMs }) };
}

/** Converts seconds to milliseconds. @throws UsageError if the text is not a number from 1 to 290 */
function parseTimeout(seconds: string | undefined): number | undefined {
  if (!seconds) return undefined;
  const count = Number(seconds);
  if (count >= 1 && count <= 290) return count * 1000;
  throw new UsageError('KEDGE_SERVER_TIMEOUT must be a number of seconds from 1 to 290.');
}

/** Returns the maximum size of the memory in a conversation. @throws UsageError if KEDGE_MEMORY_TOKENS is invalid */
export function memoryTokensOf(env: Environment): number {
  const text = env.KEDGE_MEMORY_TOKENS?.trim();
  if (!text) return DEFAULT_MEMORY_TOKENS;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError('KEDGE_MEMORY_TOKENS must be a number of tokens, such as 800, or 0.');
}

/** Returns the part of a model's context window that is used, in tokens. @throws UsageError if KEDGE_CONTEXT_TOKENS is invalid */
export function contextTokensOf(env: Environment): number | undefined {
  const text = env.KEDGE_CONTEXT_TOKENS?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= MIN_CONTEXT_TOKENS) return Number(text);
  throw new UsageError(`KEDGE_CONTEXT_TOKENS must be at least ${MIN_CONTEXT_TOKENS} tokens, for example 64000.`);
}

/** Returns how deep runs may delegate. @throws UsageError if KEDGE_DELEGATION is invalid */
export function delegationOf(env: Environment): number {
  const text = env.KEDGE_DELEGATION?.trim() || '0';
  if (/^[0-3]$/.test(text)) return Number(text);
  throw new UsageError('KEDGE_DELEGATION must be a number from 0 to 3.');
}

/** Returns whether models may use a browser, and which. @throws UsageError if KEDGE_BROWSER is invalid */
export function browserOf(env: Environment): { path?: string } | undefined {
  const text = env.KEDGE_BROWSER?.trim() || 'off';
  if (text === 'off') return undefined;
  if (text === 'on') return {};
  if (isAbsolute(text)) return { path: text };
  throw new UsageError('KEDGE_BROWSER must be on, off, or the absolute path of Chrome, Chromium or Edge.');
}

/** Returns whether Kedge may propose what to remember after a run. @throws UsageError if KEDGE_LESSONS is invalid */
export function lessonsOf(env: Environment): boolean {
  const text = env.KEDGE_LESSONS?.trim() || 'true';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError('KEDGE_LESSONS must be true or false.');
}

/** Returns the variables that may contain a provider's key. The first variable that is set is used. */
export function keyVariablesOf(provider: string): string[] {
  return ['KEDGE_API_KEY', `${prefixOf(provider)}_API_KEY`, ...(catalogEntry(provider)?.keyVariables ?? [])];
}

/** Returns a message if the provider still needs a key or an address. A server at the user's own address may not need a key. */
export function missingKey({ provider }: ModelRef, config: ProviderConfig): string | undefined {
  const entry = catalogEntry(provider);
  const missing = entry && missingConfig(entry, config);
  if (!missing) return undefined;
  const todo = missing === 'key' ? `${howToGiveKey(provider)},` : `Set ${prefixOf(provider)}_BASE_URL (or --base-url)`;
  return `There is no ${missing} for ${entry.label}. ${todo} and try again.`;
}

/** Returns, for example, `Set OPENAI_API_KEY (or KEDGE_API_KEY), or run kedge keys set openai`. */
export function howToGiveKey(provider: string): string {
  const variable = catalogEntry(provider)?.keyVariables?.[0] ?? `${prefixOf(provider)}_API_KEY`;
  return `Set ${variable} (or KEDGE_API_KEY), or run kedge keys set ${provider}`;
}

/** Parses the names of environment variables that are passed to commands or withheld from them. Commas or spaces separate the names. */
export function environmentRules(env: Environment): EnvironmentRules {
  const names = (text = '') => text.split(/[\s,]+/).filter((name) => name !== '');
  return { pass: names(env.KEDGE_PASS_ENV), withhold: names(env.KEDGE_WITHHOLD_ENV) };
}

/** Returns the beginning of the names of a provider's variables, such as `OPENAI`. */
export function prefixOf(provider: string): string {
  return provider.toUpperCase().replace(/\W+/g, '_');
}
