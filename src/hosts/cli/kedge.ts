/** The assistant on folders of this computer. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Assistant } from '../../app/assistant.ts';
import { DEFAULT_LIMITS } from '../../app/limits.ts';
import { isServedHere, loadAdapter } from '../../app/models.ts';
import type { Session } from '../../app/session.ts';
import type { ModelRef } from '../../core/messages.ts';
import { ModelError } from '../../core/model.ts';
import { factsOf } from '../../providers/catalog.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { SessionStore } from '../../sessions/store.ts';
import { NodeFileSystem, NodeWriter } from '../node/file-system.ts';
import { storageDirectory, workspaceStorage } from '../node/storage.ts';
import { type Options, UsageError } from './arguments.ts';
import { missingKey, providerConfig } from './environment.ts';

export type Kedge = {
  assistant: Assistant;
  /** The model of runs that are started from now on. */
  use(model: ModelRef): void;
};

/** @throws UsageError when a folder is not there. */
export function openKedge(options: Options, env = process.env): Kedge {
  for (const folder of options.folders) expectDirectory(folder);
  const fs = new NodeFileSystem(options.folders);
  const roots = fs.folders.map(({ root }) => root);
  const storage = workspaceStorage(storageDirectory(env), roots);
  const writer = new NodeWriter(fs, { journal: join(storage, 'journal') });
  void writer.recover();
  let chosen: ModelRef = { provider: 'offline', model: 'offline' };
  const assistant = new Assistant({
    fileSystem: () => fs,
    writer: () => writer,
    blobs: new DiskBlobs(join(storage, 'blobs')),
    store: new SessionStore(join(storage, 'sessions')),
    settings: {
      model: () => chosen,
      limits: (mode) => ({ ...DEFAULT_LIMITS[mode], ...(options.maxTurns && { turns: options.maxTurns }) }),
    },
    facts: factsOf,
    adapter: async (model) => {
      const config = providerConfig(model.provider, options.baseUrl, env);
      const missing = missingKey(model, config);
      if (missing) throw new ModelError('auth', missing);
      return loadAdapter(model, async () => config);
    },
    memory: async ({ provider }) =>
      isServedHere(provider, providerConfig(provider, options.baseUrl, env)) ? (await import('../node/memory.ts')).readMemory() : undefined,
    // Who starts a program in a folder and hands it a task trusts it with the folder.
    trusted: () => true,
    workspaceEdits: { granted: () => options.yes, grant: () => undefined },
  });
  return {
    assistant,
    use(model) {
      chosen = model;
    },
  };
}

function expectDirectory(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no folder ${folder}.`);
  if (!found.isDirectory()) throw new UsageError(`${folder} is a file. Give the folder to work in with --folder.`);
}

/** The session with that id or that begins so, or the last one. @throws UsageError */
export async function findSession(assistant: Assistant, wanted: string): Promise<Session> {
  const infos = await assistant.sessions();
  const found = wanted === 'last' ? infos.slice(0, 1) : infos.filter(({ id }) => id.startsWith(wanted));
  if (found.length > 1) throw new UsageError(`${found.length} sessions begin with ${wanted}. Give more of the id: see kedge sessions.`);
  const session = found[0] && (await assistant.session(found[0].id));
  if (session) return session;
  throw new UsageError(
    wanted === 'last' ? 'There is no session in this folder yet.' : `There is no session ${wanted} in this folder. See kedge sessions.`,
  );
}
