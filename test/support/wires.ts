import type { ProviderModule } from '../../src/providers/types.ts';

/** A wire format and its adapter. `path` follows the host in the base URL that the adapter expects. */
export type Wire = {
  provider: string;
  load(): Promise<ProviderModule>;
  path: string;
  file: string;
  contentType: string;
  /** An error in the format of this wire. */
  error(message: string, type: string): unknown;
  /** The field of a request that contains the messages. */
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
