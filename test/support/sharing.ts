/** Sharing with a folder of the user of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PackageFile, packageText } from '../../src/app/sharing/shared-package.ts';
import { AgentFiles } from '../../src/hosts/node/agent-files.ts';
import { Sharing } from '../../src/hosts/node/sharing/sharing.ts';
import { userFiles } from '../../src/hosts/node/user-files.ts';
import type { ScriptedTurn } from '../../src/providers/scripted/index.ts';
import { assistantOn, type Files, type Harness, type HarnessOptions } from './harness.ts';

export type SharingHarness = Harness & { sharing: Sharing; userFolder: string; signal: AbortSignal };

/** `userFolder` are the files beside the user's configuration file. */
export async function sharingOn(
  files: Files,
  userFolder: Files = {},
  options: HarnessOptions = {},
  script: readonly ScriptedTurn[] = [],
): Promise<SharingHarness> {
  const place: { agents?: AgentFiles } = {};
  const agents: HarnessOptions['agents'] = async () => ({
    userFiles: async () => (await place.agents?.userFiles()) ?? [],
    accepted: () => undefined,
    accept: () => undefined,
    review: async () => false,
  });
  const kedge = await assistantOn(files, script, { agents, userFolder: { 'x/': '', ...userFolder }, ...options });
  const folder = join(kedge.storage, 'user');
  place.agents = new AgentFiles({ directory: join(folder, 'agents'), accepted: join(kedge.storage, 'agents.json') });
  const ports = await kedge.assistant.ports();
  const own = { ...ports, userFiles: async (kind: 'prompts' | 'skills') => userFiles(kind, { KEDGE_HOME: folder }) };
  return Object.assign(kedge, { sharing: new Sharing(folder, own), userFolder: folder, signal: new AbortController().signal });
}

/** Writes a package as one file, and returns its path. */
export async function packageFile(directory: string, contents: Partial<Contents> & { files: Record<string, string> }): Promise<string> {
  const files: PackageFile[] = Object.entries(contents.files).map(([path, text]) => ({ path, text }));
  const path = join(directory, `${crypto.randomUUID()}.kedge.json`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, packageText({ name: 'style', version: '1.0.0', description: 'Checks the style', ...contents, files }));
  return path;
}

type Contents = { name: string; version: string; description: string };
