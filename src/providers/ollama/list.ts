import type { Ollama } from 'ollama/browser';
import { plainError } from '../errors.ts';
import { ask, entriesOf, known } from '../listing.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { createClient, withBaseUrl } from './client.ts';
import { contextLengthOf } from './convert.ts';

/** What is installed. Each model is asked about on its own, all at once, since the answers come from a file beside it. */
export async function listModels(config: ProviderConfig, signal: AbortSignal, only?: string): Promise<ModelInfo[]> {
  const resolved = withBaseUrl(config);
  checkConfig('Ollama', resolved);
  const server = serverOf('Ollama', resolved);
  const infos = async (either: AbortSignal) => {
    const client = createClient(resolved, server, either);
    const entries = entriesOf(server, await client.list(), 'models');
    const wanted = only === undefined ? entries : entries.filter((entry) => [only, `${only}:latest`].includes(idOf(entry)));
    return await Promise.all(wanted.map((entry) => infoOf(client, entry, either)));
  };
  return (await ask(server, signal, infos, plainError)).filter((info) => info !== undefined);
}

/** Undefined for a model that makes vectors only. */
async function infoOf(client: Ollama, entry: Record<string, unknown>, signal: AbortSignal): Promise<ModelInfo | undefined> {
  const id = idOf(entry);
  const { digest } = known({ digest: entry.digest as string | undefined });
  try {
    const shown = await client.show({ model: id });
    const can = (skill: string) => shown.capabilities?.includes(skill);
    if (can('completion') === false) return undefined;
    return {
      id,
      ...known({ contextWindow: contextLengthOf(shown), vision: can('vision'), tools: can('tools'), reasoning: can('thinking'), digest }),
    };
  } catch {
    // An older server says nothing about its models.
    signal.throwIfAborted();
    return { id, ...(digest && { digest }) };
  }
}

function idOf({ model, name }: Record<string, unknown>): string {
  return String(model ?? name);
}
