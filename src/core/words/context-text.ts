/** Describes what fills the context window, and its compactions, the same way in all hosts. */

import { KINDS, type Kind } from '../context/tokens.ts';
import type { ContextUse } from '../context/window.ts';
import type { EventBody } from '../session/events.ts';
import { tokens } from './amounts.ts';

type Compacted = Extract<EventBody, { type: 'context_compacted' }>;

const WHY: Record<Compacted['reason'], string> = {
  window: 'because the context window was nearly full',
  overflow: 'because the service refused a request of this size',
  user: 'as you requested',
};

const LABELS: Record<Kind, string> = {
  instructions: 'Instructions',
  tools: 'Tools',
  rules: 'Rules, memory, surroundings',
  summary: 'Summary of earlier messages',
  prompts: 'Your messages',
  attachments: 'Attachments',
  answers: 'Model answers',
  results: 'Tool results',
};

export const COMPACTING = 'Writing a summary of the earlier messages';

/** Example: "Conversation compacted from 84.0k to 21.3k tokens, because the context window was nearly full." */
export function compactedText({ reason, before, after }: Pick<Compacted, 'reason' | 'before' | 'after'>): string {
  return `Conversation compacted from ${tokens(before)} to ${tokens(after)} tokens, ${WHY[reason]}.`;
}

/** Returns the kinds of content with their corrected number of tokens. Kinds without tokens are left out. */
export function contextParts({ tokens: counts, ratio }: ContextUse): { kind: Kind; label: string; tokens: number }[] {
  return KINDS.flatMap((kind) => {
    const count = Math.round((counts[kind] ?? 0) * ratio);
    return count > 0 ? [{ kind, label: LABELS[kind], tokens: count }] : [];
  });
}

export function contextTotal(use: ContextUse): number {
  return contextParts(use).reduce((sum, part) => sum + part.tokens, 0);
}

/** Example: "38%", or "12.4k" if the window is unknown. */
export function contextShare(use: ContextUse): string {
  const total = contextTotal(use);
  return use.window === undefined ? tokens(total) : `${Math.round((100 * total) / use.window)}%`;
}

/** Example: "Context: 12.4k of 32.8k tokens, 38%". */
export function contextText(use: ContextUse): string {
  const total = contextTotal(use);
  return use.window === undefined
    ? `Context: ${tokens(total)} tokens (the size of the window is unknown)`
    : `Context: ${tokens(total)} of ${tokens(use.window)} tokens, ${contextShare(use)}`;
}
