import type { ModelInfo } from '../providers/types.ts';

export async function listModels(): Promise<ModelInfo[]> {
  return [{ id: 'offline', label: 'Offline', tools: true, vision: false }];
}
