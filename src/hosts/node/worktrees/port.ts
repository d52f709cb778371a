/** Lets sessions of one folder on this computer work in Git worktrees. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FilePorts, WorktreesPort } from '../../../app/ports.ts';
import { Commands, type CommandsOptions } from '../commands/commands.ts';
import { gitChanges } from '../commands/git-changes.ts';
import { gitSettings } from '../commands/git-settings.ts';
import { NodeFileSystem, type NodeFileSystemOptions } from '../files/file-system.ts';
import { NodeWriter } from '../files/writer.ts';
import { Worktrees } from './worktrees.ts';

/** `folder` is the open folder. `storage` is the directory for Kedge's data of this folder. */
export type WorktreesOptions = Pick<CommandsOptions, 'launch' | 'environment'> &
  NodeFileSystemOptions & {
    folder: string;
    storage: string;
    surroundings?(root: string): ReturnType<NonNullable<FilePorts['surroundings']>>;
  };

/** `dispose` ends the background commands of all worktrees. */
export function worktreesPort({
  folder,
  storage,
  launch,
  environment,
  ripgrep,
  surroundings,
}: WorktreesOptions): WorktreesPort & { dispose(): void } {
  const worktrees = new Worktrees(join(storage, 'worktrees'));
  /** The same objects are used for all runs of a worktree, so that a background command of one run can be read by the next. */
  const opened = new Map<string, { ports: FilePorts; commands: Commands }>();
  const open = (id: string, root: string) => {
    const fs = new NodeFileSystem([root], ripgrep && { ripgrep });
    const data = worktrees.storage(id);
    mkdirSync(data, { recursive: true });
    const writer = new NodeWriter(fs, { journal: join(data, 'journal') });
    const commands = new Commands({
      storage: join(data, 'commands'),
      directory: (at) => fs.directory(at),
      ...(launch && { launch }),
      ...(environment && { environment }),
    });
    const ports: FilePorts = {
      fileSystem: () => fs,
      writer: () => writer,
      commands: () => commands,
      gitSettings: (at) => gitSettings(fs.absolute(at)),
      changes: (at, isWithheld, signal, staged) => gitChanges(fs.absolute(at), isWithheld, signal, staged),
      ...(surroundings && { surroundings: () => surroundings(root) }),
    };
    return { ports, commands };
  };
  return {
    create: (session, signal) => worktrees.create(folder, session, signal),
    async open(id, session) {
      const root = await worktrees.folder(id, session);
      const entry = opened.get(id) ?? open(id, root);
      opened.set(id, entry);
      return entry.ports;
    },
    changes: (id, session, signal) => worktrees.changes(id, session, signal),
    async remove(id) {
      opened.get(id)?.commands.dispose();
      opened.delete(id);
      await worktrees.remove(id);
    },
    keep: (id) => worktrees.keep(id),
    list: () => worktrees.list(),
    dispose() {
      for (const { commands } of opened.values()) commands.dispose();
    },
  };
}
