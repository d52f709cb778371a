import type { PlanDraft } from './plan.ts';

export type Rename = { from: string; to: string };

const NAME = '[\\p{L}_$][\\p{L}\\p{N}_$]*';
/** Matches `a` → `b`, and the words: rename a to b. */
const RENAME = new RegExp(
  `\`(${NAME})\`\\s*(?:→|->|=>)\\s*\`(${NAME})\`|\\brename\\s+\`?(${NAME})\`?\\s+(?:to|into)\\s+\`?(${NAME})(?![\\p{L}\\p{N}_$/.]\\p{L})`,
  'giu',
);

/** Returns the renames of symbols that the text of a plan names. */
export function renamesIn({ goal, steps }: Pick<PlanDraft, 'goal' | 'steps'>): Rename[] {
  const texts = [goal, ...steps.flatMap(({ title, detail = '' }) => [title, detail])];
  const renames = texts.flatMap((text) =>
    [...text.matchAll(RENAME)].map(([, a, b, c, d]) => ({ from: (a ?? c) as string, to: (b ?? d) as string })),
  );
  return renames.filter(
    ({ from, to }, index) => from !== to && renames.findIndex((each) => each.from === from && each.to === to) === index,
  );
}
