/** The shapes of all durable events. Events from a log are validated, because the file can contain anything. */

import { assistantMessage, cost, model, toolResult, usage, userContent, userMessage } from '../../model/message-shape.ts';
import type { StepStatus } from '../../plan/plan.ts';
import { plan, planCheck } from '../../plan/shape.ts';
import {
  anyOf,
  arrayOf,
  between,
  boolean,
  type Check,
  constant,
  type FieldChecks,
  integer,
  json,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  string,
} from '../../shape.ts';
import type { Rating } from '../answers.ts';
import type { RunParent } from '../children/child-ids.ts';
import type { FileRead, FileRevision, Reason } from '../effects.ts';
import type {
  AgentEvent,
  ApprovalAnswer,
  CheckOutcome,
  EventBody,
  Granted,
  Outcome,
  PauseReason,
  Question,
  QuestionAnswer,
  RestorePoint,
  RunError,
  SessionParent,
  TodoItem,
  WorktreeOutcome,
} from '../events.ts';
import type { Action, GrantScope, Permission, Subject } from '../grant-scope.ts';
import type { BudgetKey, RunLimits, SessionLimits } from '../limits.ts';
import { compaction, contextUse, place } from './context-shape.ts';
import { applied, changes, command, decision, effect, rule, serverTool, stagedChanges, target, undoResults } from './effects-shape.ts';
import { hookRan } from './hook-shape.ts';
import { mode, receipt } from './receipt-shape.ts';
import { runAgent } from './run-agent.ts';

type TransientType = 'text_delta' | 'reasoning_delta' | 'tool_input_delta' | 'model_waiting' | 'tool_progress' | 'context_compacting';
type DurableType = Exclude<EventBody['type'], TransientType>;
type Fields<Type extends DurableType> = Omit<Extract<EventBody, { type: Type }>, 'type'>;

const strings = arrayOf(string);
const yes = optional(constant(true));
const text = optional(string);
const amount = optional(number);

const limits = object<RunLimits>({
  turns: number,
  callsPerTurn: number,
  callsPerRun: number,
  minutes: number,
  tokens: amount,
  usd: amount,
});

const SESSION_LIMITS: Record<keyof SessionLimits, true> = {
  turns: true,
  callsPerTurn: true,
  callsPerRun: true,
  minutes: true,
  tokens: true,
  usd: true,
};
const sessionLimit = oneOf<keyof SessionLimits>(SESSION_LIMITS);

const step = integer(1, 1_000_000);
const ofPlan = { planId: string, hash: text };
const ofStep = { ...ofPlan, step };
const checked = { check: planCheck, outcome: oneOf<CheckOutcome>({ passed: true, failed: true, not_run: true }), output: string };
const stepStatus = oneOf<StepStatus>({ started: true, done: true, failed: true, skipped: true });

type PermissionOf<Kind extends Permission['kind']> = Extract<Permission, { kind: Kind }>;
const permission: Check<Permission> = anyOf(
  object<PermissionOf<'edits'>>({ kind: constant('edits'), beyondPlan: yes }),
  object<PermissionOf<'path'>>({ kind: constant('path'), tool: string, glob: string, beyondPlan: yes }),
  object<PermissionOf<'command'>>({ kind: constant('command'), prefix: strings, folders: optional(strings) }),
  object<PermissionOf<'host'>>({ kind: constant('host'), host: string, private: yes, tool: optional(constant('browse')) }),
  object<PermissionOf<'mcp'>>({ kind: constant('mcp'), server: string, tool: string, fingerprint: text }),
);
const action = oneOf<Action>({ read: true, edit: true, delete: true, command: true, network: true, mcp: true });
const subject: Check<Subject> = anyOf(object<{ action: Action }>({ action }), object<{ server: string }>({ server: string }));
const scope = oneOf<GrantScope>({ turn: true, run: true, session: true, workspace: true });
const fileRevision: Check<FileRevision> = anyOf(
  constant('refused'),
  object<{ without: number[] }>({ without: arrayOf(number) }),
  object<{ content: string }>({ content: string }),
);
const approvalAnswer: Check<ApprovalAnswer> = anyOf(
  object<Extract<ApprovalAnswer, { approve: true }>>({
    approve: constant(true),
    grant: optional(scope),
    covers: amount,
    revised: optional(recordOf(fileRevision)),
    by: optional(constant('grant')),
    widen: yes,
  }),
  object<Extract<ApprovalAnswer, { approve: false }>>({ approve: constant(false), words: text, by: optional(constant('nobody')) }),
);
const question = object<Question>({
  id: string,
  text: string,
  options: arrayOf(object<Question['options'][number]>({ label: string, detail: text })),
  freeText: optional(boolean),
  command: optional(command),
  reason: text,
});
const questionAnswer: Check<QuestionAnswer> = anyOf(
  object<Extract<QuestionAnswer, { option: string }>>({ option: string, words: text }),
  object<Exclude<QuestionAnswer, { option: string }>>({ words: string, by: optional(constant('nobody')) }),
);

const budgetKey = oneOf<BudgetKey>({
  ...SESSION_LIMITS,
  price: true,
  'day.runs': true,
  'day.turns': true,
  'day.calls': true,
  'day.tokens': true,
  'day.usd': true,
  'day.minutes': true,
  runsPerMinute: true,
  cooldown: true,
});
const pauseReason = oneOf<PauseReason>({ limit: true, max_tokens: true, interrupted: true, edit_plan: true, user: true, repeating: true });
const outcome = oneOf<Outcome>({ answered: true, plan_proposed: true, refused: true, stopped: true, failed: true });
const errorKind = oneOf<RunError['kind']>({
  auth: true,
  unknown_model: true,
  no_credit: true,
  rate_limit: true,
  overloaded: true,
  context_overflow: true,
  invalid_request: true,
  network: true,
  timeout: true,
  empty_answer: true,
  bad_stream: true,
  internal: true,
  check: true,
});
const restorePoint: Check<RestorePoint> = anyOf(
  object<{ undoId: string }>({ undoId: string }),
  object<Exclude<RestorePoint, { undoId: string }>>({ runId: string, callId: text }),
);

