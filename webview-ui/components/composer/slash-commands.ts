/** The commands that the user can write at the start of a message in the panel. */

import type { Mode } from '../../../src/core/session/events.ts';
import { isTakenBack } from '../../../src/core/view/run-view.ts';
import { post } from '../../host.ts';
import type { CommandChoice, PanelModel } from '../../model.ts';
import { dispatch } from '../../store.ts';
import { chooseMode } from './composer-bar.tsx';

const COMMANDS: readonly CommandChoice[] = [
  { command: 'ask', icon: 'comment-discussion', label: '/ask', detail: 'Answer without changing files', takes: 'question' },
  { command: 'plan', icon: 'checklist', label: '/plan', detail: 'Propose a plan first', takes: 'change' },
  { command: 'agent', icon: 'rocket', label: '/agent', detail: 'Work step by step', takes: 'task or agent' },
  { command: 'background', icon: 'git-branch', label: '/background', detail: 'Work in a worktree meanwhile', takes: 'task' },
  { command: 'review', icon: 'git-compare', label: '/review', detail: 'Review the uncommitted changes', takes: 'focus' },
  { command: 'undo', icon: 'discard', label: '/undo', detail: 'Undo the changes of the last run' },
  { command: 'compact', icon: 'fold', label: '/compact', detail: 'Shorten the conversation', takes: 'what to keep' },
  { command: 'remember', icon: 'bookmark', label: '/remember', detail: 'Remember something in later sessions', takes: 'what' },
  { command: 'read', icon: 'library', label: '/read', detail: 'Read whole documents, in parts if necessary', takes: 'documents' },
  { command: 'init', icon: 'book', label: '/init', detail: 'Write an AGENTS.md', takes: 'wishes' },
  { command: 'skills', icon: 'list-unordered', label: '/skills', detail: 'List prompt files and skills' },
  { command: 'export', icon: 'export', label: '/export', detail: 'Open the session as Markdown' },
  { command: 'new', icon: 'add', label: '/new', detail: 'Start a new session' },
];

/** Returns what the user has typed of a command up to the caret, with the slash. */
export function slashAt(text: string, caret: number): string | undefined {
  return /^\/(?:prompt )?[\w-]*$/.exec(text.slice(0, caret))?.[0];
}

/** Returns the commands that begin with `typed`. A complete command shows no list, so that Enter sends it. */
export function commandsFor(typed: string, prompts: readonly CommandChoice[] = []): CommandChoice[] {
  const found = [...COMMANDS, ...prompts].filter(({ label }) => label.startsWith(typed));
  return found.length === 1 && found[0]?.label === typed ? [] : found;
}

const REVIEW =
  'Review the uncommitted changes of this repository. Look for mistakes, missing tests, and what could be simpler. Name each place as path:line, the most important first.';

/** `text` is sent to the model in place of the command. Without it, nothing is left to do. */
export type Carried = { text?: string; mode?: Mode; withChanges?: true };

/** Carries out a command of the panel. Returns undefined for other texts, which the host receives. */
export function carryOut(text: string, model: PanelModel): Carried | undefined {
  const [, name = '', words = ''] = /^\/(ask|plan|agent|review|undo|export|new)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  switch (name) {
    case 'ask':
    case 'plan':
    case 'agent':
      chooseMode(name);
      // The first word may be the name of an agent, which the host knows.
      return words ? { text: name === 'agent' ? text : words, mode: name } : {};
    case 'review':
      return { text: words ? `${REVIEW}\n\n${words}` : REVIEW, mode: 'ask', withChanges: true };
    case 'undo':
      undoLast(model);
      return {};
    case 'export':
      post({ type: 'export_session' });
      return {};
    case 'new':
      post({ type: 'new_session' });
      dispatch({ type: 'session_left' });
      return {};
    default:
      return undefined;
  }
}

function undoLast({ runs }: PanelModel): void {
  const last = runs.findLast((run) => run.changes.length > 0 && !run.isImported && !isTakenBack(run));
  if (last) post({ type: 'undo_run', runId: last.id });
  else dispatch({ type: 'notice', level: 'info', text: 'No run of this session has changes that could be undone.' });
}
