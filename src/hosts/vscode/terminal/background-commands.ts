/** The list of commands that runs started in the background. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import type { BackgroundCommand } from './terminal.ts';

const STOP: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('debug-stop'), tooltip: 'Stop' };

type Item = vscode.QuickPickItem & { command: BackgroundCommand };

/** Lists the commands. Choosing one shows its output, and a button stops it. @throws SessionError if there are none */
export function showBackgroundCommands(commands: readonly BackgroundCommand[]): void {
  if (commands.length === 0) throw new SessionError('No commands are running in the background.');
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = 'Kedge: Background Commands';
  picker.placeholder = 'Choose a command to see its output';
  const list = () => {
    picker.items = commands.map((command) => ({
      label: `$(${command.ended ? 'circle-slash' : 'sync'}) ${visibleLine(command.text)}`,
      description: command.ended ?? 'running',
      buttons: command.ended ? [] : [STOP],
      command,
    }));
  };
  list();
  picker.onDidTriggerItemButton(({ item }) => {
    item.command.stop();
    picker.hide();
  });
  picker.onDidAccept(() => {
    picker.selectedItems[0]?.command.show();
    picker.hide();
  });
  picker.onDidHide(() => picker.dispose());
  picker.show();
}
