/** The Git worktrees in which sessions of this window can work. */
import { needsOneFolder } from '../../../app/worktrees/one-folder.ts';
import { worktreesPort } from '../../node/worktrees/port.ts';
import type { VsCodeSettings } from '../settings/settings.ts';
import type { VsCodeFileSystem } from './file-system.ts';

type Window = { readonly fs: VsCodeFileSystem; readonly storage: string; readonly settings: VsCodeSettings };

/** @throws SessionError if several folders are open, or the folder is not on this computer */
export function editorWorktrees({ fs, storage, settings }: Window): ReturnType<typeof worktreesPort> {
  const root = fs.folders.length === 1 ? fs.folders[0]?.root : undefined;
  if (root === undefined) throw needsOneFolder();
  return worktreesPort({ folder: root, storage, environment: () => settings.environment() });
}
