/** The memory in the editor: adding an entry, and opening its files. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionError } from '../../app/session/session-error.ts';
import { entryProblem, rememberedText, type SlashCommand } from '../../core/words/slash-commands.ts';
import type { MemoryScope } from '../../tools/remember.ts';
import { MemoryFiles } from '../node/memory.ts';
import type { Storage } from './storage.ts';

export function memoryOf({ storage, sharedStorage }: Readonly<Storage>): MemoryFiles {
  const name = storage === sharedStorage ? 'workspace-memory.md' : 'memory.md';
  return new MemoryFiles({
    workspace: join(storage, name),
    user: join(sharedStorage, 'memory.md'),
    lessons: join(storage, 'lessons.md'),
  });
}

/** Stores an entry. Returns a sentence for the user. @throws SessionError if the entry is empty or too long. */
export async function remember(
  kedge: Readonly<Storage>,
  { entry, everywhere }: Extract<SlashCommand, { name: 'remember' }>,
): Promise<string> {
  const problem = entryProblem(entry);
  if (problem) throw new SessionError(problem);
  await memoryOf(kedge).add(everywhere ? 'user' : 'workspace', entry);
  return rememberedText(entry, everywhere);
}

/** Lets the user choose a memory, and opens its file. */
export async function openMemory(kedge: Readonly<Storage>): Promise<void> {
  const items = [
    { label: 'This workspace', scope: 'workspace' as const },
    { label: 'All workspaces', scope: 'user' as const },
    { label: 'Similar tasks in this workspace', scope: 'lessons' as const },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Open Memory',
    placeHolder: 'Select what to open. You can edit the file: each line is one entry.',
  });
  if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(memoryOf(kedge).path(chosen.scope)));
}

/** Opens the file of a memory at a line, counted from 1. */
export async function openMemoryAt(kedge: Readonly<Storage>, scope: MemoryScope, line = 1): Promise<void> {
  const at = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(memoryOf(kedge).path(scope)), { selection: new vscode.Range(at, at) });
}
