import type { Mode } from '../src/core/session/events.ts';
import type { PanelState } from '../src/protocol/panel.ts';
import type { IconName } from './components/icons.ts';

/**
 * A suggested prompt. With `send` it is sent as it is; otherwise it is put into the composer, with the `…` selected for the user to complete.
 * `mention` is sent with it.
 */
export type QuickAction = { label: string; text: string; icon: IconName; send?: boolean; mention?: 'problems' | 'changes' };

export const MODE: Record<Mode, { label: string; icon: IconName; promise: string; placeholder: string }> = {
  ask: {
    label: 'Ask',
    icon: 'comment-discussion',
    promise: 'Answers questions. Cannot change files.',
    placeholder: 'Ask, @ for files, / for commands',
  },
  plan: {
    label: 'Plan',
    icon: 'checklist',
    promise: 'Proposes a plan. Runs it once you confirm.',
    placeholder: 'Describe a change, @ for files',
  },
  agent: {
    label: 'Agent',
    icon: 'rocket',
    promise: 'Works step by step. Asks before it edits.',
    placeholder: 'Describe the task, @ for files',
  },
};

/** Requests that Offline understands. */
const OFFLINE: Record<Mode, QuickAction[]> = {
  ask: [
    { label: 'How is this project laid out?', text: 'How is this project laid out?', icon: 'type-hierarchy', send: true },
    { label: 'Where is … defined?', text: 'Where is … defined?', icon: 'search' },
    { label: 'What is in README.md?', text: 'What is in README.md?', icon: 'book', send: true },
  ],
  plan: [
    { label: 'Rename … to … in src/**', text: 'Rename … to … in src/**', icon: 'replace-all' },
    { label: "Replace '…' with '…' in src/**", text: "Replace '…' with '…' in src/**", icon: 'replace' },
  ],
  agent: [
    { label: "Replace '…' with '…'", text: "Replace '…' with '…' in …", icon: 'replace' },
    { label: 'Create …', text: 'Create …', icon: 'new-file' },
  ],
};

const MODEL: Record<Mode, QuickAction[]> = {
  ask: [
    {
      label: 'Explain this project',
      text: 'Explain how this project is laid out, and where to begin reading.',
      icon: 'type-hierarchy',
      send: true,
    },
    { label: 'How does … work?', text: 'How does … work?', icon: 'search' },
  ],
  plan: [
    { label: 'Add tests for …', text: 'Add tests for …', icon: 'beaker' },
    { label: 'Rename … everywhere', text: 'Rename … to … everywhere', icon: 'replace-all' },
    { label: 'Move … into a separate file', text: 'Move … into a separate file', icon: 'move' },
  ],
  agent: [
    { label: 'Fix …', text: 'Fix …', icon: 'wrench' },
    { label: 'Write tests for …', text: 'Write tests for …', icon: 'beaker' },
    { label: 'Create …', text: 'Create …', icon: 'new-file' },
  ],
};

const PROBLEMS: Record<Mode, QuickAction> = {
  ask: {
    label: 'Explain the problems',
    text: 'Explain the problems in this workspace, and what causes them.',
    icon: 'warning',
    send: true,
    mention: 'problems',
  },
  plan: {
    label: 'Plan to fix the problems',
    text: 'Plan how to fix the problems in this workspace.',
    icon: 'warning',
    send: true,
    mention: 'problems',
  },
  agent: { label: 'Fix the problems', text: 'Fix the problems in this workspace.', icon: 'warning', send: true, mention: 'problems' },
};

const CHANGES: QuickAction = {
  label: 'Review my changes',
  text: 'Review my uncommitted changes. Name each place as path:line, the most important first.',
  icon: 'git-compare',
  send: true,
  mention: 'changes',
};

/** Returns suggested first prompts that fit the mode, the model and the workspace. */
export function suggestionsFor({ mode, isOffline, hasProblems, hasChanges }: PanelState): QuickAction[] {
  if (isOffline) return OFFLINE[mode];
  return [...(hasProblems ? [PROBLEMS[mode]] : []), ...(hasChanges && mode === 'ask' ? [CHANGES] : []), ...MODEL[mode]];
}
