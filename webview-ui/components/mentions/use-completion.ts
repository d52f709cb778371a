import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MentionChoice } from '../../../src/core/model/mentions.ts';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import { mentionAt } from '../../../src/core/words/mention-text.ts';
import { post } from '../../host.ts';
import type { CommandChoice } from '../../model.ts';
import { current } from '../../store.ts';
import { commandsFor, slashAt } from '../composer/slash-commands.ts';

/** An entry of the completion list: something to mention, or a command. */
export type CompletionChoice = MentionChoice | CommandChoice;

export type Completion = {
  /** The displayed choices. It is empty if the list is closed. */
  choices: readonly CompletionChoice[];
  active: number;
  /** Call this when the text or the caret has changed. */
  update(): void;
  choose(choice: CompletionChoice): void;
  /** Handles a key. Returns true if the list used it. */
  onKey(event: KeyboardEvent): boolean;
};

type Options = {
  box: RefObject<HTMLTextAreaElement | null>;
  found: { query: string; choices: readonly MentionChoice[] } | undefined;
  /** Replaces the text of the box. */
  put: (text: string) => void;
  onChoose: (ref: MentionRef) => void;
};

/** The position of a command, which is written at the start. For mentions, it is the position of the `@`. */
const COMMAND = -1;

/** Completes the command or the mention at the caret of a text box. The list stays open with older choices until those for the new query arrive. */
export function useCompletion({ box, found, put, onChoose }: Options): Completion {
  const [typed, setTyped] = useState<{ from: number; query: string }>();
  /** The position of the mention for which the user has closed the list. */
  const [closed, setClosed] = useState<number>();
  const [active, setActive] = useState(0);
  /** Whether Enter was pressed before the choices for the query arrived. The first of them is then chosen. */
  const [isChoosing, setChoosing] = useState(false);
  const isCommand = typed?.from === COMMAND;
  const isCurrent = isCommand || (typed !== undefined && found?.query === typed.query);
  const isOpen = typed !== undefined && typed.from !== closed && found !== undefined && typed.query.startsWith(found.query);
  const commands = typed && isCommand && closed !== COMMAND ? commandsFor(typed.query, current().commands) : [];
  const choices: readonly CompletionChoice[] = isCommand ? commands : isOpen ? found.choices : [];

  const update = () => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = box.current ?? {};
    const isCaret = selectionStart === selectionEnd;
    const command = isCaret ? slashAt(value, selectionStart) : undefined;
    const next = command !== undefined ? { from: COMMAND, query: command } : isCaret ? mentionAt(value, selectionStart) : undefined;
    if (!next) {
      setClosed(undefined);
      return setTyped(undefined);
    }
    if (next.from === typed?.from && next.query === typed.query) return;
    setTyped(next);
    setActive(0);
    setChoosing(false);
    if (command === '/') post({ type: 'find_commands' });
    if (next.from !== closed && command === undefined) post({ type: 'find_mentions', query: next.query });
  };

  const choose = (choice: CompletionChoice) => {
    if (!box.current || !typed) return;
    const { value, selectionStart } = box.current;
    if ('command' in choice) {
      const written = choice.takes ? `${choice.label} ` : choice.label;
      put(written + value.slice(selectionStart).trimStart());
      box.current.setSelectionRange(written.length, written.length);
      box.current.focus();
      return update();
    }
    const { ref, insert } = choice;
    // The user has chosen only the kind of mention and still has to type the address or the title.
    const isComplete = (ref.kind !== 'url' && ref.kind !== 'session') || ref.path !== undefined;
    const after = value.slice(selectionStart);
    const written = isComplete && !/^\s/.test(after) ? `${insert} ` : insert;
    put(value.slice(0, typed.from) + written + after);
    const caret = typed.from + written.length + (isComplete && /^\s/.test(after) ? 1 : 0);
    box.current.setSelectionRange(caret, caret);
    box.current.focus();
    if (isComplete) onChoose(ref);
    update();
  };

  const first = choices[0];
  useEffect(() => {
    if (!isChoosing || !isCurrent) return;
    setChoosing(false);
    if (first) choose(first);
  }, [isChoosing, isCurrent, first]);

  const close = (from: number) => {
    setClosed(from);
    setChoosing(false);
  };

  const onKey = (event: KeyboardEvent): boolean => {
    if (typed === undefined || typed.from === closed) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chooses = (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey;
    const choice = choices[Math.min(active, choices.length - 1)];
    if (chooses && !isCurrent) setChoosing(true);
    else if (event.key === 'Escape' && (choice || !isCurrent)) close(typed.from);
    else if (!choice) return false;
    else if (step) setActive((active + step + choices.length) % choices.length);
    else if (chooses) choose(choice);
    else return false;
    event.preventDefault();
    return true;
  };

  return { choices, active: Math.min(active, Math.max(0, choices.length - 1)), update, choose, onKey };
}
