/** Prompt files in the editor: sends them as slash commands, and lists them with the skills. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  type EditorValues,
  expectFits,
  type ListedCustomization,
  type PromptCommand,
  type SentPrompt,
} from '../../app/customizations/index.ts';
import type { MentioningSession } from '../../app/mentions/index.ts';
import type { Mode } from '../../core/modes.ts';
import { userFolder } from '../node/user-files.ts';
import type { Kedge } from './kedge.ts';
import { notificationText } from './notification-text.ts';

export { expectFits };

type Window = Pick<Kedge, 'assistant' | 'fs'>;

/**
 * Returns the message for a text such as `/NAME words`, or undefined if it is not the command of a prompt file. Missing values are asked
 * for. @throws SessionError if the prompt cannot be sent
 */
export async function promptFile(window: Window, session: MentioningSession, text: string, mode: Mode): Promise<SentPrompt | undefined> {
  const customizations = await window.assistant.customizations(session);
  return customizations.promptIn(text, {
    mode,
    editor: editorValues(window),
    ask: async ({ label, placeholder }, { command }) => {
      const title = notificationText(command);
      const prompt = notificationText(`The prompt needs: ${label}`);
      const value = await vscode.window.showInputBox({
        title,
        prompt,
        ignoreFocusOut: true,
        ...(placeholder && { placeHolder: placeholder }),
      });
      return value?.trim() || undefined;
    },
  });
}

export async function promptCommands({ assistant }: Window, session: MentioningSession): Promise<PromptCommand[]> {
  return (await assistant.customizations(session)).commands();
}

/** Only files of the workspace, and documents that have no file yet, are filled in. */
function editorValues({ fs }: Pick<Kedge, 'fs'>): EditorValues {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return {};
  const { document, selection } = editor;
  const at = fs.locate(document.uri);
  if (!at && !document.isUntitled) return {};
  return { ...(at && { at }), ...(!selection.isEmpty && { selection: document.getText(selection) }) };
}

type Item = vscode.QuickPickItem & { path?: string };

/** Lists the prompt files and skills of the user and the workspace, and opens the one that the user chooses. */
export async function showCustomizations({ assistant, fs, sessions }: Pick<Kedge, 'assistant' | 'fs' | 'sessions'>): Promise<void> {
  const all = await (await assistant.customizations(await sessions.current())).list();
  const section = (label: string, kind: ListedCustomization['kind'], none: string): Item[] => {
    const rows = all.filter((each) => each.kind === kind);
    const head: Item = { label, kind: vscode.QuickPickItemKind.Separator };
    return [head, ...(rows.length > 0 ? rows.map(itemFor) : [{ label: none }])];
  };
  const picked = await vscode.window.showQuickPick(
    [
      ...section('Prompt files', 'prompt', 'None. Write one as .kedge/prompts/NAME.md; it is then the command /NAME.'),
      ...section('Skills', 'skill', 'None. Write one as .kedge/skills/NAME/SKILL.md.'),
    ],
    { title: 'Kedge: Prompt Files and Skills', placeHolder: 'Choose one to open it', matchOnDescription: true, matchOnDetail: true },
  );
  if (picked?.path === undefined) return;
  const row = all.find(({ path }) => path === picked.path);
  const uri = row?.at ? fs.uri(row.at) : vscode.Uri.file(picked.path);
  await vscode.window.showTextDocument(uri);
}

function itemFor({ label, text, source, path, problem }: ListedCustomization): Item {
  return {
    label: problem && !text ? `$(warning) ${label}` : label,
    description: `${source === 'user' ? 'yours' : 'of this workspace'}: ${path}`,
    detail: [text, problem].filter(Boolean).join(' · '),
    path,
  };
}

const NO_HOOKS = `${JSON.stringify({ hooks: [] }, null, 2)}\n`;

/** Opens the user's hooks, or a new file for them. The editor completes and checks it by its schema. */
export async function openHooks(): Promise<void> {
  const uri = vscode.Uri.file(join(userFolder(), 'hooks.json'));
  if (!existsSync(uri.fsPath)) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(NO_HOOKS));
  await vscode.window.showTextDocument(uri);
}
