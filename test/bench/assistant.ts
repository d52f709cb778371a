import { join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { ModelRef } from '../../src/core/model/messages.ts';
import type { ModelAdapter } from '../../src/core/model/model.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { SessionStore } from '../../src/sessions/store.ts';

/** The limits of a measured run. `turns` and `calls` apply to the whole run. */
type Measured = { model: ModelRef; adapter: ModelAdapter; turns: number; calls: number; callsPerTurn?: number; delegation?: number };

/** Creates an assistant on a real folder that stores its sessions in `storage`, with the default policy. */
export function measuredAssistant(
  folder: string,
  storage: string,
  { model, adapter, turns, calls, callsPerTurn = 10, delegation = 0 }: Measured,
): Assistant {
  const fs = new NodeFileSystem([folder]);
  return new Assistant({
    fileSystem: () => fs,
    writer: () => new NodeWriter(fs),
    blobs: new DiskBlobs(join(storage, 'blobs')),
    store: new SessionStore(join(storage, 'sessions')),
    settings: {
      model: () => model,
      limits: () => ({ turns, callsPerTurn, callsPerRun: calls, minutes: 60 }),
      delegation: () => delegation,
    },
    adapter: async () => adapter,
    trusted: () => true,
    grants: { list: () => [], add: () => undefined },
  });
}
