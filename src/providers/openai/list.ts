import { silenceOf } from '../connection.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, ProviderConfig } from '../types.ts';
import { Client, modelEntries } from './client.ts';

/** Matches models that Kedge cannot use, such as models for images, speech, transcription and embeddings. */
const OTHER = /embedding|whisper|tts|audio|realtime|transcribe|dall-e|image|sora|moderation|davinci|babbage/;

export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  checkConfig('OpenAI', config);
  const server = serverOf('OpenAI', config);
  const entries = await modelEntries(new Client(config, server, silenceOf(config, false)), server, signal);
  return entries.map(({ id }) => ({ id: String(id) })).filter(({ id }) => !OTHER.test(id));
}
