/** Asks the user through the client: for approvals, for the confirmation of plans, and before the content of a mention is sent. */
import type { PermissionOption, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { agentPage } from '../../../agents/describe.ts';
import type { Plan } from '../../../core/plan/plan.ts';
import type { ApprovalAnswer } from '../../../core/session/events.ts';
import { canGrant, type GrantScope, permissionText } from '../../../core/session/grant-scope.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { approvalDetails } from '../../../core/view/approval-details.ts';
import { planLines } from '../../../core/view/plan-details.ts';
import { fence } from '../../../core/words/markdown-code.ts';
import { visibleLine, visibleText } from '../../../core/words/visible-text.ts';
import type { AskedAgent } from '../agents.ts';
import type { SessionClient } from '../client.ts';
import { approvalMarkdown, plain, textContent } from '../updates/markdown.ts';
import { canChooseHunks, chooseHunks } from './hunks.ts';

/** An option of a permission request, with what it means. */
type Answers<Answer> = readonly (Omit<PermissionOption, 'optionId'> & { answer: Answer })[];
type Asked = Partial<ToolCallUpdate> & { toolCallId: string; title: string };

/**
 * Asks the user to choose one of the answers. The title cannot span several lines. @returns undefined if the turn was cancelled, or if the
 * client chose an option that was not offered
 */
async function choose<Answer>(
  client: SessionClient,
  { title, ...toolCall }: Asked,
  answers: Answers<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const options = answers.map(({ name, kind }, index) => ({ optionId: String(index), name, kind }));
  const choice = await client.choose({ toolCall: { ...toolCall, title: visibleLine(title), status: 'pending' }, options }, signal);
  // Ids are compared as text: as a number, an empty id would be the first option.
  return choice === 'cancelled' ? undefined : answers.find((_, index) => options[index]?.optionId === choice.optionId)?.answer;
}

/** `diffs` are the changes as clients display them. @returns undefined if the turn was cancelled */
export async function askForApproval(
  client: SessionClient,
  request: ApprovalRequest,
  diffs: readonly ToolCallContent[],
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const details = approvalDetails(request);
  const content = [textContent(approvalMarkdown(details)), ...diffs];
  const answers = answersTo(request, canChooseHunks(client, request));
  const answer = await choose(client, { toolCallId: request.callId, title: request.title, content }, answers, signal);
  return answer === 'choose_hunks' ? chooseHunks(client, request, signal) : answer;
}

function answersTo({ covers = [], similar = 0, rule }: ApprovalRequest, hasHunks: boolean): Answers<ApprovalAnswer | 'choose_hunks'> {
  const always = covers.slice(0, 2).flatMap((each, index) => {
    const grants = (Object.keys(SCOPES) as (keyof typeof SCOPES)[]).filter((scope) => canGrant(each, scope));
    return grants.map((grant) => ({
      name: `Allow ${visibleLine(permissionText(each))} ${SCOPES[grant]}`,
      kind: 'allow_always' as const,
      answer: { approve: true as const, grant, covers: index },
    }));
  });
  return [
    { name: 'Allow once', kind: 'allow_once', answer: { approve: true } },
    ...(hasHunks ? [{ name: 'Choose changes…', kind: 'allow_once' as const, answer: 'choose_hunks' as const }] : []),
    ...(rule === 'outside-plan'
      ? [{ name: 'Allow, and add it to the plan', kind: 'allow_once' as const, answer: { approve: true, widen: true } as const }]
      : []),
    ...(similar > 0 && covers.length > 0
      ? [
          {
            name: `Allow this and ${similar} similar ${similar === 1 ? 'call' : 'calls'}`,
            kind: 'allow_once' as const,
            answer: { approve: true, grant: 'turn', covers: 0 } as const,
          },
        ]
      : []),
    ...always,
    { name: 'Reject', kind: 'reject_once', answer: { approve: false } },
  ];
}

/** How long a permission is granted, in words. A permission for one turn is offered separately. */
const SCOPES: Record<Exclude<GrantScope, 'turn'>, string> = {
  run: 'in this run',
  session: 'in this session',
  workspace: 'in this folder, always',
};

export type PlanAnswer = 'run' | 'run_and_allow_edits' | 'keep' | 'discard';

const PLAN_ANSWERS: Answers<PlanAnswer> = [
  { name: 'Run the plan', kind: 'allow_once', answer: 'run' },
  { name: 'Run the plan, and allow edits outside it', kind: 'allow_always', answer: 'run_and_allow_edits' },
  { name: 'Keep the plan, and describe what to change', kind: 'reject_once', answer: 'keep' },
  { name: 'Discard the plan', kind: 'reject_always', answer: 'discard' },
];

/** Asks whether a plan is run. Its complete text is displayed. */
export async function askForPlan(client: SessionClient, plan: Plan, toolCallId: string, signal: AbortSignal): Promise<PlanAnswer> {
  const content = [textContent(fence(planLines(plan)))];
  const asked = { toolCallId, title: `Run the plan: ${plan.goal}`, kind: 'switch_mode' as const, content };
  return (await choose(client, asked, PLAN_ANSWERS, signal)) ?? 'keep';
}

/** Asks before the content of a mention is sent to the model. */
export async function askToSend(client: SessionClient, label: string, reason: string, signal: AbortSignal): Promise<boolean> {
  const answers: Answers<boolean> = [
    { name: 'Send its content', kind: 'allow_once', answer: true },
    { name: 'Do not send it', kind: 'reject_once', answer: false },
  ];
  const title = `Send the content of ${label} to the model?`;
  const content = [textContent(plain(reason))];
  return (await choose(client, { toolCallId: `mention-${crypto.randomUUID()}`, title, kind: 'read', content }, answers, signal)) ?? false;
}

/** Asks whether an agent of the workspace may run, with everything in its file. What is accepted is bound to the digest of this file. */
export async function askForAgent(client: SessionClient, agent: AskedAgent, signal: AbortSignal): Promise<boolean> {
  const answers: Answers<boolean> = [
    { name: 'Use it', kind: 'allow_once', answer: true },
    { name: 'Do not use it', kind: 'reject_once', answer: false },
  ];
  const what = agent.review === 'changed' ? 'has changed since you accepted it' : 'is used for the first time';
  const title = `Use the agent ${agent.name} of this workspace? It ${what}.`;
  const content = [textContent(`It can do nothing that you have not allowed.\n\n${fence(visibleText(agentPage(agent)))}`)];
  return (await choose(client, { toolCallId: `agent-${crypto.randomUUID()}`, title, kind: 'other', content }, answers, signal)) ?? false;
}

/** Asks the user to choose one of the labels. */
export function askForOption(
  client: SessionClient,
  asked: Asked,
  labels: readonly string[],
  refusal: string,
  signal: AbortSignal,
): Promise<{ option: string } | 'refused' | undefined> {
  const options = labels.map((option) => ({ name: visibleLine(option), kind: 'allow_once' as const, answer: { option } }));
  return choose<{ option: string } | 'refused'>(
    client,
    asked,
    [...options, { name: refusal, kind: 'reject_once', answer: 'refused' }],
    signal,
  );
}
