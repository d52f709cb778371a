/** Processes the user's answer to an approval request. */

import type { ApprovalAnswer, EventBody, Granted, Permission } from '../../core/session/events.ts';
import { canGrant, isSamePermission } from '../../core/session/grant-scope.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { ApprovalRequest, SessionState } from '../../core/session/session-state.ts';
import { grantingEvents, originOf } from '../../core/view/permissions.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import { SessionError } from './session-error.ts';

export type ApprovalDesk = {
  state: SessionState;
  emit(runId: string, body: EventBody): void;
  gate(): Promise<WriteGate>;
  grantForGood(covers: Permission, title: string): void;
  /** Whether the workspace is trusted. If not, an answer applies to its call only. */
  trusted: boolean;
  /** Returns the revision of the plan that allows the call of the request. */
  widening(request: ApprovalRequest): Promise<EventBody | undefined>;
};

/**
 * Logs the answer and approves the other pending requests that its grant covers. @throws SessionError if the request was already answered.
 */
export async function resolveApproval(
  approvalId: string,
  given: ApprovalAnswer,
  desk: ApprovalDesk,
): Promise<{ runId: string; answered: string[] }> {
  const { state, emit, trusted } = desk;
  const pending = (): ApprovalRequest => {
    const request = state.pendingApprovals.get(approvalId);
    if (!request) throw new SessionError('This approval request has already been answered. No further answer is needed.');
    return request;
  };
  const request = pending();
  const { runId, callId } = request;
  const { answer: revised, digest } = await asRevised(request, given, desk);
  pending();
  const wider = trusted && revised.approve && revised.widen ? await desk.widening(request) : undefined;
  pending();
  const granted = trusted && revised.approve ? grantedBy(request, given) : undefined;
  const answer = asItCounts(revised, granted !== undefined, wider !== undefined);
  const bound = { ...(digest !== undefined && { digest }), ...(granted && { granted }) };
  emit(runId, { type: 'approval_resolved', approvalId, callId, answer, ...bound });
  if (wider) emit(runId, wider);
  if (granted?.scope === 'workspace') desk.grantForGood(granted.covers, request.title);
  return { runId, answered: [approvalId, ...(granted ? answerAlike(granted, desk) : [])] };
}

/** Returns the answer with the digest of the parts of the proposal that the user accepted. */
async function asRevised(
  request: ApprovalRequest,
  given: ApprovalAnswer,
  { gate }: ApprovalDesk,
): Promise<{ answer: ApprovalAnswer; digest: string | undefined }> {
  if (!given.approve || !given.revised) return { answer: given, digest: request.digest };
  const { revised, ...whole } = given;
  const digest = await (await gate()).revisedDigest(request.changes, revised);
  // An answer that refuses every part of the proposal is a rejection.
  if (digest === undefined) return { answer: { approve: false }, digest: request.digest };
  return { answer: digest === request.digest ? whole : given, digest };
}

/** Removes from the answer a grant that the request did not offer, and an extension of the plan that does not change it. */
function asItCounts(answer: ApprovalAnswer, isGranted: boolean, isWider: boolean): ApprovalAnswer {
  if (!answer.approve) return answer;
  const { grant, covers, widen, ...once } = answer;
  return {
    ...once,
    ...(isGranted && grant && { grant, ...(covers !== undefined && { covers }) }),
    ...(isWider && widen && { widen }),
  };
}

/** Returns the permission that the answer grants. It must be one of the permissions that the request offered. */
function grantedBy({ covers = [] }: ApprovalRequest, answer: ApprovalAnswer): Granted | undefined {
  if (!answer.approve || !answer.grant) return undefined;
  const chosen = covers[answer.covers ?? 0];
  return chosen && canGrant(chosen, answer.grant) ? { scope: answer.grant, covers: chosen } : undefined;
}

/** Approves the other pending requests that the grant covers. Returns their ids. */
function answerAlike({ covers }: Granted, { state, emit }: ApprovalDesk): string[] {
  const alike = [...state.pendingApprovals.values()].filter((each) => each.covers?.some((offered) => isSamePermission(offered, covers)));
  for (const { runId, approvalId, callId, digest } of alike) {
    const answer: ApprovalAnswer = { approve: true, by: 'grant' };
    emit(runId, { type: 'approval_resolved', approvalId, callId, answer, ...(digest !== undefined && { digest }) });
  }
  return alike.map(({ approvalId }) => approvalId);
}

type RevocableSession = { state: SessionState; events: EventList; revokeGrants(covers: Permission, later: boolean): void };

/**
 * Revokes the permissions that the session granted up to the time `at`. The revocation is logged later, because opening a session must not
 * change its log.
 */
export function revokeGrantsUntil(session: RevocableSession, at: number): void {
  const { grants } = session.state;
  const events = grantingEvents(grants, session.events);
  for (const grant of grants) if ((originOf(grant, events).at ?? 0) <= at) session.revokeGrants(grant.covers, true);
}
