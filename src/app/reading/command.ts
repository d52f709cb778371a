/**
 * The command `/read`, with which a message begins that is about whole documents. Its first line names documents and collections; the rest says
 * what to do with them. Kedge then reads them from beginning to end, in parts that fit the model. In a message of one line, the words after the
 * names are the task: `/read handbook/guide.md Summarize it.`
 */
export type ReadCommand = { names: readonly string[]; task: string };

const COMMAND = /^\s*\/read[ \t]+([^\n]+)(?:\n([\s\S]*))?$/;
const NAME = /"([^"]+)"|(\S+)/g;
const USUAL_TASK = 'Summarize what you have read.';

/** Returns undefined for a message that is not this command. */
export function readCommand(message: string): ReadCommand | undefined {
  const [, line, below = ''] = COMMAND.exec(message) ?? [];
  if (line === undefined) return undefined;
  const words = [...line.matchAll(NAME)];
  const isName = ({ 0: word, index }: RegExpExecArray) => index === words[0]?.index || /^"|\//.test(word);
  const end = below.trim() === '' ? words.findIndex((word) => !isName(word)) : -1;
  const names = (end < 0 ? words : words.slice(0, end)).map(([, quoted, plain]) => quoted ?? plain ?? '');
  const task = end < 0 ? below.trim() : line.slice(words[end]?.index).trim();
  return names.length > 0 ? { names, task: task || USUAL_TASK } : undefined;
}

/** Writes the command as a message. */
export function readMessage(names: readonly string[], task: string): string {
  return `/read ${names.map((name) => (/\s/.test(name) ? `"${name}"` : name)).join(' ')}\n${task}`;
}
