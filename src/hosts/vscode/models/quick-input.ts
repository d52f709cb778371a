/** Shows the prompts of a guided flow in VS Code's quick input, with a Back button. */
import * as vscode from 'vscode';
import { notificationText } from '../notification-text.ts';
import { type Answer, type Ask, BACK, type Choice, type Prompt, type Question } from './prompts.ts';

type Item<T> = vscode.QuickPickItem & { choice?: Choice<T> };

export const quickInput: Ask = {
  pick<T>({ title, placeholder, choices, first, later, proposed, typed }: Question<T>): Promise<Answer<T>> {
    const box = vscode.window.createQuickPick<Item<T>>();
    let offered = choices;
    const show = () => {
      const text = box.value.trim();
      const extra = typed && text && !offered.some(({ label }) => label === text) ? [typed(text)] : [];
      const active = box.activeItems[0]?.label ?? proposed;
      box.items = [...itemsOf(offered), ...itemsOf(extra).map((item) => ({ ...item, alwaysShow: true }))];
      // If the user has typed a filter, VS Code selects the best match itself.
      const selectable = box.items.filter(({ choice }) => choice);
      if (!box.value)
        box.activeItems = [selectable.find(({ label }) => label === active) ?? selectable[0]].filter((item) => item !== undefined);
    };
    Object.assign(box, { title, placeholder, ignoreFocusOut: true, matchOnDescription: true });
    if (!first) box.buttons = [vscode.QuickInputButtons.Back];
    show();
    if (typed) box.onDidChangeValue(show);
    if (later) {
      box.busy = true;
      void later
        .then((choices) => {
          offered = choices;
          show();
        })
        .finally(() => {
          box.busy = false;
        });
    }
    return waitForAnswer(box, () => box.selectedItems[0]?.choice?.value);
  },

  input<T = never>({
    title,
    prompt,
    placeholder,
    value = '',
    password = false,
    validate,
    actions = [],
  }: Prompt<T>): Promise<Answer<string | T>> {
    const box = vscode.window.createInputBox();
    const buttons = actions.map(({ label, icon }) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip: label }));
    Object.assign(box, { title, prompt, placeholder, value, password, ignoreFocusOut: true });
    box.buttons = [vscode.QuickInputButtons.Back, ...buttons];
    // The current value is selected, so that Enter keeps it and typing replaces it.
    box.valueSelection = [0, value.length];
    const problem = () => {
      box.validationMessage = validate?.(box.value);
      return box.validationMessage;
    };
    box.onDidChangeValue(problem);
    const action = new Promise<T>((resolve) => {
      box.onDidTriggerButton((button) => {
        const chosen = actions[buttons.indexOf(button as (typeof buttons)[number])];
        if (chosen) resolve(chosen.value);
      });
    });
    return waitForAnswer<string | T>(box, () => (problem() ? undefined : box.value.trim()), action);
  },

  async trouble(message, answers) {
    return vscode.window.showWarningMessage(notificationText(message), { modal: true }, ...answers);
  },

  async progress(title, work) {
    const options = { location: vscode.ProgressLocation.Notification, title: notificationText(title), cancellable: true };
    return vscode.window.withProgress(options, async (_, token) => {
      const controller = new AbortController();
      const cancelling = token.onCancellationRequested(() => controller.abort());
      try {
        return await work(controller.signal);
      } finally {
        cancelling.dispose();
      }
    });
  },
};

function itemsOf<T>(choices: readonly Choice<T>[]): Item<T>[] {
  return choices.flatMap((choice, index): Item<T>[] => {
    const { label, description, detail, group } = choice;
    const item = { label, ...(description && { description }), ...(detail && { detail }), choice };
    const begins = group !== undefined && group !== choices[index - 1]?.group;
    return begins ? [{ label: group, kind: vscode.QuickPickItemKind.Separator }, item] : [item];
  });
}

/** Resolves to the accepted value, to BACK, or to undefined if the box is closed. The box stays open while `value` returns undefined. */
function waitForAnswer<T>(
  box: vscode.QuickInput & { onDidAccept: vscode.Event<void>; onDidTriggerButton: vscode.Event<vscode.QuickInputButton> },
  value: () => T | undefined,
  other?: Promise<T>,
): Promise<Answer<T>> {
  return new Promise((resolve) => {
    const end = (answer: Answer<T>) => {
      resolve(answer);
      box.dispose();
    };
    box.onDidAccept(() => {
      const accepted = value();
      if (accepted !== undefined) end(accepted);
    });
    box.onDidTriggerButton((button) => button === vscode.QuickInputButtons.Back && end(BACK));
    box.onDidHide(() => end(undefined));
    void other?.then(end);
    box.show();
  });
}
