/** A conversation: one session at a time, and what the user sends to it. */
import { proposedPlan } from '../../../app/session/plans.ts';
import type { Session } from '../../../app/session/session.ts';
import type { ContextUse } from '../../../core/context/window.ts';
import { type ModelRef, textOf } from '../../../core/model/messages.ts';
import { MODES, type Mode } from '../../../core/modes.ts';
import { currentStep } from '../../../core/plan/progress.ts';
import { isChildRun } from '../../../core/session/children/child-ids.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { readLastRun } from '../../../core/view/session-view.ts';
import { contextShare } from '../../../core/words/context-text.ts';
import { sessionLimitsText } from '../../../core/words/session-limits-text.ts';
import { modelText } from '../../../providers/catalog.ts';
import { ringFor } from '../bell.ts';
import type { Kedge } from '../kedge.ts';
import { type Options, UsageError } from '../options/arguments.ts';
import { missingKey } from '../options/environment.ts';
import { harmless, oneLine } from '../output/terminal.ts';
import type { PromptOptions } from '../questions.ts';
import { answerPending, DISCARDED, driveRun } from '../run-session.ts';
import type { Chat } from './chat.ts';
import { COMMANDS, commandIn } from './commands.ts';
import type { Controls, Front } from './front.ts';
import { type Completion, complete, promptCompletion } from './input/completion.ts';
import { editPlan } from './plan-editor.ts';
import { proposeLesson } from './propose-lesson.ts';

export type Beginning = { session: Session; mode: Mode; model: ModelRef | undefined; servers(): Promise<string>; leave(): void };

const OFFLINE: ModelRef = { provider: 'offline', model: 'offline' };

