import type { SaidView } from '../../../src/core/view/run-view.ts';
import { Icon } from '../icon.tsx';
import { Thumbnails } from './thumbnails.tsx';

/** What the user said while the run was under way; what Kedge told the model stands beside it as a note. */
export function Said({ said }: { said: readonly SaidView[] }) {
  return said.map(({ key, text, answers, images = [], by }) =>
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
        <p>{text}</p>
      </div>
    ),
  );
}
