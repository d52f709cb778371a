import type { Mode } from '../src/core/session/events.ts';

/** A suggested prompt. With `send` it is sent as it is; otherwise it is put into the composer, with the `…` selected for the user to complete. */
export type QuickAction = { label: string; text: string; icon: string; send?: boolean };

export const MODE: Record<Mode, { label: string; icon: string; promise: string; placeholder: string; actions: QuickAction[] }> = {
  ask: {
    label: 'Ask',
    icon: 'comment-discussion',
    promise: 'Answers questions. Cannot change files.',
    placeholder: 'Ask about this project, @ for files',
    actions: [
      { label: 'How is this project laid out?', text: 'How is this project laid out?', icon: 'type-hierarchy', send: true },
      { label: 'Where is … defined?', text: 'Where is … defined?', icon: 'search' },
      { label: 'What is in README.md?', text: 'What is in README.md?', icon: 'book', send: true },
    ],
  },
  plan: {
    label: 'Plan',
    icon: 'checklist',
    promise: 'Proposes a plan. Runs it once you confirm.',
    placeholder: 'Describe a change, @ for files',
    actions: [
      { label: 'Rename … to … in src/**', text: 'Rename … to … in src/**', icon: 'replace-all' },
      { label: 'Add tests for …', text: 'Add tests for …', icon: 'beaker' },
      { label: 'Move … into a file of its own', text: 'Move … into a file of its own', icon: 'move' },
    ],
  },
  agent: {
    label: 'Agent',
    icon: 'rocket',
    promise: 'Works step by step. Asks before it edits.',
    placeholder: 'Describe the task, @ for files',
    actions: [
      { label: "Replace '…' by '…'", text: "Replace '…' by '…' in …", icon: 'replace' },
      { label: 'Create …', text: 'Create …', icon: 'new-file' },
      { label: 'Fix …', text: 'Fix …', icon: 'wrench' },
    ],
  },
};
