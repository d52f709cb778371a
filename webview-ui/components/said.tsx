import type { SaidView } from '../run-view.ts';
import { Thumbnails } from './thumbnails.tsx';

/** What the user said while the run was under way. */
export function Said({ said }: { said: readonly SaidView[] }) {
  return said.map(({ key, text, answers, images = [] }) => (
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
  ));
}
