import { useLayoutEffect, useRef } from 'preact/hooks';
import { count } from '../../format.ts';
import { Icon } from '../icon.tsx';
import { MentionIcon } from './mention-icon.tsx';
import type { CompletionChoice } from './use-completion.ts';

export const LIST_ID = 'mention-list';
export const optionId = (index: number) => `mention-${index}`;

type MentionListProps = { choices: readonly CompletionChoice[]; active: number; onChoose: (choice: CompletionChoice) => void };

/** Shows the choices that complete a mention. The focus stays in the text box, whose `aria-activedescendant` is the active option. */
export function MentionList({ choices, active, onChoose }: MentionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const option = list.current?.children[active] as HTMLElement | undefined;
    if (!option || !list.current) return;
    const { offsetTop, offsetHeight } = option;
    const { scrollTop, clientHeight } = list.current;
    if (offsetTop < scrollTop) list.current.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight) list.current.scrollTop = offsetTop + offsetHeight - clientHeight;
  }, [active, choices]);
  return (
    <>
      <div
        ref={list}
        id={LIST_ID}
        class="mention-list"
        role="listbox"
        aria-label={choices.some((choice) => 'command' in choice) ? 'Commands' : 'Files and other things to mention'}
      >
        {choices.map((choice, index) => (
          <div
            key={'command' in choice ? choice.command : `${choice.ref.kind} ${choice.insert} ${choice.detail}`}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => {
              // A click must not take the focus from the text box.
              event.preventDefault();
              if (event.button === 0) onChoose(choice);
            }}
          >
            {'command' in choice ? <Icon name={choice.icon} /> : <MentionIcon kind={choice.ref.kind} />}
            <span class="name cut">{choice.label}</span>
            {choice.detail && <span class="dim cut grow">{choice.detail}</span>}
          </div>
        ))}
      </div>
      <p class="sr-only" role="status">
        {count(choices.length, 'suggestion')}
      </p>
    </>
  );
}
