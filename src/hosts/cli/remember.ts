/** The command `remember`: adds an entry to the memory, or shows the memory. */
import { memoryEntry, tooLongEntry } from '../../core/words/memory-entry.ts';
import { rememberedText } from '../../core/words/slash-commands.ts';
import type { MemoryFiles } from '../node/memory.ts';
import { harmless } from './output/terminal.ts';
import { EXIT } from './run-session.ts';

const SCOPES = [
  ['workspace', 'This folder'],
  ['user', 'All folders'],
  ['lessons', 'Similar tasks in this folder'],
] as const;

export async function remember(memory: MemoryFiles, { words, everywhere }: { words: string[]; everywhere: boolean }): Promise<number> {
  const entry = memoryEntry(words.join(' '));
  const problem = tooLongEntry(entry);
  if (problem) {
    process.stderr.write(`kedge: ${problem}\n`);
    return EXIT.usage;
  }
  if (entry !== '') {
    await memory.add(everywhere ? 'user' : 'workspace', entry);
    process.stdout.write(`${harmless(rememberedText(entry, everywhere))}\n`);
    return EXIT.answered;
  }
  for (const [scope, name] of SCOPES) {
    const text = (await memory.read(scope)).trim();
    process.stdout.write(`${name}, in ${memory.path(scope)}:\n${harmless(text) || '(empty)'}\n`);
  }
  return EXIT.answered;
}
