/** Parses commands such as `/remember`, which the user can send instead of a message, and returns the prompt of `/init`. */
import { memoryEntry, tooLongEntry } from './memory-entry.ts';

/**
 * `everywhere` means in all workspaces. `entry` may be empty. `words` contains additional instructions from the user, such as what
 * `/compact` should keep.
 */
export type SlashCommand = { name: 'remember'; entry: string; everywhere: boolean } | { name: 'init' | 'compact'; words: string };

/** Returns undefined for a text that is not a command but a message to the model. */
export function parseSlashCommand(text: string): SlashCommand | undefined {
  const [, name, rest = ''] = /^\s*\/(remember|init|compact)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === 'init' || name === 'compact') return { name, words: rest.trim() };
  if (name !== 'remember') return undefined;
  const [, all, entry = ''] = /^(--all\s+)?([\s\S]*)$/.exec(rest) ?? [];
  return { name, entry: memoryEntry(entry), everywhere: all !== undefined };
}

const NOTHING_TO_REMEMBER = 'There is nothing to remember. Enter the text after the command: /remember Run the tests with npm test.';

/** Returns a sentence for the user if an entry of `/remember` cannot be stored. */
export function entryProblem(entry: string): string | undefined {
  return entry === '' ? NOTHING_TO_REMEMBER : tooLongEntry(entry);
}

export function rememberedText(entry: string, everywhere: boolean): string {
  return `Remembered for ${everywhere ? 'all workspaces' : 'this workspace'}: ${entry}`;
}

/** Returns the prompt that makes a model write a first AGENTS.md. */
export function initPrompt(words: string): string {
  return words ? `${INIT}\n\nThe user adds: ${words}` : INIT;
}

const INIT = `Write AGENTS.md for this repository: the rules file that coding agents read before they work here.

Look first: the README, the configuration of build and tests (package.json, Makefile, pyproject.toml, CI workflows and the like), the main directories, other rules files (CLAUDE.md, .github/copilot-instructions.md and the like), and a few typical source files and tests.

Then create AGENTS.md at the top of the workspace, in Markdown, with at most 60 lines:
- what the project is, in one or two sentences
- the exact commands to install, build, run, lint and test, and to run a single test, as the configuration defines them
- the main directories, and what belongs in each
- conventions that the code follows and that no linter checks: style, names, errors, tests
- what to take care of: generated files, files that must change together, known traps

Write only what you have seen in the files and what helps with every task. Leave out general advice, what file names already say, and anything secret. If there is an AGENTS.md, keep what is right in it and correct the rest. At the end, say in one sentence what you were not sure about.`;
