/**
 * A session is what its events say. This reducer is the only code that turns events into state: the loop runs on it while
 * events happen, and a reload folds the same events from the log and stands at the same place.
 */
import type { AgentEvent, ApprovalAnswer, Mode, Outcome, PauseReason, QuestionAnswer } from './events.ts';
import type { Cost, Message, ModelRef, ToolCall, ToolResult, Usage } from './messages.ts';
import { callsOf } from './messages.ts';
import type { Plan } from './plan.ts';
import type { ChangeSummary } from './tool.ts';

export type ApprovalRequest = Extract<AgentEvent, { type: 'approval_requested' }>;
export type AskedQuestion = Extract<AgentEvent, { type: 'question_asked' }>;

export type RunRecord = {
  runId: string;
  mode: Mode;
  model: ModelRef;
  prompt: string;
  plan?: Plan;
  /** `live` after a crash or reload means: interrupted, and can be resumed. */
  status: 'live' | 'paused' | 'finished';
  pause?: PauseReason;
  outcome?: Outcome;
  /** Of all its answers so far, over pauses and reloads. */
  usage: Usage;
  cost: Partial<Cost>;
  editsGranted: boolean;
  changed: boolean;
};

type StagedChange = Omit<ChangeSummary, 'diff'>;

export type SessionState = {
  seq: number;
  title: string;
  /** Of all runs. */
  usage: Usage;
  cost: Partial<Cost>;
  runs: Map<string, RunRecord>;
  lastRun: RunRecord | undefined;
  messages: Message[];
  /** Calls of the last assistant message, while not all of them have a result. */
  open: ToolCall[];
  results: Map<string, ToolResult>;
  /** Calls that may have taken effect although no result of them is known. */
  begun: Set<string>;
  approvals: Map<string, { digest?: string; answer: ApprovalAnswer }>;
  pendingApprovals: Map<string, ApprovalRequest>;
  questionAnswers: Map<string, QuestionAnswer>;
  pendingQuestions: Map<string, AskedQuestion>;
  plans: Map<string, { plan: Plan; status: 'proposed' | 'confirmed' | 'discarded' }>;
  /** What runs were about to write, in order, for undo; `landed` when it is known that they did. */
  staged: { runId: string; callId: string; change: StagedChange; landed: boolean }[];
  undone: Set<string>;
  sessionEditsGranted: boolean;
  callIds: Set<string>;
};

export function emptySession(): SessionState {
  return {
    seq: 0,
    title: '',
    usage: {},
    cost: {},
    runs: new Map(),
    lastRun: undefined,
    messages: [],
    open: [],
    results: new Map(),
    begun: new Set(),
    approvals: new Map(),
    pendingApprovals: new Map(),
    questionAnswers: new Map(),
    pendingQuestions: new Map(),
    plans: new Map(),
    staged: [],
    undone: new Set(),
    sessionEditsGranted: false,
    callIds: new Set(),
  };
}

