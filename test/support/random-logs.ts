/** Generates random sessions with streamed deltas. Every event is valid after the events before it. */

import { fitInto } from '../../src/core/compaction/fit.ts';
import { type AssistantMessage, type ToolCall, type UserMessage, user } from '../../src/core/model/messages.ts';
import { note } from '../../src/core/model/notes.ts';
import type { Plan } from '../../src/core/plan/plan.ts';
import { currentStep } from '../../src/core/plan/progress.ts';
import type { ChangeSummary, Decision } from '../../src/core/session/effects.ts';
import { type AgentEvent, type EventBody, isDurable, MODES, type Outcome, type UndoResult } from '../../src/core/session/events.ts';
import { reduce } from '../../src/core/session/reduce.ts';
import type { RuleId } from '../../src/core/session/rule-ids.ts';
import { emptySession, waitsForUser } from '../../src/core/session/session-state.ts';
import { totalsOf } from '../../src/core/session/usage-totals.ts';
import { isValidNext } from '../../src/core/session/valid-events.ts';

const MODEL = { provider: 'p', model: 'm' };
const LIMITS = { turns: 9, callsPerTurn: 9, callsPerRun: 9, minutes: 9 };
const PATHS = ['a.ts', 'b.ts', 'c.ts', 'd.ts'];
const PROMPTS = ['Go', 'Fix it\nand test it', `${'long '.repeat(30)}\nprompt`, ''];
const TOOLS = ['read_file', 'replace_in_file', 'run_command', 'no_such_tool'];
const OUTCOMES = ['answered', 'failed', 'stopped', 'refused'] as const;
const RESULTS = ['restored', 'merged', 'unchanged', 'refused'] as const;

/** @param choices any whole numbers. The same numbers give the same log. */
export function randomLog(choices: readonly number[]): AgentEvent[] {
  return new RandomLog(choices).write();
}

