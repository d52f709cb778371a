/** Creates the notes to the model about the memory: the entries that the user asked Kedge to remember. */

import { keyOf, rulesInForce, type SourcedNote } from '../../core/context/rules-in-force.ts';
import type { Message } from '../../core/model/messages.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import type { MemoryScope, MemoryStore } from '../../tools/remember.ts';
import { digestOf } from './digest.ts';

const CHARACTERS_PER_TOKEN = 4;

/** The names of the memories, as notes and messages to the user show them. */
const NAMES: Record<Exclude<MemoryScope, 'lessons'>, string> = {
  workspace: 'memory for this workspace',
  user: 'memory for all workspaces',
};

/**
 * Returns a note for each memory that differs from what the model has received. Each memory may use half of the budget, and also the part
 * that the other memory does not use. With a budget of 0, no memory is sent to the model.
 */
export async function memoryNotes(store: MemoryStore, messages: readonly Message[], tokens: number): Promise<SourcedNote[]> {
  const inForce = rulesInForce(messages).filter(({ about }) => about === 'memory');
  const [workspace, user] = await Promise.all([textOf(store, 'workspace'), textOf(store, 'user')]);
  const budget = Math.max(0, tokens) * CHARACTERS_PER_TOKEN;
  const roomBeside = (other: string) => Math.floor(Math.max(budget / 2, budget - other.length));
  const notes: SourcedNote[] = [];
  for (const [scope, text, room] of [
    ['workspace', workspace, roomBeside(user)],
    ['user', user, roomBeside(workspace)],
  ] as const) {
    const name = NAMES[scope];
    const earlier = inForce.find((note) => keyOf(note) === name);
    const { kept, remark } = newest(text, room);
    const digest = kept === '' ? '' : await digestOf(kept);
    if (digest === (earlier?.source.digest ?? '')) continue;
    notes.push({
      type: 'note',
      about: 'memory',
      text: kept === '' ? endText(name, text) : `${headOf(name, earlier)}\n\n${remark ? `[${sentence(remark)}]\n` : ''}${kept}`,
      source: { paths: [name], digest, ...(remark && { remark }) },
    });
  }
  return notes;
}

async function textOf(store: MemoryStore, scope: MemoryScope): Promise<string> {
  return visibleText((await store.read(scope)).replaceAll('\r\n', '\n').trim());
}

function headOf(name: string, earlier: SourcedNote | undefined): string {
  return `The user asked Kedge to remember this (${name}):${earlier ? ' It replaces the earlier one.' : ''}`;
}

/** Returns the note that informs the model that a memory is no longer sent. `text` is the current memory. */
function endText(name: string, text: string): string {
  return text === '' ? `The ${name} is empty now.` : `The user turned off the ${name}. Its content no longer applies.`;
}

function sentence(remark: string): string {
  return `${remark[0]?.toUpperCase()}${remark.slice(1)}.`;
}

/** Returns the last lines that fit, or the beginning of the last line if even that line does not fit. `remark` says what is missing. */
function newest(text: string, room: number): { kept: string; remark?: string } {
  if (text.length <= room) return { kept: text };
  if (room === 0) return { kept: '', remark: 'turned off' };
  const lastLine = text.slice(text.lastIndexOf('\n') + 1);
  if (lastLine.length > room) {
    const remark = lastLine === text ? 'entry cut off' : 'newest entry cut off, older entries left out';
    return { kept: lastLine.slice(0, room).toWellFormed(), remark };
  }
  // The character before the last `room` characters decides whether they begin with a complete line.
  const end = text.slice(text.length - room - 1);
  return { kept: end.slice(end.indexOf('\n') + 1).trim(), remark: 'older entries left out' };
}
