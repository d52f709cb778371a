/** The notes to the model about what the user asked Kedge to remember. */

import { keyOf, rulesInForce, type SourcedNote } from '../../core/context/rules-in-force.ts';
import type { Message } from '../../core/model/messages.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import type { MemoryScope, MemoryStore } from '../../tools/remember.ts';
import { hashOf } from '../../workspace/content.ts';

const CHARACTERS_PER_TOKEN = 4;

/** The names of the memories in notes and for the user. */
const NAMES: Record<MemoryScope, string> = { workspace: 'memory for this workspace', user: 'memory for all workspaces' };

/** Returns notes for the memories that differ from what the model was told. With a budget of 0, the model is told nothing. */
export async function memoryNotes(store: MemoryStore, messages: readonly Message[], tokens: number): Promise<SourcedNote[]> {
  const inForce = rulesInForce(messages).filter(({ about }) => about === 'memory');
  const notes: SourcedNote[] = [];
  let left = tokens * CHARACTERS_PER_TOKEN;
  for (const scope of ['workspace', 'user'] as const) {
    const name = NAMES[scope];
    const earlier = inForce.find((note) => keyOf(note) === name);
    const text = visibleText((await store.read(scope)).replaceAll('\r\n', '\n').trim());
    const kept = newest(text, left);
    left -= kept.length;
    const digest = kept === '' ? '' : (await hashOf(new TextEncoder().encode(kept))).slice(0, 16);
    if (digest === (earlier?.source.digest ?? '')) continue;
    const isCut = kept.length < text.length;
    const head = digest === '' ? `The ${name} is empty now.` : `The user asked Kedge to remember this (${name}):`;
    const replaces = earlier && digest !== '' ? ' It replaces the earlier one.' : '';
    notes.push({
      type: 'note',
      about: 'memory',
      text: `${head}${replaces}${kept && `\n\n${isCut ? '[Older entries are left out.]\n' : ''}${kept}`}`,
      source: { paths: [name], digest, ...(isCut && { remark: 'older entries left out' }) },
    });
  }
  return notes;
}

/** Returns the last lines that fit. */
function newest(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.slice(text.length - Math.max(0, room));
  return room <= 0 ? '' : end.slice(end.indexOf('\n') + 1 || end.length).trim();
}
