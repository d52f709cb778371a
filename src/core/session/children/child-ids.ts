/** The ids of child runs. They begin with the id of their parent, so a fact about an event is enough to know which run it belongs to. */

/** The call of the parent in which a child run works. A run that the user started has no parent; its children have the depth 1. */
export type RunParent = { runId: string; callId: string; depth: number };

/** @param number counts the children of the parent from 1 */
export function childRunId(parent: string, number: number): string {
  return `${parent}.${number}`;
}

export function isChildRun(runId: string): boolean {
  return runId.includes('.');
}

/** Returns the run that the user started and that the run with this id works for. */
export function rootRunId(runId: string): string {
  const end = runId.indexOf('.');
  return end < 0 ? runId : runId.slice(0, end);
}

/** Returns true for the run itself, its children, and their children. */
export function isWithin(runId: string, ancestor: string): boolean {
  return runId === ancestor || runId.startsWith(`${ancestor}.`);
}

/** Returns the number of a child among those of its parent, or 0 if the id is not an id of a child of this parent. */
export function childNumber(runId: string, parent: string): number {
  const rest = runId.startsWith(`${parent}.`) ? runId.slice(parent.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(rest) ? Number(rest) : 0;
}