class RandomLog {
  readonly #choices: readonly number[];
  readonly #state = emptySession();
  readonly #events: AgentEvent[] = [];
  /** The last decision about each call. */
  readonly #decisions = new Map<string, Decision>();
  #next = 0;
  #ids = 0;
  #at = 1_000;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  write(): AgentEvent[] {
    while (this.#next < this.#choices.length) {
      this.#at += this.#below(3) * 700;
      const isLive = this.#state.lastRun?.status === 'live';
      const body = isLive ? this.#inRun() : this.#betweenRuns();
      if (body) this.#add(body);
      if (body?.type === 'run_started') this.#add({ type: 'message_added', message: user(body.prompt) });
      if (body?.type === 'plan_proposed') this.#add(this.#finished('plan_proposed'));
    }
    return this.#events;
  }

  #add(body: EventBody): void {
    const { seq, lastRun } = this.#state;
    const runId = body.type === 'run_started' ? this.#id('run') : (lastRun?.runId ?? '');
    const event: AgentEvent = { ...body, runId, seq: isDurable(body) ? seq + 1 : seq, at: this.#at };
    if (isDurable(event)) {
      if (!isValidNext(this.#state, event)) return;
      reduce(this.#state, event);
    }
    if (event.type === 'tool_started') this.#decisions.set(event.callId, event.decision);
    this.#events.push(event);
  }

  /** Returns a whole number from 0 to `end - 1`. */
  #below(end: number): number {
    return (this.#choices[this.#next++] ?? 0) % end;
  }

  #of<T>(list: readonly T[]): T | undefined {
    return list.length > 0 ? list[this.#below(list.length)] : undefined;
  }

  #id(kind: string): string {
    return `${kind}-${++this.#ids}`;
  }

  #betweenRuns(): EventBody | undefined {
    const { lastRun, runs, plans, undos, queue, undone } = this.#state;
    const run = this.#of([...runs.keys()].filter((id) => !undone.has(id)));
    const plan = this.#of([...plans.values()]);
    const choice = lastRun ? this.#below(15) : 0;
    if (choice < 2) {
      const { worktree } = this.#state;
      const begun = { mode: this.#of(MODES) ?? 'ask', prompt: this.#of(PROMPTS) ?? '', model: MODEL, limits: LIMITS };
      const place = worktree ?? (this.#below(4) === 0 ? this.#id('worktree') : undefined);
      // The changes of a worktree are applied to the user's files, so that run does not work in it.
      const applies = worktree !== undefined && this.#below(3) === 0;
      return { type: 'run_started', ...begun, ...(applies ? { applies: { worktree } } : place !== undefined && { worktree: place }) };
    }
    if (choice > 12) {
      const outcome = this.#of(['applied', 'dropped', 'copied'] as const) ?? 'dropped';
      const other = this.#below(3) === 0 ? 'worktree-0' : undefined;
      const worktree = other ?? this.#state.worktree;
      return worktree === undefined ? undefined : { type: 'session_worktree_closed', worktree, outcome };
    }
    if (choice < 5) return lastRun?.status === 'paused' || lastRun?.outcome === 'failed' ? { type: 'run_resumed' } : undefined;
    if (choice === 5 && plan) {
      const edited = { ...plan.plan, revision: plan.plan.revision + 1 };
      return {
        type: 'plan_resolved',
        planId: plan.plan.id,
        answer: this.#of(['run', 'discard']) ?? 'run',
        ...(this.#below(2) && { plan: edited }),
      };
    }
    if (choice === 6 && plan?.status === 'confirmed') {
      const before = [...runs.values()].findLast((each) => each.plan?.id === plan.plan.id);
      const resumes = before && { resumes: before.runId };
      return { type: 'run_started', mode: 'agent', prompt: 'Carry it out', model: MODEL, limits: LIMITS, plan: plan.plan, ...resumes };
    }
    if (choice === 7 && run) return { type: 'changes_undone', undoneRunId: run, results: this.#results(), undoId: this.#id('undo') };
    if (choice === 8 && run)
      return { type: 'changes_undone', undoneRunId: run, results: this.#results(), undoId: this.#id('undo'), part: { path: this.#path() } };
    if (choice === 9 && run) return { type: 'changes_restored', undoId: this.#id('undo'), to: { runId: run }, results: this.#results() };
    const undoId = this.#of([...undos.keys()]);
    if (choice === 10 && undoId !== undefined)
      return { type: 'changes_restored', undoId: this.#id('undo'), to: { undoId }, results: this.#results() };
    if (choice === 12) return { type: 'answer_rated', rating: this.#of(['up', 'down', 'none'] as const) ?? 'up' };
    return choice === 11 ? this.#queued([...queue.keys()]) : this.#revisedPlan();
  }

  #inRun(): EventBody | undefined {
    const { open, results } = this.#state;
    const waiting = open.filter(({ id }) => !results.has(id));
    const call = this.#of(waiting);
    const choice = this.#below(20);
    if (choice === 0) return this.#ending();
    if (choice === 1) return this.#queued([...this.#state.queue.keys()]);
    if (choice === 2) return this.#joined();
    if (choice === 3) return this.#planEvent();
    if (choice === 4) return { type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 1_000 };
    if (choice === 5) return { type: 'limits_shrunk', limits: LIMITS, reason: 'Little memory.' };
    if (choice === 15) return { type: 'hook_ran', hook: 'check', source: 'user', moment: 'run_end', outcome: 'notified', text: 'Done.' };
    if (call) return this.#inCall(call);
    if (choice === 6) return this.#compacted();
    if (choice < 10) return { type: 'turn_started', turn: 1 };
    if (choice < 13) return { type: 'text_delta', text: 'some words ' };
    if (choice === 13) return { type: 'reasoning_delta', text: 'hm ' };
    if (choice === 14) return { type: 'tool_input_delta', name: 'read_file', text: '{"pa' };
    return this.#answer();
  }

  #compacted(): EventBody | undefined {
    const found = fitInto(this.#state, 20 + this.#below(3_000), this.#below(2) === 1);
    if (!found) return undefined;
    const { folds, tokens, ...cut } = found;
    const use = folds ? { by: 'model' as const, usage: { input: this.#below(900), output: this.#below(90) } } : { by: 'rules' as const };
    return {
      type: 'context_compacted',
      reason: 'window',
      ...cut,
      summary: 'So far, so good.',
      before: 2 * tokens,
      after: tokens,
      context: { tokens: { results: tokens }, ratio: 1 },
      ...use,
    };
  }

  #answer(): EventBody {
    const calls = Array.from({ length: this.#below(4) }, (): ToolCall => {
      return { type: 'tool_call', id: this.#id('call'), name: this.#of(TOOLS) ?? '', input: { path: this.#path() } };
    });
    const usage = this.#below(2) ? { usage: { input: this.#below(900), output: this.#below(90) } } : {};
    const usd = this.#below(2) ? { usd: this.#below(100) / 8 } : {};
    const text = this.#below(3) ? [{ type: 'text' as const, text: 'Some words.' }] : [];
    const stop = calls.length > 0 ? 'tool_use' : (this.#of(['end_turn', 'max_tokens', 'aborted'] as const) ?? 'end_turn');
    const message: AssistantMessage = { role: 'assistant', content: [...text, ...calls], from: MODEL, stop, ...usage, ...usd };
    return { type: 'message_added', message };
  }

  #inCall(call: ToolCall): EventBody | undefined {
    const { pendingApprovals, pendingQuestions } = this.#state;
    const callId = call.id;
    const approval = [...pendingApprovals.values()].find((each) => each.callId === callId);
    const question = [...pendingQuestions.values()].find((each) => each.callId === callId);
    const decision = this.#newDecision();
    const approve = this.#below(3) > 0;
    switch (this.#below(12)) {
      case 0:
      case 1:
        return {
          type: 'tool_started',
          callId,
          name: call.name,
          title: `Do ${callId}`,
          effect: call.name === 'read_file' ? 'readonly' : 'mutating',
          targets: [{ path: this.#path(), access: call.name === 'read_file' ? 'read' : 'write' }],
          decision,
          ...(call.name === 'run_command' && { command: `run ${callId}` }),
        };
      case 2:
        return {
          type: 'approval_requested',
          approvalId: this.#id('approval'),
          callId,
          title: 'May I?',
          rule: 'edit',
          reason: '',
          changes: [],
        };
      case 3:
      case 4:
        if (!approval) return undefined;
        return {
          type: 'approval_resolved',
          approvalId: approval.approvalId,
          callId,
          answer: approve ? { approve } : { approve, words: 'No.' },
        };
      case 5:
        if (question) return { type: 'question_answered', questionId: question.questionId, callId, answer: { words: 'So.' } };
        return { type: 'question_asked', questionId: this.#id('question'), callId, question: { id: 'q', text: 'Which?', options: [] } };
      case 6:
        return { type: 'tool_progress', callId, text: 'half' };
      case 7:
        return this.#hasWritten(callId) ? undefined : { type: 'changes_staged', callId, changes: this.#changes() };
      case 8: {
        const staged = this.#staged(callId);
        if (staged) return { type: 'file_changed', callId, changes: staged };
        // A damaged log may lack the event that staged the change.
        return this.#hasWritten(callId) ? undefined : { type: 'file_changed', callId, changes: this.#changes() };
      }
      case 9:
        return { type: 'changes_dropped', callId };
      default: {
        if (approval || question) return undefined;
        const isError = this.#below(2) > 0;
        const result = {
          type: 'tool_result' as const,
          callId,
          name: call.name,
          content: [{ type: 'text' as const, text: callId }],
          isError,
        };
        const judged = this.#decisions.get(callId) ?? (this.#below(2) ? { kind: 'deny', rule: 'unknown-tool', reason: 'So.' } : undefined);
        const withheld = judged?.kind === 'deny' && this.#below(2) > 0;
        return { type: 'tool_finished', callId, result, durationMs: 5, ...(judged && { decision: judged }), ...(withheld && { withheld }) };
      }
    }
  }

  #newDecision(): Decision {
    const kind = this.#of(['allow', 'allow', 'ask', 'deny'] as const) ?? 'allow';
    const rules = { allow: ['read-only'], ask: ['edit'], deny: ['unknown-tool', 'rule'] } as const;
    return { kind, rule: this.#of<RuleId>(rules[kind]) ?? 'rule', reason: 'So.' };
  }

  #path(): string {
    return this.#of(PATHS) ?? '';
  }

  #hasWritten(callId: string): boolean {
    return this.#state.staged.some((write) => write.callId === callId);
  }

  /** Returns the changes that a tool call has staged and will write. */
  #staged(callId: string): ChangeSummary[] | undefined {
    const staged = this.#state.staged.filter((write) => write.callId === callId && !write.landed);
    return staged.length > 0 ? staged.map(({ change }) => ({ ...change, diff: '' })) : undefined;
  }

  #changes(): ChangeSummary[] {
    const paths = new Set(Array.from({ length: 1 + this.#below(2) }, () => this.#path()));
    return [...paths].map((path) => ({
      path,
      kind: this.#of(['edit', 'create', 'delete'] as const) ?? 'edit',
      added: 2,
      removed: 1,
      diff: '',
    }));
  }

  #results(): UndoResult[] {
    const paths = new Set(Array.from({ length: this.#below(4) }, () => this.#path()));
    return [...paths].map((path) => ({ path, outcome: this.#of(RESULTS) ?? 'restored' }));
  }

  #queued(ids: readonly string[]): EventBody {
    const known = this.#of(ids);
    if (known && this.#below(2)) return { type: 'message_unqueued', id: known };
    const message: UserMessage = { role: 'user', content: [{ type: 'text', text: `Also this ${this.#below(9)}` }] };
    return { type: 'message_queued', id: known && this.#below(2) ? known : this.#id('queued'), message };
  }

  /** Returns the event that adds a queued message of the user, or a note of Kedge, to the run. */
  #joined(): EventBody {
    const [first] = this.#state.queue.values();
    const told = { role: 'user', content: [note('undo', 'Taken back.')] } satisfies UserMessage;
    return first ? { type: 'message_added', message: first.message, queued: first.id } : { type: 'message_added', message: told };
  }

  #planEvent(): EventBody | undefined {
    const { lastRun, plans } = this.#state;
    const plan = lastRun?.plan;
    if (!plan) {
      const before = this.#below(2) ? this.#of([...plans.keys()]) : undefined;
      return { type: 'plan_proposed', plan: this.#plan(before) };
    }
    const step = 1 + this.#below(plan.steps.length);
    const of = { planId: plan.id, step };
    const current = currentStep(lastRun);
    switch (this.#below(6)) {
      case 0:
      case 1:
        return current === undefined ? { type: 'plan_step', ...of, status: 'started' } : undefined;
      case 2: {
        const status = this.#of(['done', 'failed', 'skipped'] as const) ?? 'done';
        const unchanged = status === 'done' && this.#below(2) > 0 && { unchanged: true as const };
        return { type: 'plan_step', ...of, step: current ?? step, status, note: 'So.', ...unchanged };
      }
      case 3: {
        const outcome = this.#of(['passed', 'failed', 'not_run'] as const) ?? 'passed';
        const result = { check: { command: `check ${step}` }, outcome, output: '' };
        return this.#below(3) === 0 ? { type: 'plan_checked', planId: plan.id, ...result } : { type: 'step_checked', ...of, ...result };
      }
      case 4:
        return { type: 'step_rolled_back', ...of, undoId: this.#id('undo'), results: this.#results() };
      default:
        return this.#revisedPlan();
    }
  }

  /** Returns an event that revises the plan: steps are moved, a step is added, and a step may be removed. */
  #revisedPlan(): EventBody | undefined {
    const plan = this.#state.lastRun?.plan;
    if (!plan) return undefined;
    const was = [0, ...plan.steps.map((_, index) => plan.steps.length - index)].slice(0, 1 + this.#below(plan.steps.length + 1));
    const steps = was.map((old) => plan.steps[old - 1] ?? { title: 'New', files: ['d.ts'] });
    return { type: 'plan_revised', plan: { ...plan, steps, revision: plan.revision + 1 }, reason: 'Edited.', was };
  }

  #plan(supersedes: string | undefined): Plan {
    const steps = Array.from({ length: 1 + this.#below(3) }, (_, index) => ({ title: `Step ${index + 1}`, files: [this.#path()] }));
    return { id: this.#id('plan'), revision: 1, goal: 'Goal', steps, ...(supersedes !== undefined && { supersedes }) };
  }

  #ending(): EventBody {
    if (this.#below(3) === 0 && !waitsForUser(this.#state)) {
      const reason = this.#of(['limit', 'user', 'interrupted', 'edit_plan', 'repeating'] as const) ?? 'user';
      return { type: 'run_paused', reason, summary: 'So far.' };
    }
    if (this.#below(3) === 0) return { type: 'budget_reached', limit: 'turns', max: 9 };
    return this.#finished(this.#of(OUTCOMES) ?? 'answered');
  }

  #finished(outcome: Outcome): EventBody {
    return { type: 'run_finished', outcome, ...totalsOf(this.#state.lastRun, this.#state, this.#at) };
  }
}
