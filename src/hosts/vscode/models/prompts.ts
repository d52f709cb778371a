/** How a guided flow talks to its user. The flow knows nothing of the editor; quick-input.ts answers through it. */

export const BACK = Symbol('back');
/** Undefined where the user left the flow. */
export type Answer<T> = T | typeof BACK | undefined;

export type Choice<T> = { label: string; description?: string; detail?: string; group?: string; value: T };

export type Question<T> = {
  title: string;
  placeholder?: string;
  choices: readonly Choice<T>[];
  /** There is no step before this one. */
  first?: boolean;
  /** Takes the place of the choices once it is known. */
  later?: Promise<readonly Choice<T>[]>;
  /** The label of the choice that is proposed. */
  proposed?: string;
  /** Makes a choice of what the user types, where that is allowed. */
  typed?(text: string): Choice<T>;
};

export type Prompt = { title: string; prompt: string; value?: string; password?: boolean; validate?(text: string): string | undefined };

export interface Ask {
  pick<T>(question: Question<T>): Promise<Answer<T>>;
  input(prompt: Prompt): Promise<Answer<string>>;
  /** Something went wrong: what now? Undefined where the user closes it. */
  trouble(message: string, answers: readonly string[]): Promise<string | undefined>;
  /** Shown as long as the work takes; the signal aborts when the user cancels. */
  progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** A step asks and names the one that follows; none where the flow is at its end. */
export type Step = () => Promise<Step | typeof BACK | undefined>;

/** Goes from step to step, and back by the way it came. */
export async function walk(first: Step): Promise<void> {
  const way: Step[] = [first];
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const next = await step();
    if (next === undefined) return;
    if (next === BACK) way.pop();
    // A step that was left for one before it is not on the way any more.
    else if (way.includes(next)) way.length = way.indexOf(next) + 1;
    else way.push(next);
  }
}
