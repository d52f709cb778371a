import type { ProviderModule } from '../../src/providers/types.ts';

/** A wire, and the adapter that speaks it. `path` is what the adapter expects behind the host in its base URL. */
export type Wire = {
  provider: string;
  load(): Promise<ProviderModule>;
  path: string;
  file: string;
  contentType: string;
  /** An error as this wire words it. */
  error(message: string, type: string): unknown;
  /** Where the messages are in a request. */
  messages: string;
};

const SSE = { file: 'response.sse', contentType: 'text/event-stream' };

export const WIRES: Record<string, Wire> = {
  'openai-responses': {
    ...SSE,
    provider: 'openai',
    load: () => import('../../src/providers/openai/index.ts'),
    path: '/v1',
    error: (message, type) => ({ error: { message, type, param: null, code: type } }),
    messages: 'input',
  },
  'openai-chat': {
    ...SSE,
    provider: 'openai-chat',
    load: () => import('../../src/providers/openai-chat/index.ts'),
    path: '/v1',
    error: (message, type) => ({ error: { message, type } }),
    messages: 'messages',
  },
  'anthropic-messages': {
    ...SSE,
    provider: 'anthropic',
    load: () => import('../../src/providers/anthropic/index.ts'),
    path: '',
    error: (message, type) => ({ type: 'error', error: { type, message } }),
    messages: 'messages',
  },
  gemini: {
    ...SSE,
    provider: 'gemini',
    load: () => import('../../src/providers/gemini/index.ts'),
    path: '',
    error: (message, type) => ({ error: { code: 0, message, status: type } }),
    messages: 'contents',
  },
  'ollama-chat': {
    provider: 'ollama',
    load: () => import('../../src/providers/ollama/index.ts'),
    path: '',
    file: 'response.ndjson',
    contentType: 'application/x-ndjson',
    error: (message) => ({ error: message }),
    messages: 'messages',
  },
};
