/** All providers. To add a provider, create a folder and an entry in `CATALOG`. Its code is loaded on first use. */
import { FACTS } from './catalog-data.ts';
import type { ModelFacts, ProviderConfig, ProviderModule } from './types.ts';

export type CatalogEntry = {
  id: string;
  label: string;
  /** Whether the provider can be used without a key. */
  keyless?: boolean;
  /** The address of the service, or of a server on this computer. */
  baseUrl?: string;
  /** Whether the user must enter an address because there is no default address. */
  needsUrl?: boolean;
  /** Whether the server normally runs on the user's own computer. */
  local?: boolean;
  /** Environment variables that usually contain the key. They are read only after the user has agreed. */
  keyVariables?: readonly string[];
  defaultModel: string;
  load(): Promise<ProviderModule>;
};

const chat = () => import('./openai-chat/index.ts');

export const CATALOG: readonly CatalogEntry[] = [
  { id: 'offline', label: 'Offline', keyless: true, defaultModel: 'offline', load: () => import('../offline/index.ts') },
  {
    id: 'openai',
    label: 'OpenAI',
    keyVariables: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-6.1-sol',
    load: () => import('./openai/index.ts'),
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    defaultModel: 'claude-sonnet-5-5',
    load: () => import('./anthropic/index.ts'),
  },
  {
    id: 'gemini',
    label: 'Gemini',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-3.8-flash',
    load: () => import('./gemini/index.ts'),
  },
  {
    id: 'ollama',
    label: 'Ollama',
    keyless: true,
    local: true,
    baseUrl: 'http://127.0.0.1:11434',
    keyVariables: ['OLLAMA_API_KEY'],
    defaultModel: 'qwen3',
    load: () => import('./ollama/index.ts'),
  },
  preset('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', 'qwen/qwen3-coder'),
  preset('groq', 'Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', 'openai/gpt-oss-120b'),
  preset('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', 'deepseek-chat'),
  preset('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY', 'devstral-medium-latest'),
  preset('xai', 'xAI', 'https://api.x.ai/v1', 'XAI_API_KEY', 'grok-code-fast-1'),
  {
    id: 'azure',
    label: 'Azure OpenAI',
    needsUrl: true,
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    defaultModel: 'deployment',
    load: chat,
  },
  server('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1'),
  server('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'),
  server('llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1'),
  { id: 'openai-chat', label: 'OpenAI-compatible', needsUrl: true, keyless: true, defaultModel: 'default', load: chat },
];

/** Creates the entry of a service with a Chat Completions API. */
function preset(id: string, label: string, baseUrl: string, keyVariable: string, defaultModel: string): CatalogEntry {
  return { id, label, baseUrl, keyVariables: [keyVariable], defaultModel, load: chat };
}

/** Creates the entry of a server with a Chat Completions API on the user's computer. */
function server(id: string, label: string, baseUrl: string): CatalogEntry {
  return { id, label, baseUrl, keyless: true, local: true, defaultModel: 'default', load: chat };
}

/** The provider id of models offered by the editor, named `vscode/<vendor>/<id>`. The editor host implements their adapter. */
export const EDITOR = 'vscode';

export function catalogEntry(id: string): CatalogEntry | undefined {
  return CATALOG.find((entry) => entry.id === id);
}

/** Loads the support for tool calls in a model's text, for models without native tool calls. */
export const loadTextTools = () => import('../text-tools/index.ts');

/** Parses `provider/model`, or a provider alone for its default model. @throws Error that lists the available providers */
export function parseModelRef(text: string): { provider: string; model: string } {
  const slash = text.indexOf('/');
  const provider = slash < 0 ? text : text.slice(0, slash);
  if (provider === EDITOR && slash > 0) return { provider, model: text.slice(slash + 1) };
  const entry = catalogEntry(provider);
  if (!entry) {
    const examples = CATALOG.map(({ id, defaultModel }) => (id === defaultModel ? id : `${id}/${defaultModel}`)).join(', ');
    throw new Error(`Unknown model ${JSON.stringify(text)}. Write it as provider/model, for example: ${examples}.`);
  }
  return { provider, model: (slash < 0 ? '' : text.slice(slash + 1)) || entry.defaultModel };
}

/** Formats a model as `provider/model`, which `parseModelRef` parses. */
export function modelText({ provider, model }: { provider: string; model: string }): string {
  return provider === model ? provider : `${provider}/${model}`;
}

/** Combines facts about a model. The service takes precedence over the catalog, and the user's settings over both. */
export function factsOf(ref: { provider: string; model: string }, live?: ModelFacts, users?: ModelFacts): ModelFacts {
  return { ...FACTS[`${ref.provider}/${ref.model}`], ...live, ...users };
}

/** Returns the provider's models that the catalog lists. */
export function catalogModels(provider: string): string[] {
  return Object.keys(FACTS)
    .filter((key) => key.startsWith(`${provider}/`))
    .map((key) => key.slice(provider.length + 1));
}

/** Returns what must be configured before the provider can be used. A server at a custom address may not need a key. */
export function missingConfig(entry: CatalogEntry, { apiKey, baseUrl }: ProviderConfig): 'key' | 'address' | undefined {
  if (entry.needsUrl && !baseUrl) return 'address';
  return entry.keyless || apiKey || baseUrl ? undefined : 'key';
}

/** Adds the catalog's default address, and the provider's name for adapters that serve several providers. */
export function completeConfig({ id, label, baseUrl }: CatalogEntry, config: ProviderConfig): ProviderConfig {
  return { ...(baseUrl && { baseUrl }), ...config, provider: { id, label } };
}
