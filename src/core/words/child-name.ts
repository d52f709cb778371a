import { visibleLine } from './visible-text.ts';

const LENGTH = 40;

/** Returns the name of a child run with its number among its siblings, such as `Subtask 2 (“Find the port”)`. */
export function childName(runId: string, task: string): string {
  const line = visibleLine(task);
  return `Subtask ${runId.slice(runId.indexOf('.') + 1)} (“${line.length > LENGTH ? `${line.slice(0, LENGTH).toWellFormed()}…` : line}”)`;
}
