/**
 * Derives from the messages of a run what has been read and noted, so that reading goes on after a pause, a reload or a crash without another record.
 */
import { callsOf, type Message } from '../../core/model/messages.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { readCommand } from './command.ts';

/** A result of a call that read a part of a document. `next` is the character at which to read on. */
export type ReadPart = { document: string; text: string; isError: boolean; next?: number; length?: number };
/** Notes on the parts `from` to `to`. */
export type Notes = { from: number; to: number; text: string };
/** The text above notes: the documents, how much has been read, and why the model wrote no notes. */
export type NotesHead = { names: string; percent: number; problem?: string };

/** `unread` are the results about which there are no notes yet. `problems` says which parts have no notes. `added` is what the user said after the command. */
export type Progress = { read: ReadPart[]; unread: ReadPart[]; notes: Notes[]; problems: string[]; added: string[] };

export const READ_TOOL = 'documents_get_document';

/** The line above notes. It is the beginning of a text of its own, so the model cannot write it. */
const HEAD = /^\*\*Parts? (\d+)(?:–(\d+))?\*\*(?: \(([^\n]*), \d+ % read(?:; no notes: ([^\n]*))?\)| combined)\n\n/;
/** The result of a call that a stop or a limit prevented. It is made again. */
const NOT_MADE = /^Not executed/;
const READ_ON = /\n\n\(characters \d+-\d+ of (\d+)(?:; read on with start (\d+))?\)$/;

/** Without a `head`, the notes were made from other notes. */
export function headText({ from, to }: Omit<Notes, 'text'>, head?: NotesHead): string {
  const parts = from === to ? `Part ${from}` : `Parts ${from}–${to}`;
  const problem = head?.problem === undefined ? '' : `; no notes: ${visibleLine(head.problem)}`;
  return `**${parts}** ${head ? `(${visibleLine(head.names)}, ${head.percent} % read${problem})` : 'combined'}\n\n`;
}

export function notesText(notes: Notes, head?: NotesHead): string {
  return `${headText(notes, head)}${notes.text.trim()}\n\n`;
}

/** @param messages the messages from the command on */
export function progressIn(messages: readonly Message[]): Progress {
  const progress: Progress = { read: [], unread: [], notes: [], problems: [], added: [] };
  const documents = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'user')
      progress.added.push(...message.content.flatMap((part) => (part.type === 'text' && !readCommand(part.text) ? [part.text] : [])));
    else if (message.role === 'assistant') {
      if (message.stop === 'aborted') continue;
      for (const part of message.content) if (part.type === 'text') addNotes(progress, part.text);
      for (const { id, name, input } of callsOf(message))
        if (name === READ_TOOL) documents.set(id, String((input as { document?: unknown } | undefined)?.document));
    } else
      for (const { callId, content, isError = false } of message.content) {
        const document = documents.get(callId);
        const [first] = content;
        if (document === undefined || first?.type !== 'text' || (isError && NOT_MADE.test(first.text))) continue;
        const [, length, next] = READ_ON.exec(first.text) ?? [];
        const part = {
          ...{ document, text: first.text.replace(READ_ON, ''), isError },
          ...(length !== undefined && { length: Number(length) }),
          ...(next !== undefined && { next: Number(next) }),
        };
        progress.read.push(part);
        progress.unread.push(part);
      }
  }
  return progress;
}

function addNotes(progress: Progress, text: string): void {
  const [head, first, last = first, names, problem] = HEAD.exec(text) ?? [];
  if (head === undefined) return;
  const notes = { from: Number(first), to: Number(last), text: text.slice(head.length).trim() };
  progress.notes = [...progress.notes.filter(({ from, to }) => from < notes.from || to > notes.to), notes].sort((a, b) => a.from - b.from);
  if (problem !== undefined) progress.problems.push(`Part ${first} (${names}) has no notes: ${problem}`);
  if (notes.from === notes.to) progress.unread = [];
}
