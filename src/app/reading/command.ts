/**
 * The command `/read`, with which a message begins that is about whole documents. Its first line names documents and collections; the rest says
 * what to do with them. Kedge then reads them from beginning to end, in parts that fit the model.
 */
export type ReadCommand = { names: readonly string[]; task: string };

const COMMAND = /^\s*\/read[ \t]+([^\n]+)(?:\n([\s\S]*))?$/;
const NAME = /"([^"]+)"|(\S+)/g;
const USUAL_TASK = 'Summarize what you have read.';

/** Returns undefined for a message that is not this command. */
export function readCommand(message: string): ReadCommand | undefined {
  const [, line, task = ''] = COMMAND.exec(message) ?? [];
  if (line === undefined) return undefined;
  const names = [...line.matchAll(NAME)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim()).filter(Boolean);
  return names.length > 0 ? { names, task: task.trim() || USUAL_TASK } : undefined;
}

/** Writes the command as a message. */
export function readMessage(names: readonly string[], task: string): string {
  return `/read ${names.map((name) => (/\s/.test(name) ? `"${name}"` : name)).join(' ')}\n${task}`;
}
