import type { SaidView } from '../../../src/core/view/run-view.ts';
import { Icon } from '../icon.tsx';
import { SentChips } from '../mentions/chips.tsx';
import { Folded } from './folded.tsx';
import { Thumbnails } from './thumbnails.tsx';

/** The user's messages and answers during a run, and the notes that Kedge added for the model. */
export function MessagesToModel({ messages }: { messages: readonly SaidView[] }) {
  return messages.map(({ key, text, answers, images = [], mentions = [], by }) =>
    by === 'kedge' ? (
      <p key={key} class="ending dim">
        <Icon name="info" />
        <span>Note to the model: {text}</span>
      </p>
    ) : (
      <div key={key} class="prompt said">
        <h3 class="sr-only">{answers ? 'Your answer' : 'You, during the run'}</h3>
        {answers && (
          <p class="dim" title={answers}>
            {answers.split('\n', 1)}
          </p>
        )}
        <Thumbnails images={images} />
        <SentChips refs={mentions} />
        <Folded text={text} />
      </div>
    ),
  );
}
