/** The prompts of a guided flow. The flow does not depend on VS Code; quick-input.ts implements the prompts. */

export const BACK = Symbol('back');
/** Undefined means that the user left the flow. */
export type Answer<T> = T | typeof BACK | undefined;

export type Choice<T> = { label: string; description?: string; detail?: string; group?: string; value: T };

export type Question<T> = {
  title: string;
  placeholder?: string;
  choices: readonly Choice<T>[];
  /** True for the first step, from which the user cannot go back. */
  first?: boolean;
  /** The choices that replace the current ones when the promise resolves. */
  later?: Promise<readonly Choice<T>[]>;
  /** The label of the choice that is selected first. */
  proposed?: string;
  /** Converts the text that the user types to a choice. If it is missing, the user can only select a choice. */
  typed?(text: string): Choice<T>;
};

export type Prompt<T = never> = {
  title: string;
  prompt: string;
  placeholder?: string;
  value?: string;
  password?: boolean;
  validate?(text: string): string | undefined;
  /** Buttons in the title of the box, with the name of a codicon. */
  actions?: readonly { label: string; icon: string; value: T }[];
};

export interface Ask {
  pick<T>(question: Question<T>): Promise<Answer<T>>;
  input<T = never>(prompt: Prompt<T>): Promise<Answer<string | T>>;
  /** Shows an error with buttons. Resolves to undefined if the user closes it. */
  trouble(message: string, answers: readonly string[]): Promise<string | undefined>;
  /** Shows progress while the work runs. The signal aborts when the user cancels. */
  progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** A step prompts the user and returns the next step, or undefined at the end of the flow. */
export type Step = () => Promise<Step | typeof BACK | undefined>;

/** Runs the steps one after the other. BACK returns to the previous step. */
export async function walk(first: Step): Promise<void> {
  const path: Step[] = [first];
  for (let step = path.at(-1); step; step = path.at(-1)) {
    const next = await step();
    if (next === undefined) return;
    if (next === BACK) path.pop();
    // Returning to an earlier step removes the steps after it from the path.
    else if (path.includes(next)) path.length = path.indexOf(next) + 1;
    else path.push(next);
  }
}