export class Conversation implements Chat, Controls {
  readonly kedge: Kedge;
  readonly env: NodeJS.ProcessEnv;
  readonly front: Front;
  readonly servers: () => Promise<string>;
  readonly leave: () => void;
  mode: Mode;
  agent: string | undefined;
  isVerbose = false;
  readonly #options: Options;
  #session: Session;
  #chosen: ModelRef | undefined;
  #stop: AbortController | undefined;
  /** Messages that the user sent before the run was ready for them. */
  readonly #waiting: string[] = [];
  #context: ContextUse | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(kedge: Kedge, options: Options, env: NodeJS.ProcessEnv, front: Front, { session, mode, model, servers, leave }: Beginning) {
    this.kedge = kedge;
    this.env = env;
    this.front = front;
    this.servers = servers;
    this.leave = leave;
    this.mode = mode;
    this.agent = options.agent === 'none' ? '' : options.agent;
    this.#options = options;
    this.#chosen = model;
    this.#session = session;
  }

  get session(): Session {
    return this.#session;
  }

  get model(): ModelRef {
    return this.#chosen ?? this.#session.state.lastRun?.model ?? OFFLINE;
  }

  get isRunning(): boolean {
    return this.#stop !== undefined;
  }

  get queued(): readonly string[] {
    return [...[...this.#session.state.queue.values()].map(({ message }) => textOf(message)), ...this.#waiting];
  }

  get facts(): readonly string[] {
    const context = this.#context && `context ${contextShare(this.#context)}${this.#context.window === undefined ? ' tokens' : ''}`;
    const run = this.#session.state.lastRun;
    const step = this.isRunning && run?.plan ? currentStep(run) : undefined;
    const progress = step === undefined ? [] : [`step ${step} of ${run?.plan?.steps.length}`];
    const agent = this.agent ?? this.#session.state.agent;
    return [...progress, this.mode, ...(agent ? [agent] : []), modelText(this.model), ...(context ? [context] : [])];
  }

  setModel(model: ModelRef): void {
    this.kedge.expectPrice(model);
    this.#chosen = model;
    this.front.update();
  }

  /** Shows the session, or a new one, and asks what it waits for. */
  async open(session?: Session): Promise<void> {
    if (this.isRunning) throw new UsageError('A run is in progress. Stop it with Ctrl+C, or wait until it ends.');
    this.#session = session ?? (await this.kedge.assistant.newSession());
    const { state, damage, events } = this.#session;
    const run = state.lastRun ? readLastRun(events) : undefined;
    const renderer = this.front.show(run, () => this.isVerbose);
    this.#unsubscribe();
    this.#context = run?.context;
    const follow = (event: AgentEvent) => {
      const isTurn = event.type === 'turn_started' && !isChildRun(event.runId);
      if (isTurn) this.#context = event.context;
      renderer.handle(event);
      if (isTurn) for (const text of this.#waiting.splice(0)) void this.submit(text);
    };
    this.#unsubscribe = this.#session.subscribe(follow, { withChildren: true });
    if (this.#options.bell) this.#ringFor(this.#session);
    if (!run) return;
    if (state.lastRun) this.mode = state.lastRun.mode;
    this.front.say(
      `Session “${oneLine(state.title || run.prompt, 100)}”, ${state.runs.size} ${state.runs.size === 1 ? 'message' : 'messages'}. The last one:`,
    );
    this.front.echo(oneLine(run.prompt, 500));
    const answer = run.turns
      .map(({ text }) => text)
      .filter((text) => text.trim())
      .at(-1);
    if (answer) this.front.markdown(`${answer}\n`);
    if (damage) this.front.say(oneLine(damage, 1_000));
    const limits = sessionLimitsText(state.limits);
    if (limits) this.front.say(limits);
    if (this.#isOpen || proposedPlan(state)) await this.proceed();
    else if (run.paused) this.front.say('The run is paused. To continue it: /continue');
  }

  async submit(text: string): Promise<void> {
    try {
      const found = commandIn(text);
      if (found && 'unknown' in found && (await this.sendPrompt(text))) return this.front.update();
      if (found && 'unknown' in found) this.front.say(`There is no command /${harmless(found.unknown)}. See /help.`);
      else if (found) await found.command.run(this, found.words);
      else await this.send(text, this.mode);
    } catch (error) {
      this.front.say(`kedge: ${oneLine(error instanceof Error ? error.message : String(error), 1_000)}`);
    }
    this.front.update();
  }

  async sendPrompt(text: string): Promise<boolean> {
    const { expectFits, promptFile } = await import('../customizations/prompt-files.ts');
    const { kedge, mode, session } = this;
    const sent = await promptFile(kedge.assistant, session, text, { mode, prompter: this.front.prompter, signal: this.#signal });
    if (!sent) return false;
    if (this.isRunning) expectFits(sent, session.state.lastRun?.mode);
    this.front.echo(sent.text);
    await this.send(sent.text, sent.mode, text);
    return true;
  }

  async send(text: string, mode: Mode, typed = text): Promise<void> {
    const session = this.#session;
    const { lastRun } = session.state;
    const isPaused = lastRun?.status === 'paused' && lastRun.pause === 'user';
    if (this.isRunning && !session.running) {
      // The run is being prepared, or waits for the confirmation of a plan.
      this.#waiting.push(text);
      return;
    }
    if (this.isRunning || isPaused) {
      await session.say({ text, mode, attachments: await this.#mentioned(typed, new AbortController().signal) });
      return isPaused && !this.isRunning ? this.proceed() : undefined;
    }
    await this.run(async (model) => {
      const attachments = await this.#mentioned(typed, this.#signal);
      if (this.#signal.aborted) return;
      const plan = mode === 'plan' && attachments.length === 0 ? proposedPlan(session.state) : undefined;
      await (plan
        ? session.plans.change(plan, text, { model })
        : session.prompt({ text, mode, model, attachments, ...(this.agent !== undefined && { agent: this.agent }) }));
    });
  }

  async proceed(): Promise<void> {
    const { state, plans } = this.#session;
    const { lastRun } = state;
    await this.run(async () => {
      if (this.#isOpen) return answerPending(this.#session, this.#options, this.#signal, this.#promptOptions);
      // The plan is confirmed as after its run.
      if (proposedPlan(state)) return;
      const unfinished = plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === lastRun?.runId);
      if (unfinished && lastRun?.outcome !== 'failed') return plans.resume(unfinished.plan.id);
      return this.#session.resume({ raise: true });
    }, lastRun?.model);
  }

  async run(start: (model: ModelRef) => Promise<void>, model = this.model): Promise<void> {
    if (this.#stop) throw new UsageError('A run is in progress. Stop it with Ctrl+C, or wait until it ends.');
    const stop = new AbortController();
    this.#stop = stop;
    this.front.update();
    const session = this.#session;
    try {
      this.kedge.expectPrice(model);
      const { config, agentProblem } = await this.kedge.use(model, session, stop.signal);
      const missing = missingKey(model, config);
      if (missing) throw new Error(`${missing} To choose another model: /model`);
      if (agentProblem && this.mode === 'agent') this.front.say(oneLine(agentProblem, 1_000));
      if (stop.signal.aborted) return;
      const end = await driveRun(session, () => start(model), this.#promptOptions, stop.signal, this.#options.runPlan);
      if (end === 'discarded') this.front.say(DISCARDED);
      else if (end === 'kept') this.front.say('The plan has not been run yet. To run it: /continue');
      else this.#sayHowToContinue();
      await proposeLesson(this);
    } catch (error) {
      // A stopped run has said so itself.
      if (!stop.signal.aborted) throw error;
    } finally {
      this.#stop = undefined;
      if (stop.signal.aborted) this.#returnQueued();
      this.front.update();
    }
    for (const text of this.#waiting.splice(0)) await this.submit(text);
  }

  interrupt(): boolean {
    if (!this.#stop || this.#stop.signal.aborted) return false;
    this.#stop.abort();
    return true;
  }

  pauseOrContinue(): void {
    const { lastRun } = this.#session.state;
    if (this.#session.running) {
      this.#session.pause();
      this.front.say('The run pauses after its current step.');
    } else if (!this.isRunning && lastRun?.status === 'paused') void this.submit('/continue');
  }

  nextMode(): void {
    this.mode = MODES[(MODES.indexOf(this.mode) + 1) % MODES.length] as Mode;
    this.front.update();
  }

  retryNow(): boolean {
    if (!this.#session.waiting) return false;
    this.#session.retryNow();
    return true;
  }

  complete(text: string, caret: number): Promise<Completion | undefined> {
    const commands = COMMANDS.map(({ values, ...command }) => ({ ...command, ...(values && { values: () => values(this) }) }));
    const prompts = async () => (await (await this.kedge.assistant.customizations(this.#session)).commands()).map(promptCompletion);
    return complete(text, caret, commands, () => this.kedge.assistant.mentions(this.#session), prompts);
  }

  get #signal(): AbortSignal {
    return this.#stop?.signal ?? new AbortController().signal;
  }

  get #isOpen(): boolean {
    const { pendingApprovals, pendingQuestions } = this.#session.state;
    return pendingApprovals.size + pendingQuestions.size > 0;
  }

  get #promptOptions(): PromptOptions {
    const { prompter } = this.front;
    return {
      interactive: true,
      yes: this.#options.yes,
      prompter,
      ...(prompter.readsKeys && { editPlan: (plan) => editPlan(plan, this.front, this.env) }),
    };
  }

  async #mentioned(text: string, signal: AbortSignal) {
    if (!text.includes('@')) return [];
    const { readTyped } = await import('../mentions.ts');
    return readTyped(this.kedge.assistant, this.#session, text, signal, this.model, { interactive: true, ...this.front.prompter });
  }

  /** Messages that wait for a run that was stopped return to the input. */
  #returnQueued(): void {
    const { queue, state } = this.#session;
    const texts = [...this.queued];
    for (const id of [...state.queue.keys()]) queue.remove(id);
    this.#waiting.length = 0;
    if (texts.length > 0) this.front.draft(texts.join('\n'));
  }

  #ringFor(session: Session): void {
    const unsubscribe = this.#unsubscribe;
    const stopRinging = ringFor(session, this.front.bell);
    this.#unsubscribe = () => {
      unsubscribe();
      stopRinging();
    };
  }

  #sayHowToContinue(): void {
    const run = this.#session.state.lastRun;
    if (run?.status === 'paused') this.front.say('To continue: Escape, /continue, or a message');
    else if (run?.outcome === 'failed') this.front.say('To try again: /continue');
  }
}
