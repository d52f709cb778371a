import { useState } from 'preact/hooks';
import type { RunView } from '../../src/core/view/run-view.ts';
import { post } from '../host.ts';
import { WordsForm } from './approval/words-form.tsx';
import { IconButton } from './button.tsx';

type Rating = NonNullable<RunView['rating']>['rating'];

/** Lets the user rate an answer, and say why. Pressing the same thumb again removes the rating. */
export function RatingButtons({ runId, rating }: { runId: string; rating: RunView['rating'] }) {
  const [isWriting, setWriting] = useState(false);
  const rate = (chosen: Rating, icon: 'thumbsup' | 'thumbsdown', label: string) => {
    const isChosen = rating?.rating === chosen;
    return (
      <IconButton
        icon={isChosen ? `${icon}-filled` : icon}
        label={label}
        pressed={isChosen}
        onClick={() => {
          setWriting(false);
          post({ type: 'rate_answer', runId, rating: isChosen ? 'none' : chosen });
        }}
      />
    );
  };
  return (
    <>
      {rate('up', 'thumbsup', 'Good answer')}
      {rate('down', 'thumbsdown', 'Bad answer')}
      {rating && !isWriting && (
        <IconButton icon="comment" label={rating.words ? 'Change comment' : 'Add comment'} onClick={() => setWriting(true)} />
      )}
      {rating?.words && !isWriting && <span class="dim rating-words">{rating.words}</span>}
      {rating && isWriting && (
        <div class="rating-form">
          <WordsForm
            label="Comment on the answer"
            placeholder="What was good or bad?"
            action="Save"
            initial={rating.words}
            disabled={false}
            onSend={(words) => {
              setWriting(false);
              post({ type: 'rate_answer', runId, rating: rating.rating, words });
            }}
            onBack={() => setWriting(false)}
          />
        </div>
      )}
    </>
  );
}
