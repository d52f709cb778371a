import type { Ollama } from 'ollama/browser';
import { checkConfig, plainError, serverOf } from '../http.ts';
import { ask, entriesOf, known } from '../listing.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { createClient, settle } from './client.ts';
import { contextLengthOf } from './convert.ts';

/** What is installed. Each model is asked about on its own, all at once, since the answers come from a file beside it. */
export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  const settled = settle(config);
  checkConfig('Ollama', settled);
  const server = serverOf('Ollama', settled);
  const infos = async (either: AbortSignal) => {
    const client = createClient(settled, server, either);
    const names = entriesOf(server, await client.list(), 'models').map(({ model, name }) => String(model ?? name));
    return await Promise.all(names.map((id) => infoOf(client, id, either)));
  };
  return (await ask(server, signal, infos, plainError)).filter((info) => info !== undefined);
}

/** Undefined for a model that makes vectors only. */
async function infoOf(client: Ollama, id: string, signal: AbortSignal): Promise<ModelInfo | undefined> {
  try {
    const shown = await client.show({ model: id });
    const can = (skill: string) => shown.capabilities?.includes(skill);
    if (can('completion') === false) return undefined;
    return {
      id,
      ...known({ contextWindow: contextLengthOf(shown), vision: can('vision'), tools: can('tools'), reasoning: can('thinking') }),
    };
  } catch {
    // An older server says nothing about its models.
    signal.throwIfAborted();
    return { id };
  }
}
