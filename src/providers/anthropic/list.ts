import { sdkError } from '../errors.ts';
import { entriesOf, numberOf, sendListRequest, withoutEmpty } from '../listing.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { createClient } from './client.ts';

export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  checkConfig('Anthropic', config);
  const server = serverOf('Anthropic', config);
  const client = createClient(config, server);
  const answer = await sendListRequest(
    server,
    signal,
    (either) => client.get<unknown>('/v1/models?limit=1000', { signal: either }),
    sdkError,
  );
  return entriesOf(server, answer, 'data').map(toInfo);
}

type Support = { supported?: boolean } | null | undefined;

function toInfo(entry: Record<string, unknown>): ModelInfo {
  const can = (entry.capabilities ?? {}) as { image_input?: Support; thinking?: Support };
  return {
    id: String(entry.id),
    ...withoutEmpty({
      label: entry.display_name as string | undefined,
      contextWindow: numberOf(entry.max_input_tokens),
      maxOutput: numberOf(entry.max_tokens),
      vision: can.image_input?.supported,
      reasoning: can.thinking?.supported,
    }),
  };
}
