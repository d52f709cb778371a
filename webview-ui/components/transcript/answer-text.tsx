import type { ComponentChildren } from 'preact';
import type { Answer } from '../../activity.ts';
import { TakesCode } from '../../markdown/code-block.tsx';
import { Markdown } from '../../markdown/markdown.tsx';

/** The answer of a run. When it is complete, its code can be inserted into files. `children` are further controls. */
export function AnswerText({ answer: { text, streaming }, children }: { answer: Answer; children: ComponentChildren }) {
  return (
    <TakesCode.Provider value={true}>
      <Markdown text={text} streaming={streaming} />
      {!streaming && children}
    </TakesCode.Provider>
  );
}
