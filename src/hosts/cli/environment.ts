/** The model and its connection, from the command line and the environment. */
import type { ModelRef } from '../../core/messages.ts';
import { CATALOG, catalogEntry, parseModelRef } from '../../providers/catalog.ts';
import type { ProviderConfig } from '../../providers/types.ts';
import { UsageError } from './arguments.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The model that was chosen; undefined where none was. @throws UsageError */
export function chosenModel(option: string | undefined, env: Environment): ModelRef | undefined {
  const text = option ?? env.KEDGE_MODEL?.trim();
  if (!text) return undefined;
  try {
    return parseModelRef(text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function providerConfig(provider: string, baseUrlOption: string | undefined, env: Environment): ProviderConfig {
  const prefix = prefixOf(provider);
  const apiKey = env.KEDGE_API_KEY?.trim() || env[`${prefix}_API_KEY`]?.trim();
  const baseUrl = baseUrlOption || env.KEDGE_BASE_URL?.trim() || env[`${prefix}_BASE_URL`]?.trim();
  return { ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }) };
}

/** What is missing before the provider can be asked, in one sentence. A server at an address of one's own may need no key. */
export function missingKey({ provider }: ModelRef, { apiKey, baseUrl }: ProviderConfig): string | undefined {
  const entry = catalogEntry(provider);
  if (!entry || entry.keyless || apiKey || baseUrl) return undefined;
  return `There is no key for ${entry.label}. Set ${prefixOf(provider)}_API_KEY (or KEDGE_API_KEY) and try again.`;
}

export function describeModels(env: Environment): string {
  const rows = CATALOG.map(({ id, label, keyless, defaultModel }) => {
    const { apiKey, baseUrl } = providerConfig(id, undefined, env);
    const state = keyless ? 'needs no key' : apiKey ? 'key is set' : baseUrl ? 'address is set' : `set ${prefixOf(id)}_API_KEY`;
    return `${(id === defaultModel ? id : `${id}/${defaultModel}`).padEnd(32)} ${label.padEnd(24)} ${state}`;
  });
  return `${rows.join('\n')}\n\nOther models of a provider work by their name: --model provider/name.`;
}

function prefixOf(provider: string): string {
  return provider.toUpperCase().replace(/\W+/g, '_');
}
