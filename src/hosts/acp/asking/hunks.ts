/** Lets the user approve a proposed change hunk by hunk, in a form of the client. */
import { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import { countHunks, fileRevision, goesWithMove, splitHunks } from '../../../core/run/hunk-revision.ts';
import type { ChangeSummary, Revision } from '../../../core/session/effects.ts';
import type { ApprovalAnswer } from '../../../core/session/events.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { visibleLine, visibleText } from '../../../core/words/visible-text.ts';
import type { SessionClient } from '../client.ts';

/** With more hunks than this, a form would be too long. */
const MOST = 40;
const SHOWN_CHARS = 600;

type Hunk = { path: string; index: number; total: number; text: string };

/** Returns the hunks that the user can choose from, or none if there is nothing to choose. */
function hunksOf(changes: readonly ChangeSummary[]): Hunk[] {
  const hunks = changes.flatMap((change): Hunk[] => {
    if (goesWithMove(change, changes)) return [];
    const [total, texts] = [countHunks(change), splitHunks(change.diff)];
    return Array.from({ length: total }, (_, index) => ({ path: change.path, index, total, text: texts[index] ?? '' }));
  });
  return hunks.length > 1 && hunks.length <= MOST ? hunks : [];
}

export function canChooseHunks(client: SessionClient, { changes }: ApprovalRequest): boolean {
  return client.showsForms && hunksOf(changes).length > 0;
}

/** The complete diff is part of the approval. A text that is cut says so. */
function shownText(text: string): string {
  const shown = visibleText(text);
  if (shown === '') return 'This part of the diff is too long to be shown here.';
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}\n… ${shown.length - SHOWN_CHARS} more characters` : shown;
}

/** Only what the user has confirmed is approved. @returns undefined if the turn was cancelled */
export async function chooseHunks(
  client: SessionClient,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const hunks = hunksOf(request.changes);
  const properties = hunks.map(({ path, index, total, text }, at) => {
    const title = total === 1 ? visibleLine(path) : `${visibleLine(path)}: ${index + 1} of ${total}`;
    return [`hunk_${at + 1}`, { type: 'boolean' as const, title, description: shownText(text), default: true }] as const;
  });
  const form = {
    message: `Which changes should be made? ${visibleLine(request.title)}`,
    requestedSchema: { type: 'object' as const, properties: Object.fromEntries(properties) },
    toolCallId: request.callId,
  };
  const response = await client.fillIn(form, signal);
  if (signal.aborted) return undefined;
  if (!CreateElicitationResponse.isAccept(response)) return response.action === 'cancel' ? undefined : { approve: false };
  const content: Readonly<Record<string, unknown>> = response.content ?? {};
  const refused = hunks.filter((_, at) => content[`hunk_${at + 1}`] !== true);
  if (refused.length === hunks.length) return { approve: false };
  const revised: Revision = {};
  for (const { path, total } of refused) {
    const indexes = refused.filter((each) => each.path === path).map(({ index }) => index);
    revised[path] = fileRevision(total, indexes) ?? 'refused';
  }
  return { approve: true, ...(refused.length > 0 && { revised }) };
}
