/** Computes from the conversation which rules files, memory and surroundings the model has received. */
import type { List } from '../list.ts';
import type { Message, NotePart, NoteSource } from '../model/messages.ts';
import { note, notesOf } from '../model/notes.ts';

/** A note about rules or memory. */
export type SourcedNote = NotePart & { source: NoteSource };

/**
 * Returns the rules and memory that are in force: the latest note of each source, oldest first. Rules stay in force after the message or
 * tool result that contained them, until a later note replaces them or says that their file no longer exists.
 */
export function rulesInForce(messages: List<Message>): SourcedNote[] {
  const notes = new Map<string, SourcedNote>();
  for (const note of messages.flatMap(sourcedNotes)) {
    const key = keyOf(note);
    notes.delete(key);
    if (note.source.digest !== '') notes.set(key, note);
  }
  return [...notes.values()];
}

/** Returns the notes about rules and memory in a message. */
export function sourcedNotes(message: Message): SourcedNote[] {
  if (message.role === 'assistant') return [];
  if (message.role === 'user') return message.content.filter(isSourced);
  return message.content.flatMap(({ content }) => content.filter(isSourced));
}

/** Returns a key for the source of a note. */
export function keyOf({ source }: SourcedNote): string {
  return source.paths[0] ?? '';
}

/** Returns the latest value of each line in the notes about the surroundings, such as `Git`. */
export function surroundingLines(messages: List<Message>): Map<string, string> {
  const notes = messages.flatMap(notesOf).filter(({ about }) => about === 'surroundings');
  const lines = notes.flatMap(({ text }) => text.split('\n'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
}

/** Returns the notes that a compaction carries over. Together, rules and memory have at most `most` characters. */
export function carriedNotes(messages: readonly Message[], most: number): NotePart[] {
  const lines = [...surroundingLines(messages)].map(([key, value]) => `${key}: ${value}`);
  const rules = rulesInForce(messages);
  const size = rules.reduce((sum, { text }) => sum + text.length, 0);
  const carried = rules.map((rule) => {
    const share = Math.floor((most * rule.text.length) / Math.max(1, size));
    if (size <= most) return rule;
    return { ...rule, text: `${rule.text.slice(0, share).toWellFormed()}\n[Cut off. Read the rest with read_file.]` };
  });
  return [...carried, ...(lines.length > 0 ? [note('surroundings', lines.join('\n'))] : [])];
}

function isSourced(part: { type: string }): part is SourcedNote {
  return part.type === 'note' && (part as NotePart).source !== undefined;
}
