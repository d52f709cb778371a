import type { Ollama } from 'ollama/browser';
import { plainError } from '../errors.ts';
import { entriesOf, sendListRequest, withoutEmpty } from '../listing.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { createClient, withDefaultUrl } from './client.ts';
import { contextLengthOf } from './convert.ts';

/** Lists installed models. Details are requested for all models in parallel; the server reads them from local files. */
export async function listModels(config: ProviderConfig, signal: AbortSignal, only?: string): Promise<ModelInfo[]> {
  const resolvedConfig = withDefaultUrl(config);
  checkConfig('Ollama', resolvedConfig);
  const server = serverOf('Ollama', resolvedConfig);
  const infos = async (either: AbortSignal) => {
    const client = createClient(resolvedConfig, server, either);
    const entries = entriesOf(server, await client.list(), 'models');
    const selectedEntries = only === undefined ? entries : entries.filter((entry) => [only, `${only}:latest`].includes(idOf(entry)));
    return await Promise.all(selectedEntries.map((entry) => infoOf(client, entry, either)));
  };
  return (await sendListRequest(server, signal, infos, plainError)).filter((info) => info !== undefined);
}

/** Resolves to undefined for models that only create embeddings. */
async function infoOf(client: Ollama, entry: Record<string, unknown>, signal: AbortSignal): Promise<ModelInfo | undefined> {
  const id = idOf(entry);
  const { digest } = withoutEmpty({ digest: entry.digest as string | undefined });
  try {
    const modelDetails = await client.show({ model: id });
    const can = (skill: string) => modelDetails.capabilities?.includes(skill);
    if (can('completion') === false) return undefined;
    return {
      id,
      ...withoutEmpty({
        contextWindow: contextLengthOf(modelDetails),
        vision: can('vision'),
        tools: can('tools'),
        reasoning: can('thinking'),
        digest,
      }),
    };
  } catch {
    // Older servers do not report details.
    signal.throwIfAborted();
    return { id, ...(digest && { digest }) };
  }
}

function idOf({ model, name }: Record<string, unknown>): string {
  return String(model ?? name);
}
