/** The memory in the editor: adding an entry, and opening its files. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionError } from '../../app/session/session.ts';
import { entryProblem, rememberedText, type SlashCommand } from '../../core/words/slash-commands.ts';
import { MemoryFiles } from '../node/memory.ts';

type Storage = { readonly storage: string; readonly sharedStorage: string };

export function memoryOf({ storage, sharedStorage }: Storage): MemoryFiles {
  return new MemoryFiles({ workspace: join(storage, 'workspace-memory.md'), user: join(sharedStorage, 'memory.md') });
}

/** Stores an entry. Returns a sentence for the user. @throws SessionError if the entry is empty or too long. */
export async function remember(kedge: Storage, { entry, everywhere }: Extract<SlashCommand, { name: 'remember' }>): Promise<string> {
  const problem = entryProblem(entry);
  if (problem) throw new SessionError(problem);
  await memoryOf(kedge).add(everywhere ? 'user' : 'workspace', entry);
  return rememberedText(entry, everywhere);
}

/** Lets the user choose a memory, and opens its file. */
export async function openMemory(kedge: Storage): Promise<void> {
  const items = [
    { label: 'This workspace', scope: 'workspace' as const },
    { label: 'All workspaces', scope: 'user' as const },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Open Memory',
    placeHolder: 'Select what to open. You can edit the file: each line is one entry.',
  });
  if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(memoryOf(kedge).path(chosen.scope)));
}
