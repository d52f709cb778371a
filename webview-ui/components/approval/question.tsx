import { useRef, useState } from 'preact/hooks';
import type { QuestionAnswer } from '../../../src/core/session/events.ts';
import type { AskedQuestion } from '../../../src/core/session/session-state.ts';
import { questionRows } from '../../../src/core/view/approval-details.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { memo } from '../../memo-component.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useSent } from '../use-sent.ts';
import { CodeText } from './code-text.tsx';
import { DetailRows } from './detail-rows.tsx';

/** A question to which the run is waiting for an answer, without a time limit. */
export const Question = memo(({ asked }: { asked: AskedQuestion }) => {
  const { questionId, question } = asked;
  const [isSent, markSent] = useSent();
  const [words, setWords] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const card = useRef<HTMLElement>(null);
  const { options } = question;
  const [title, ...more] = question.text.split('\n');
  const detail = more.join('\n').trim();
  const takesWords = question.freeText || options.length === 0;

  const sendAnswer = (answer: QuestionAnswer) => {
    if (isSent) return;
    markSent();
    post({ type: 'answer_question', questionId, answer });
  };
  const sendWords = () => {
    if (words.trim()) sendAnswer({ words: words.trim() });
    else field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.target === field.current) {
      // The first Escape leaves the text field. Only a second Escape stops the run.
      if (event.key === 'Escape' && words) {
        event.preventDefault();
        card.current?.focus();
      }
      if (event.key !== 'Enter' || event.shiftKey) return;
      event.preventDefault();
      sendWords();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey) {
      const option = options[Number(event.key) - 1];
      if (option) sendAnswer({ option: option.label });
    }
  };
  return (
    <section
      ref={card}
      class="card waiting"
      aria-label={`Question: ${question.text}`}
      tabIndex={-1}
      data-waiting={questionId}
      onKeyDown={onKeyDown}
    >
      <div class="card-head">
        <Icon name="question" tone="warn" />
        <h3>{visibleText(title ?? '')}</h3>
      </div>
      {detail && <Markdown text={visibleText(detail)} />}
      <DetailRows rows={questionRows(question)} />
      {question.reason && (
        <p class="dim">
          <CodeText text={visibleText(question.reason)} />
        </p>
      )}
      {options.length > 0 && (
        <ol class="options">
          {options.map(({ label, detail }, index) => (
            <li key={label}>
              <button type="button" class="option" disabled={isSent} onClick={() => sendAnswer({ option: label })}>
                {index < 9 && (
                  <span class="key" aria-hidden="true" title={`Press ${index + 1}`}>
                    {index + 1}
                  </span>
                )}
                <span>
                  {label}
                  {detail && <span class="detail">{detail}</span>}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {takesWords && (
        <div class="own-words">
          <textarea
            ref={field}
            class="field"
            rows={1}
            aria-label={options.length > 0 ? 'Another answer' : 'Your answer'}
            placeholder={options.length > 0 ? 'Or in your own words' : 'Your answer'}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          <Button kind={options.length > 0 ? 'secondary' : 'primary'} disabled={isSent} onClick={sendWords}>
            Answer
          </Button>
        </div>
      )}
    </section>
  );
});
