/** Computes embeddings with the endpoints of OpenAI and compatible servers, of Gemini and of Ollama. */
import { ModelError } from '../../core/model/model.ts';
import { wholeText } from '../answer.ts';
import { connection, silenceOf } from '../connection.ts';
import { modelError, plainError } from '../errors.ts';
import { checkConfig, type Server, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { type EmbeddingFacts, embeddingFacts } from './models.ts';

export type EmbeddingRequest = { texts: readonly string[]; kind: 'passage' | 'query' };
/** Resolves to one vector for each text, all of the same length. @throws ModelError */
export type Embed = (request: EmbeddingRequest, signal: AbortSignal) => Promise<Float32Array[]>;

/** `list` returns the vectors in an answer, in the order of the texts. */
type Wire = {
  url: string;
  headers: Record<string, string>;
  bodyOf(texts: readonly string[], kind: EmbeddingRequest['kind']): object;
  list(answer: Record<string, unknown>): unknown;
};

/** Providers without embedding models. */
const WITHOUT: ReadonlySet<string> = new Set(['offline', 'anthropic', 'vscode']);
/** The longest vector that is accepted. */
const MAX_DIMENSIONS = 8_192;

/** @param config with the address and the name of the provider (`completeConfig`) @throws ModelError if the provider cannot be used */
export function createEmbed(model: string, config: ProviderConfig & { provider: { id: string; label: string } }): Embed {
  const { id, label } = config.provider;
  if (WITHOUT.has(id))
    throw new ModelError('unknown_model', `${label} has no embedding models: choose another one, such as openai/text-embedding-3-small.`);
  const isLocal = config.baseUrl !== undefined;
  checkConfig(label, config);
  const server = serverOf(label, config);
  const facts = embeddingFacts(`${id}/${model}`);
  const wire = (id === 'gemini' ? gemini : id === 'ollama' ? ollama : openai)(model, config, facts);
  const send = connection(server, { silenceMs: silenceOf(config, isLocal), rulesFor: () => undefined, throwsStatus: true });

  return async ({ texts, kind }, signal) => {
    const before = (kind === 'query' ? facts.beforeQuery : facts.beforePassage) ?? '';
    const body = JSON.stringify(
      wire.bodyOf(
        texts.map((text) => before + text),
        kind,
      ),
    );
    try {
      const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'Kedge', ...wire.headers };
      const answer = await send(wire.url, { method: 'POST', headers, body: new TextEncoder().encode(body), signal });
      return vectorsIn(server, wire.list(objectIn(server, await wholeText(answer))), texts.length);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ModelError ? error : plainError(server, error);
    }
  };
}

function openai(model: string, { apiKey, baseUrl, headers }: ProviderConfig, { dimensions }: EmbeddingFacts): Wire {
  // Azure deployments specify the API version in the query.
  const { origin, pathname, search } = new URL(baseUrl || 'https://api.openai.com/v1');
  const key = apiKey?.trim();
  return {
    url: `${origin}${pathname.replace(/\/$/, '')}/embeddings${search}`,
    headers: withLowerCase({ ...(key && { authorization: `Bearer ${key}` }), ...headers }),
    bodyOf: (input) => ({ model, input, encoding_format: 'float', ...(dimensions && { dimensions }) }),
    list({ data }) {
      if (!Array.isArray(data)) return data;
      // The entries have their position in the request, and need not be in its order.
      const sorted: unknown[] = [];
      for (const [at, entry] of data.entries()) sorted[Number(entry?.index ?? at)] = entry?.embedding;
      return sorted;
    },
  };
}

function gemini(model: string, { apiKey, baseUrl, headers }: ProviderConfig, { dimensions }: EmbeddingFacts): Wire {
  const root = (baseUrl || 'https://generativelanguage.googleapis.com').replace(/\/(v1(alpha|beta)?\/?)?$/, '');
  const key = apiKey?.trim();
  return {
    url: `${root}/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
    headers: withLowerCase({ ...(key && { 'x-goog-api-key': key }), ...headers }),
    bodyOf: (texts, kind) => ({
      requests: texts.map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
        ...(dimensions && { outputDimensionality: dimensions }),
      })),
    }),
    list: ({ embeddings }) => (Array.isArray(embeddings) ? embeddings.map((each) => each?.values) : embeddings),
  };
}

function ollama(model: string, { apiKey, baseUrl, headers }: ProviderConfig): Wire {
  const root = (baseUrl || 'http://127.0.0.1:11434').replace(/\/((v1|api)\/?)?$/, '');
  const key = apiKey?.trim();
  return {
    url: `${root}/api/embed`,
    headers: withLowerCase({ ...(key && { authorization: `Bearer ${key}` }), ...headers }),
    bodyOf: (input) => ({ model, input, truncate: true }),
    list: ({ embeddings }) => embeddings,
  };
}

function withLowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function objectIn(server: Server, text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text);
    if (answer !== null && typeof answer === 'object') return answer as Record<string, unknown>;
  } catch {
    // The error of the parser would repeat the answer.
  }
  throw invalid(server, 'it is not a JSON object');
}

function vectorsIn(server: Server, list: unknown, count: number): Float32Array[] {
  if (!Array.isArray(list)) throw invalid(server, 'it has no list of embeddings');
  if (list.length !== count) throw invalid(server, `it has ${list.length} embeddings for ${count} texts`);
  const length: unknown = list[0]?.length;
  return list.map((each: unknown) => {
    if (!Array.isArray(each) || each.length === 0 || each.length > MAX_DIMENSIONS)
      throw invalid(server, 'an embedding is not a list of numbers');
    if (each.length !== length) throw invalid(server, 'its embeddings have different lengths');
    const vector = Float32Array.from(each as number[]);
    if (!vector.every(Number.isFinite)) throw invalid(server, 'an embedding is not a list of numbers');
    return vector;
  });
}

function invalid(server: Server, detail: string): ModelError {
  return modelError(server, 'bad_stream', detail, {
    happened: 'sent an answer without embeddings',
    todo: 'check that the model is an embedding model, and that the base URL is right',
  });
}
