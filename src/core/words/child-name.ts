import { visibleLine } from './visible-text.ts';

const LENGTH = 40;

/** Returns the name of a child run with its number among its siblings, such as `Subtask 2 (“Find the port”)` or `Subtask 2, reviewer (…)`. */
export function childName(runId: string, task: string, agent?: string): string {
  const line = visibleLine(task);
  const number = runId.slice(runId.indexOf('.') + 1);
  return `Subtask ${number}${agent === undefined ? '' : `, ${agent}`} (“${line.length > LENGTH ? `${line.slice(0, LENGTH).toWellFormed()}…` : line}”)`;
}
