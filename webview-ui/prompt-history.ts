/** The position in the prompt history, which the arrow keys browse as in a terminal. `at` counts back from the draft, which is 0. */
export type Recall = { at: number; draft: string };

const MAX_PROMPTS = 50;

export function remember(history: readonly string[], prompt: string): string[] {
  return [...history.filter((each) => each !== prompt), prompt].slice(-MAX_PROMPTS);
}

/** Moves one prompt back (`1`) or forward (`-1`); returns undefined at either end. */
export function recall(history: readonly string[], recalled: Recall, by: 1 | -1, text: string): (Recall & { text: string }) | undefined {
  const at = recalled.at + by;
  if (at < 0 || at > history.length) return undefined;
  const draft = recalled.at === 0 ? text : recalled.draft;
  return { at, draft, text: at === 0 ? draft : (history.at(-at) ?? '') };
}
