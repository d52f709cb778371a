import { useLayoutEffect, useRef } from 'preact/hooks';
import type { MentionChoice } from '../../../src/core/model/mentions.ts';
import { count } from '../../format.ts';
import { MentionIcon } from './mention-icon.tsx';

export const LIST_ID = 'mention-list';
export const optionId = (index: number) => `mention-${index}`;

type MentionListProps = { choices: readonly MentionChoice[]; active: number; onChoose: (choice: MentionChoice) => void };

/** The list that completes a mention. The focus stays in the text, which names the active option. */
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
      <div ref={list} id={LIST_ID} class="mention-list" role="listbox" aria-label="Files and other things to mention">
        {choices.map((choice, index) => (
          <div
            key={`${choice.ref.kind} ${choice.insert} ${choice.detail}`}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => {
              // The focus must stay in the text.
              event.preventDefault();
              if (event.button === 0) onChoose(choice);
            }}
          >
            <MentionIcon kind={choice.ref.kind} />
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
