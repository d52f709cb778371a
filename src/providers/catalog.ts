/** The providers there are. Adding one is a folder and an entry here; its code is loaded when it is first used. */
import type { ProviderModule } from './types.ts';

export type CatalogEntry = {
  id: string;
  label: string;
  /** Answers without a key. */
  keyless?: boolean;
  defaultModel: string;
  load(): Promise<ProviderModule>;
};

export const CATALOG: readonly CatalogEntry[] = [
  { id: 'offline', label: 'Offline', keyless: true, defaultModel: 'offline', load: () => import('./offline/index.ts') },
  { id: 'openai', label: 'OpenAI', defaultModel: 'gpt-6.1-sol', load: () => import('./openai/index.ts') },
  { id: 'anthropic', label: 'Anthropic', defaultModel: 'claude-sonnet-5-5', load: () => import('./anthropic/index.ts') },
  { id: 'gemini', label: 'Gemini', defaultModel: 'gemini-3.8-flash', load: () => import('./gemini/index.ts') },
  { id: 'ollama', label: 'Ollama', keyless: true, defaultModel: 'qwen3', load: () => import('./ollama/index.ts') },
  { id: 'openai-chat', label: 'OpenAI-compatible', defaultModel: 'default', load: () => import('./openai-chat/index.ts') },
];

export function catalogEntry(id: string): CatalogEntry | undefined {
  return CATALOG.find((entry) => entry.id === id);
}

/** `provider/model`, or a provider alone for its default model. @throws Error that names the providers there are. */
export function parseModelRef(text: string): { provider: string; model: string } {
  const slash = text.indexOf('/');
  const provider = slash < 0 ? text : text.slice(0, slash);
  const entry = catalogEntry(provider);
  if (!entry) {
    const known = CATALOG.map(({ id, defaultModel }) => (id === defaultModel ? id : `${id}/${defaultModel}`)).join(', ');
    throw new Error(`Unknown model ${JSON.stringify(text)}. Write it as provider/model, for example: ${known}.`);
  }
  return { provider, model: (slash < 0 ? '' : text.slice(slash + 1)) || entry.defaultModel };
}
