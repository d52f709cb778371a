/** Lists the rules files and memories that the model received in a run, for display in the hosts. */

import { type SourcedNote, sourcedNotes } from '../context/rules-in-force.ts';
import type { AgentEvent } from '../session/events.ts';
import { visibleLine } from '../words/visible-text.ts';

/** `remark` says what is missing, such as `cut off`. */
export type ReadRules = { path: string; remark?: string };

/** Returns the rules files and memories that an event adds to the conversation. */
export function rulesIn(event: AgentEvent): ReadRules[] {
  if (event.type === 'message_added') return sourcedNotes(event.message).flatMap(readRules);
  if (event.type === 'tool_finished') return sourcedNotes({ role: 'tool', content: [event.result] }).flatMap(readRules);
  return [];
}

/** Returns, for example, `Rules: AGENTS.md, docs/style.md (cut off)`. Returns undefined if there are no rules. */
export function rulesText(rules: readonly ReadRules[]): string | undefined {
  if (rules.length === 0) return undefined;
  return `Rules: ${rules.map(({ path, remark }) => visibleLine(path) + (remark ? ` (${remark})` : '')).join(', ')}`;
}

/** The remark concerns the first file of a note. The others are copies and imports of it. */
function readRules({ source: { paths, remark } }: SourcedNote): ReadRules[] {
  return paths.map((path, index) => ({ path, ...(index === 0 && remark && { remark }) }));
}