/** Takes a durable event into the state. Transient events must not be passed. */
export function reduce(state: SessionState, event: AgentEvent): void {
  state.seq = event.seq;
  const run = state.runs.get(event.runId);
  switch (event.type) {
    case 'run_started': {
      const { runId, mode, model, prompt, plan } = event;
      state.title ||= prompt.split('\n', 1)[0]?.slice(0, 80) ?? '';
      const fresh = { status: 'live', usage: {}, cost: {}, editsGranted: false, changed: false } as const;
      state.lastRun = { runId, mode, model, prompt, ...(plan && { plan }), ...fresh };
      state.runs.set(runId, state.lastRun);
      break;
    }
    case 'message_added':
      closeOpenCalls(state);
      state.messages.push(event.message);
      state.open = callsOf(event.message);
      for (const call of state.open) state.callIds.add(call.id);
      if (event.message.role === 'assistant') {
        const { usage, usd } = event.message;
        if (run && usage) run.usage = addUsage(run.usage, usage);
        if (run) run.cost = addCost(run.cost, usd);
        if (usage) state.usage = addUsage(state.usage, usage);
        state.cost = addCost(state.cost, usd);
      }
      break;
    case 'tool_started':
      if (event.effect !== 'readonly' && event.decision.kind === 'allow') state.begun.add(event.callId);
      break;
    case 'approval_requested':
      // A new question about a call, whose effect is another by now, stands in the place of the old one.
      for (const [id, { callId }] of state.pendingApprovals) if (callId === event.callId) state.pendingApprovals.delete(id);
      state.pendingApprovals.set(event.approvalId, event);
      break;
    case 'approval_resolved':
      state.pendingApprovals.delete(event.approvalId);
      state.approvals.set(event.callId, { answer: event.answer, ...(event.digest !== undefined && { digest: event.digest }) });
      if (event.answer.approve) {
        if (event.answer.grant === 'run' && run) run.editsGranted = true;
        if (event.answer.grant === 'session') state.sessionEditsGranted = true;
      }
      break;
    case 'question_asked':
      state.pendingQuestions.set(event.questionId, event);
      break;
    case 'question_answered':
      state.pendingQuestions.delete(event.questionId);
      state.questionAnswers.set(event.questionId, event.answer);
      break;
    case 'grants_revoked':
      state.sessionEditsGranted = false;
      for (const each of state.runs.values()) each.editsGranted = false;
      break;
    case 'changes_staged':
      state.begun.add(event.callId);
      for (const change of event.changes) state.staged.push({ runId: event.runId, callId: event.callId, change, landed: false });
      if (run) run.changed = true;
      break;
    case 'file_changed':
      for (const entry of state.staged) if (entry.callId === event.callId) entry.landed = true;
      break;
    case 'tool_finished':
      state.results.set(event.callId, event.result);
      if (state.open.length > 0 && state.open.every((call) => state.results.has(call.id))) closeOpenCalls(state);
      break;
    case 'plan_proposed':
      state.plans.set(event.plan.id, { plan: event.plan, status: 'proposed' });
      break;
    case 'plan_resolved': {
      const known = state.plans.get(event.planId);
      if (known) {
        known.plan = event.plan ?? known.plan;
        known.status = event.answer === 'run' ? 'confirmed' : 'discarded';
      }
      break;
    }
    case 'run_paused':
      if (run) Object.assign(run, { status: 'paused', pause: event.reason });
      break;
    case 'run_resumed':
      if (run) run.status = 'live';
      break;
    case 'run_finished':
      if (run) Object.assign(run, { status: 'finished', outcome: event.outcome });
      for (const pending of [state.pendingApprovals, state.pendingQuestions])
        for (const [id, request] of pending) if (request.runId === event.runId) pending.delete(id);
      break;
    case 'changes_undone':
      if (event.results.every((result) => result.outcome !== 'refused')) state.undone.add(event.undoneRunId);
      break;
  }
}

/** Whether the user has to answer something before the run can go on. */
export function waitsForUser({ pendingApprovals, pendingQuestions }: SessionState): boolean {
  return pendingApprovals.size > 0 || pendingQuestions.size > 0;
}

export function foldSession(events: Iterable<AgentEvent>): SessionState {
  const state = emptySession();
  for (const event of events) reduce(state, event);
  return state;
}

/**
 * Moves the open calls' results into the history. A call without a result gets a synthetic one, because every wire refuses
 * a history in which a call is left unanswered; this way a session can always go on.
 */
function closeOpenCalls(state: SessionState): void {
  if (state.open.length === 0) return;
  const content = state.open.map((call) => state.results.get(call.id) ?? orphanResult(call, state.begun.has(call.id)));
  state.messages.push({ role: 'tool', content });
  state.open = [];
  state.results.clear();
  state.begun.clear();
}

export function orphanResult(call: ToolCall, mayHaveHappened: boolean): ToolResult {
  const text = mayHaveHappened
    ? 'Interrupted. This call may have taken effect: look before you rely on either.'
    : 'Not executed: the run was stopped before this call.';
  return { type: 'tool_result', callId: call.id, name: call.name, content: [{ type: 'text', text }], isError: true };
}

/** What is unknown in one adds nothing to the sum, and what is unknown in both stays unknown. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const total: Usage = { ...sum };
  for (const key of ['input', 'output', 'cached', 'reasoning'] as const) {
    const value = more[key];
    if (value !== undefined) total[key] = (sum[key] ?? 0) + value;
  }
  return total;
}

export function addCost(sum: Partial<Cost>, usd: number | undefined): Partial<Cost> {
  return usd === undefined ? { ...sum, unpriced: (sum.unpriced ?? 0) + 1 } : { ...sum, usd: (sum.usd ?? 0) + usd };
}

/** What a run, and its session so far, have used up: for the event that ends the run. */
export function spent(run: RunRecord | undefined, session: SessionState): { usage: Usage; cost?: Cost; sessionCost?: Cost } {
  const cost = knownCost(run?.cost);
  const sessionCost = knownCost(session.cost);
  return { usage: run?.usage ?? {}, ...(cost && { cost }), ...(sessionCost && { sessionCost }) };
}

function knownCost({ usd, ...more }: Partial<Cost> = {}): Cost | undefined {
  return usd === undefined ? undefined : { usd, ...more };
}

/** The history as a model may see it: an answer without content is left out, since wires refuse it. */
export function messagesForModel(state: SessionState): Message[] {
  return state.messages.filter((message) => message.content.length > 0);
}

/** Whether the conversation ends with half an answer, which can be gone on with. */
export function brokeOff({ messages }: SessionState): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.stop === 'aborted';
}
