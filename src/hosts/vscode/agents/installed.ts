/** Lists the prompt files, skills and hooks of the user and of the workspace, and opens their files. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import type { Session } from '../../../app/session/session.ts';
import type { HookMoment } from '../../../core/session/effects.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import type { HookFile } from '../../../hooks/config.ts';
import { readHooks } from '../../../hooks/config.ts';
import type { InstalledEntry, InstalledKind } from '../../../protocol/agents-page.ts';
import { parsePath } from '../../../workspace/paths.ts';
import { findHooks } from '../../node/hooks/find-hooks.ts';
import { userFolder } from '../../node/user-files.ts';
import type { Kedge } from '../kedge.ts';

/** An entry of the page, with the file that opens. */
export type Installed = InstalledEntry & { uri: vscode.Uri };

export async function installedBeside(kedge: Kedge, session: Session): Promise<Installed[]> {
  const customizations = await (await kedge.assistant.customizations(session)).list();
  const hooks = await findHooks({
    folders: vscode.workspace.isTrusted ? kedge.fs.folders.flatMap(({ root }) => root ?? []) : [],
    storage: kedge.storage,
    environment: () => kedge.settings.environment(),
  });
  const own = hooks?.user();
  return [
    ...customizations.map(({ kind, label, text, source, path, at, problem }) => ({
      ...{ kind, id: path, name: label, description: text, source: sourceOf(source, path) },
      ...(problem && { problem }),
      uri: at ? kedge.fs.uri(at) : vscode.Uri.file(path),
    })),
    ...(own ? hooksIn(own, 'user', vscode.Uri.file(join(userFolder(), 'hooks.json'))) : []),
    ...(hooks?.workspace() ?? []).flatMap((file) => hooksIn(file, 'workspace', fileOf(kedge, file.path), !hooks?.isAccepted(file.digest))),
  ];
}

export async function openInstalled(all: readonly Installed[], kind: InstalledKind, id: string): Promise<void> {
  const entry = all.find((each) => each.kind === kind && each.id === id);
  if (entry) await vscode.window.showTextDocument(entry.uri);
}

/** Opens the file of an agent of the user or of the workspace. */
export async function openAgentFile({ fs }: Pick<Kedge, 'fs'>, { source, path = '' }: ListedAgent): Promise<void> {
  await vscode.window.showTextDocument(source === 'user' ? vscode.Uri.file(path) : fileOf({ fs }, path));
}

function fileOf({ fs }: Pick<Kedge, 'fs'>, path: string): vscode.Uri {
  return fs.uri(parsePath(path, fs.folders));
}

const WHEN: Record<HookMoment, string> = {
  before_tool: 'before a tool call',
  after_tool: 'after a tool call',
  before_prompt: 'before a prompt',
  question: 'when Kedge asks you',
  run_end: 'at the end of a run',
};

function hooksIn(file: HookFile, source: 'user' | 'workspace', uri: vscode.Uri, isNew = false): Installed[] {
  const read = readHooks(file.text, source);
  const entry = { kind: 'hook' as const, source: sourceOf(source, file.path), uri };
  if ('problem' in read) return [{ ...entry, id: file.path, name: 'hooks.json', description: '', problem: read.problem }];
  return read.hooks.map(({ name, moment, command }, index) => ({
    ...entry,
    id: `${file.path}#${index}`,
    name,
    description: `Runs ${WHEN[moment]}: ${visibleText(command)}`,
    ...(isNew && { problem: 'You are asked before it runs.' }),
  }));
}

function sourceOf(source: 'user' | 'workspace', path: string): string {
  return `${source === 'user' ? 'yours' : 'of this workspace'}, ${path}`;
}
