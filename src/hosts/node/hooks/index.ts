/** Hooks on this computer. The code is loaded only if one of the files exists. */
import { basename, join } from 'node:path';
import type { HooksPort } from '../../../app/ports.ts';
import { type EnvironmentRules, withheldFrom } from '../commands/command-environment.ts';
import { ApprovedDigests } from '../mcp/definition-files.ts';
import { userFolder } from '../user-files.ts';
import { readHookFile, workspaceHooks } from './hook-files.ts';
import { runHook } from './run-hook.ts';

export type HookPlaces = {
  /** The real paths of the open folders. */
  folders: readonly string[];
  /** The directory of the data for these folders. */
  storage: string;
  environment(): EnvironmentRules;
  env?: NodeJS.ProcessEnv;
};

/** The contents that the user has refused since the program was started, by the storage of the folders. */
const refused = new Set<string>();

export function nodeHooks({ folders, storage, environment, env = process.env }: HookPlaces): HooksPort {
  const approved = new ApprovedDigests(storage, 'hooks.json');
  const own = userFolder(env);
  return {
    folders,
    user: () => readHookFile(join(own, 'hooks.json')),
    workspace: () =>
      folders.flatMap((folder) => {
        const shown = folders.length > 1 ? `${basename(folder)}/.kedge/hooks.json` : '.kedge/hooks.json';
        return readHookFile(workspaceHooks(folder), shown, folder) ?? [];
      }),
    isAccepted: (digest) => approved.has(digest),
    accept: (digest) => approved.add(digest),
    isRefused: (digest) => refused.has(`${storage}\n${digest}`),
    refuse: (digest) => void refused.add(`${storage}\n${digest}`),
    start({ command, timeoutMs, isTrusted }, input, signal) {
      const { names } = withheldFrom(env, environment());
      const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
      // In a folder that is not trusted, files could change what a program does.
      const cwd = (isTrusted && folders[0]) || own;
      return runHook({ command, timeoutMs, cwd, env: kept }, input, signal);
    },
  };
}
