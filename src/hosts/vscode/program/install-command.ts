/** The commands that make the terminal program of the extension available in terminals, and that remove it again. */
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { notificationText } from '../notification-text.ts';
import { deleteLauncher, isOnPath, launcherIn, ownerOf, writeLauncher } from './launcher-file.ts';

/** The folder of the launcher, so that the launcher can be deleted. */
const FOLDER_KEY = 'kedge.launcherFolder';

/** Without a folder, the user chooses one. Resolves to the path of the launcher, or to undefined if none was created. */
export async function installCommand(context: vscode.ExtensionContext, chosen?: unknown): Promise<string | undefined> {
  const folder = typeof chosen === 'string' && isAbsolute(chosen) ? chosen : await chooseFolder();
  if (folder === undefined) return undefined;
  const file = launcherIn(folder);
  if (ownerOf(file) === 'other') {
    const choose = 'Choose Another Folder…';
    const text = `${file} was not created by Kedge, so it was not replaced. Move it away, or choose another folder.`;
    const answer = chosen === undefined ? await vscode.window.showErrorMessage(notificationText(text), choose) : void showError(text);
    const other = answer === choose ? await openFolder() : undefined;
    return other === undefined ? undefined : installCommand(context, other);
  }
  try {
    writeLauncher(file, { extension: context.extensionPath, node: process.execPath, copy: launcherCopy(context) });
  } catch (error) {
    showError(`kedge could not be installed: ${(error as Error).message.replace(/\.?$/, '.')} Choose a folder that you may write to.`);
    return undefined;
  }
  await context.globalState.update(FOLDER_KEY, folder);
  void showInstalled(file);
  return file;
}

/** Resolves to the path of the deleted launcher, or to undefined if none was deleted. */
export async function uninstallCommand(context: vscode.ExtensionContext): Promise<string | undefined> {
  const file = launcherIn(context.globalState.get<string>(FOLDER_KEY) ?? defaultFolder());
  try {
    const isDeleted = deleteLauncher(file, launcherCopy(context));
    await context.globalState.update(FOLDER_KEY, undefined);
    void vscode.window.showInformationMessage(notificationText(isDeleted ? `${file} was deleted.` : `There is no ${file}.`));
    return isDeleted ? file : undefined;
  } catch (error) {
    showError((error as Error).message);
    return undefined;
  }
}

async function chooseFolder(): Promise<string | undefined> {
  const folder = defaultFolder();
  const other = { label: 'Choose a Folder…', folder: undefined };
  const picked = await vscode.window.showQuickPick(
    [{ label: folder, description: isOnPath(folder) ? 'on the PATH' : 'not on the PATH yet', folder }, other],
    { title: "Kedge: Install 'kedge' Command", placeHolder: 'The folder for the command' },
  );
  return picked === other ? openFolder() : picked?.folder;
}

async function openFolder(): Promise<string | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: 'Install Here', title: 'Kedge' })) ??
    [];
  return uri?.fsPath;
}

/** Says how to start the program, and how to put its folder on the PATH if necessary. */
async function showInstalled(file: string): Promise<void> {
  const folder = dirname(file);
  const done = `${file} was created.`;
  if (isOnPath(folder)) {
    void vscode.window.showInformationMessage(notificationText(`${done} Open a new terminal and run: kedge --help`));
    return;
  }
  const isWindows = process.platform === 'win32';
  const line = isWindows
    ? `[Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';${folder.replaceAll("'", "''")}', 'User')`
    : `export PATH="${folder.replace(/["\\$`]/g, '\\$&')}:$PATH"`;
  const where = isWindows ? 'Run this line in PowerShell once' : `Add this line to ~/${profileName()}`;
  const copy = 'Copy Line';
  const text = `${done} Its folder is not on the PATH. ${where}, and open a new terminal: ${line}`;
  if ((await vscode.window.showInformationMessage(notificationText(text), copy)) === copy) await vscode.env.clipboard.writeText(line);
}

function profileName(): string {
  if (vscode.env.shell.endsWith('zsh')) return '.zshrc';
  return vscode.env.shell.endsWith('bash') ? '.bashrc' : '.profile';
}

function defaultFolder(): string {
  if (process.platform !== 'win32') return join(homedir(), '.local', 'bin');
  return join(process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'kedge', 'bin');
}

/** The folder belongs to the extension and to this VS Code, and remains when the extension is updated. */
function launcherCopy(context: vscode.ExtensionContext): string {
  return join(context.globalStorageUri.fsPath, 'launcher.mjs');
}

function showError(text: string): void {
  void vscode.window.showErrorMessage(notificationText(text));
}