/** The fields of each type of event. Unknown fields are ignored. */
export const FIELDS: { [Type in DurableType]: FieldChecks<Fields<Type>> } = {
  run_started: {
    mode,
    prompt: string,
    model,
    limits,
    plan: optional(plan),
    resumes: text,
    revises: text,
    applies: optional(applied),
    edits: text,
    attachments: optional(userContent),
    grants: optional(arrayOf(permission)),
    worktree: text,
    parent: optional(object<RunParent>({ runId: string, callId: string, depth: number })),
    agent: optional(runAgent),
  },
  limits_shrunk: { limits, reason: string },
  hook_ran: hookRan,
  turn_started: { turn: number, context: optional(contextUse) },
  context_compacted: compaction,
  message_added: { message: anyOf(userMessage, assistantMessage), queued: text, estimated: amount, estimatedUsd: amount },
  message_queued: { id: string, message: userMessage },
  message_unqueued: { id: string },
  tool_started: {
    callId: string,
    name: string,
    title: string,
    effect,
    targets: arrayOf(target),
    decision,
    source: text,
    command: text,
    hosts: optional(strings),
  },
  approval_requested: {
    approvalId: string,
    callId: string,
    title: string,
    rule,
    reason: string,
    reasons: optional(arrayOf(object<Reason>({ rule, reason: string }))),
    secret: yes,
    changes,
    digest: text,
    command: optional(command),
    hosts: optional(strings),
    address: text,
    mcp: optional(serverTool),
    input: json,
    targets: optional(arrayOf(target)),
    covers: optional(arrayOf(permission)),
    similar: amount,
  },
  approval_resolved: {
    approvalId: string,
    callId: string,
    digest: text,
    answer: approvalAnswer,
    granted: optional(object<Granted>({ scope, covers: permission })),
  },
  question_asked: { questionId: string, callId: string, question },
  question_answered: { questionId: string, callId: string, answer: questionAnswer },
  grants_revoked: { covers: optional(permission) },
  changes_staged: { callId: string, changes: stagedChanges },
  file_changed: { callId: string, changes },
  changes_dropped: { callId: string },
  tool_finished: {
    callId: string,
    result: toolResult,
    durationMs: number,
    decision: optional(decision),
    note: text,
    shown: optional(place),
    stopped: yes,
    read: optional(object<FileRead>({ path: string, digest: string })),
    withheld: yes,
  },
  todo_changed: {
    items: arrayOf(object<TodoItem>({ text: string, state: oneOf<TodoItem['state']>({ open: true, doing: true, done: true }) })),
  },
  plan_proposed: { plan },
  plan_resolved: { planId: string, answer: oneOf({ run: true, discard: true }), plan: optional(plan) },
  plan_step: { ...ofStep, status: stepStatus, note: text, implicit: yes, unchanged: yes },
  step_checked: { ...ofStep, ...checked },
  plan_checked: { ...ofPlan, ...checked },
  step_rolled_back: { ...ofStep, undoId: string, results: undoResults },
  plan_revised: { plan, reason: string, was: optional(arrayOf(integer(0, 1_000_000))) },
  budget_reached: { limit: budgetKey, max: number, unpriced: amount },
  run_paused: { reason: pauseReason, summary: string },
  run_resumed: {},
  run_finished: {
    outcome,
    error: optional(object<RunError>({ kind: errorKind, message: string })),
    usage,
    cost: optional(cost),
    sessionCost: optional(cost),
    durationMs: number,
    receipt: optional(receipt),
  },
  undo_staged: { undoId: string, restore: yes, changes: stagedChanges },
  changes_undone: {
    undoneRunId: string,
    results: undoResults,
    undoId: text,
    part: optional(object<{ path: string; hunk?: number }>({ path: string, hunk: amount })),
  },
  changes_restored: { undoId: string, to: restorePoint, results: undoResults },
  answer_rated: { rating: oneOf<Rating | 'none'>({ up: true, down: true, none: true }), words: text },
  session_renamed: { title: string },
  session_titled: { title: string, usage: optional(usage), usd: amount, estimated: amount, estimatedUsd: amount },
  session_pinned: { pinned: boolean },
  session_permission_set: { about: subject, effect: optional(oneOf<'allow' | 'ask' | 'deny'>({ allow: true, ask: true, deny: true })) },
  session_limit_set: { limit: sessionLimit, amount },
  session_grant_revoked: { covers: permission },
  session_forked: { parent: object<SessionParent>({ sessionId: string, seq: integer(0, 2 ** 48) }), copied: amount },
  session_imported: {},
  session_worktree_closed: {
    worktree: string,
    outcome: oneOf<WorktreeOutcome>({ applied: true, dropped: true, copied: true }),
  },
  session_repaired: {},
};

const SHAPES = new Map<unknown, Check<object>>(Object.entries(FIELDS).map(([type, fields]) => [type, object(fields)]));

/** `seq` must leave room for further events, and `at` must be a time that `Date` supports. */
const envelope = object<{ runId: string; seq: number; at: number }>({
  runId: string,
  seq: integer(1, 2 ** 48),
  at: between(0, 8_640_000_000_000_000),
});

/** Returns true if a line of a log is a valid event of this version. */
export function isLogged(value: unknown): value is AgentEvent {
  if (!envelope(value)) return false;
  const { type } = value as { type?: unknown };
  return SHAPES.get(type)?.(value) ?? false;
}
