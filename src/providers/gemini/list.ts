import type { Model } from '@google/genai/web';
import { sdkError } from '../errors.ts';
import { sendListRequest, withoutEmpty } from '../listing.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { createClient } from './client.ts';

export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  checkConfig('Gemini', config);
  const server = serverOf('Gemini', config);
  const client = createClient(config, server);
  const list = async (abortSignal: AbortSignal) => {
    const models: Model[] = [];
    for await (const model of await client.models.list({ config: { abortSignal, pageSize: 1000, queryBase: true } })) models.push(model);
    return models;
  };
  return (await sendListRequest(server, signal, list, sdkError)).filter(writesText).map(toInfo);
}

/** Returns true if the model generates text. The service also lists models for images, speech and embeddings. */
function writesText({ name = '', supportedActions }: Model): boolean {
  return (supportedActions?.includes('generateContent') ?? true) && !/embedding|image|tts|audio|live|veo|aqa/.test(name);
}

function toInfo(model: Model): ModelInfo {
  const { name = '', displayName: label, inputTokenLimit: contextWindow, outputTokenLimit: maxOutput } = model;
  // The SDK's type omits this field, but the service sends it.
  const { thinking: reasoning } = model as { thinking?: boolean };
  return { id: name.replace(/^models\//, ''), ...withoutEmpty({ label, contextWindow, maxOutput, reasoning }) };
}
