import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MentionChoice } from '../../../src/core/model/mentions.ts';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import { mentionAt } from '../../../src/core/words/mention-text.ts';
import { post } from '../../host.ts';

export type Completion = {
  /** The choices that are displayed. Empty if the list is closed. */
  choices: readonly MentionChoice[];
  active: number;
  /** Call this when the text or the caret has changed. */
  update(): void;
  choose(choice: MentionChoice): void;
  /** Returns true if the key was for the list. */
  onKey(event: KeyboardEvent): boolean;
};

type Options = {
  box: RefObject<HTMLTextAreaElement | null>;
  found: { query: string; choices: readonly MentionChoice[] } | undefined;
  /** Replaces the text of the box. */
  put: (text: string) => void;
  onChoose: (ref: MentionRef) => void;
};

/** Completes the mention at the caret of a text box. The list stays open with older choices until those for the new query arrive. */
export function useCompletion({ box, found, put, onChoose }: Options): Completion {
  const [typed, setTyped] = useState<{ from: number; query: string }>();
  /** Where the mention begins whose list the user has closed. */
  const [closed, setClosed] = useState<number>();
  const [active, setActive] = useState(0);
  /** Whether Enter was pressed before the choices for the query arrived. The first of them is then chosen. */
  const [isChoosing, setChoosing] = useState(false);
  const isCurrent = typed !== undefined && found?.query === typed.query;
  const isOpen = typed !== undefined && typed.from !== closed && found !== undefined && typed.query.startsWith(found.query);
  const choices = isOpen ? found.choices : [];

  const update = () => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = box.current ?? {};
    const next = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined;
    if (!next) {
      setClosed(undefined);
      return setTyped(undefined);
    }
    if (next.from === typed?.from && next.query === typed.query) return;
    setTyped(next);
    setActive(0);
    setChoosing(false);
    if (next.from !== closed) post({ type: 'find_mentions', query: next.query });
  };

  const choose = ({ ref, insert }: MentionChoice) => {
    if (!box.current || !typed) return;
    const { value, selectionStart } = box.current;
    // The address of a page is still to be typed.
    const isComplete = ref.kind !== 'url' || ref.path !== undefined;
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
