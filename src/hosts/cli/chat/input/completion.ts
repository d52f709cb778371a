/** Completes what the user is typing: mentions, slash commands, and the values of slash commands. */
import type { PromptCommand } from '../../../../app/customizations/index.ts';
import type { Mentions } from '../../../../app/mentions/index.ts';
import { mentionAt } from '../../../../core/words/mention-text.ts';

/** `items` replace the text from `from` to the caret. */
export type Completion = { from: number; items: readonly { insert: string; label: string; detail?: string }[] };

/** A command as far as its completion goes. */
export type Completed = { name: string; args?: string; text: string; values?(): readonly string[] | Promise<readonly string[]> };

/** Returns undefined if there is nothing to complete at the caret. */
export async function complete(
  text: string,
  caret: number,
  commands: readonly Completed[],
  mentions: () => Promise<Mentions>,
  prompts: () => Promise<readonly Completed[]> = async () => [],
): Promise<Completion | undefined> {
  const typed = text.slice(0, caret);
  if (/^\/(?:prompt +)?[\w-]*$/.test(typed)) {
    const all = [...commands, ...(await prompts())].filter(({ name }) => `/${name}`.startsWith(typed));
    return offered(0, all.map(commandItem));
  }
  const [, called, word = ''] = /^\/([\w-]+)\s+(\S*)$/.exec(typed) ?? [];
  const values = commands.find((command) => command.name === called)?.values;
  if (values) {
    const all = (await values()).filter((value) => value.startsWith(word));
    return offered(
      caret - word.length,
      all.map((value) => ({ insert: value, label: value })),
    );
  }
  const mention = mentionAt(text, caret);
  if (!mention) return undefined;
  let items: Completion['items'] = [];
  // Each list replaces the earlier one.
  for await (const choices of (await mentions()).find(mention.query, { open: [] }))
    items = choices.map(({ insert, label, detail }) => ({ insert, label, ...(detail && { detail }) }));
  return offered(mention.from, items);
}

/** A command for a prompt file. */
export function promptCompletion({ command, text, takes }: PromptCommand): Completed {
  return { name: command.slice(1), text, ...(takes !== undefined && { args: takes }) };
}

/** Returns the commands that begin with what is typed, if it is the beginning of a command. */
export function matchingCommands<Each extends { name: string }>(typed: string, commands: readonly Each[]): Each[] {
  const [, name] = /^\/([\w-]*)$/.exec(typed) ?? [];
  return name === undefined ? [] : commands.filter((command) => command.name.startsWith(name));
}

function commandItem({ name, args, text }: Completed) {
  return { insert: `/${name}${args ? ' ' : ''}`, label: `/${name}`, detail: text };
}

function offered(from: number, items: Completion['items']): Completion | undefined {
  return items.length > 0 ? { from, items } : undefined;
}
