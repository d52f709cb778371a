/** One session of a client: its prompts, its run, and the questions that the run asks the user. */
import { type ContentBlock, RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { SentPrompt } from '../../app/customizations/index.ts';
import type { Confirm } from '../../app/mentions/index.ts';
import { proposedPlan } from '../../app/session/plans.ts';
import { initiation } from '../../app/session/prompt.ts';
import type { Session } from '../../app/session/session.ts';
import { mentionLabel, refusalText } from '../../core/model/mentions.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import type { Mode } from '../../core/modes.ts';
import type { AgentEvent, Outcome, PauseReason } from '../../core/session/events.ts';
import { entryProblem, parseSlashCommand, rememberedText } from '../../core/words/slash-commands.ts';
import { type AskedAgent, agentCommand } from './agents.ts';
import { askForAgent, askForPlan, askToSend } from './asking/approvals.ts';
import { Asking } from './asking/asking.ts';
import { answerIn } from './asking/questions.ts';
import type { SessionClient } from './client.ts';
import { lessonCommand, proposedLesson } from './lessons.ts';
import type { OpenedFolders } from './ports.ts';
import { type PromptContent, readContent } from './prompt-content.ts';
import { textBlock } from './updates/markdown.ts';
import type { ClientPaths } from './updates/tool-calls.ts';
import { Updates } from './updates/updates.ts';

/** The choices of the user for the next prompts. `agent` is empty for none, and missing for the agent of the last run. */
export type Chosen = { mode: Mode; model: ModelRef; agent?: string };

type RunEnd = Extract<AgentEvent, { type: 'run_finished' | 'run_paused' }>;

/** The reasons that the protocol names. For all others, the turn has ended. */
const PAUSES: Partial<Record<PauseReason, StopReason>> = { limit: 'max_turn_requests', max_tokens: 'max_tokens' };
const ENDS: Partial<Record<Outcome, StopReason>> = { refused: 'refusal', stopped: 'cancelled' };

export class AcpSession {
  readonly updates: Updates;
  chosen: Chosen;
  /** Called when a prompt has chosen an agent. */
  onAgentChosen: () => void = () => undefined;
  readonly #session: Session;
  readonly #folders: OpenedFolders;
  readonly #client: SessionClient;
  readonly #asking: Asking;
  /** Ends the prompt that is in progress. */
  #stop: AbortController | undefined;
  /** The run in progress. It outlasts its prompt if the next prompt answers its question. */
  #run: Promise<void> | undefined;
  /** How the last run of the prompt in progress has ended or paused. */
  #end: RunEnd | undefined;

  constructor(session: Session, folders: OpenedFolders, client: SessionClient, paths: ClientPaths, chosen: Chosen) {
    this.chosen = chosen;
    this.#session = session;
    this.#folders = folders;
    this.#client = client;
    this.updates = new Updates(client, paths, session.state);
    this.#asking = new Asking(session, client, paths, this.updates, () => this.cancel());
    session.subscribe((event) => this.#handle(event));
  }

  /** Aborts when the prompt that is in progress is cancelled. */
  get signal(): AbortSignal {
    return this.#stop?.signal ?? new AbortController().signal;
  }

  /** Sends the events of a session that is loaded, and says what it waits for. */
  replay(): void {
    const { state, damage, events } = this.#session;
    this.updates.replay(events);
    if (damage) this.updates.say({ title: damage, severity: 'warning' });
    const isOpen = state.pendingApprovals.size + state.pendingQuestions.size > 0;
    for (const asked of state.pendingQuestions.values()) this.#asking.show(asked);
    if (isOpen) this.updates.say({ title: 'The last run is waiting for your answer. To be asked again, send /continue.' });
    else if (proposedPlan(state)) this.updates.say({ title: 'The plan has not been run yet. To confirm it, send /run.' });
  }

  /** Carries out a prompt until its run has ended or waits for the next prompt. @throws RequestError if it fails */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#stop) throw new RequestError(-32600, 'A prompt is in progress in this session. Cancel it, or wait until it ends.');
    const stop = new AbortController();
    this.#stop = stop;
    this.#end = undefined;
    // A choice that the user makes while the prompt is read is for the next prompt.
    const { chosen } = this;
    const cancel = () => void this.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const content = await this.#read(blocks, chosen.model);
      const plan = content.text === '/run' ? this.#lastProposed() : undefined;
      if (plan === undefined) await this.#act(content, chosen);
      await this.#confirmPlans(plan);
      const lesson = await proposedLesson(this.#end, this.#folders.assistant, this.#session);
      if (lesson) this.updates.say(lesson);
      return stop.signal.aborted ? 'cancelled' : this.#stopReason();
    } catch (error) {
      if (stop.signal.aborted) return 'cancelled';
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#asking.end();
      await this.updates.sent;
      this.#stop = undefined;
    }
  }

  /** Stops the run, and ends the prompt. Resolves when the run has ended. */
  async cancel(): Promise<void> {
    this.#stop?.abort();
    if (this.#stop || this.#session.running) await this.#session.stop();
  }

  /** Asks whether an agent of the workspace may run. A client that cannot ask the user has accepted nothing. */
  reviewAgent(agent: AskedAgent): Promise<boolean> {
    return askForAgent(this.#client, agent, this.signal).catch(() => false);
  }

  /** Ends the session in this program. A run is stopped. */
  async close(): Promise<void> {
    await this.cancel().catch(() => undefined);
    await this.#folders.pruneCheckpoints().catch(() => undefined);
    await this.shutDown();
  }

  /** Ends everything that the session has started. A run can be continued later. */
  shutDown(): Promise<void> {
    return this.#folders.assistant.shutDown();
  }

  #handle(event: AgentEvent): void {
    this.updates.event(event);
    if (event.type === 'run_finished' || event.type === 'run_paused') this.#end = event;
    if (this.#stop) this.#asking.event(event, this.#stop.signal);
  }

  async #read(blocks: readonly ContentBlock[], model: ModelRef): Promise<PromptContent> {
    const { assistant, fs } = this.#folders;
    const mentions = await assistant.mentions(this.#session);
    const confirm: Confirm = ({ reason }, ref) => askToSend(this.#client, mentionLabel(ref), reason, this.signal);
    const content = await readContent(blocks, {
      folders: fs.folders,
      check: (ref) => mentions.check(ref),
      read: (refs, confirm) => mentions.read(refs, confirm, this.signal, model),
      confirm,
    });
    const prompt = await mentions.promptIn(content.text);
    if (prompt) {
      const { parts, refused } = await mentions.read([prompt], confirm, this.signal, model);
      content.attachments.push(...parts);
      content.refused.push(...refused);
    }
    if (content.refused.length > 0) this.updates.say({ title: 'Not everything was sent.', detail: refusalText(content.refused) });
    return content;
  }

  /** A prompt can be a command, the answer to a question, or a message. */
  async #act({ text: prompt, attachments }: PromptContent, selected: Chosen): Promise<void> {
    const { state } = this.#session;
    const { mode, model } = selected;
    if (prompt === '/continue') return this.#continue();
    const chosen = await agentCommand(prompt, this.#folders.assistant, this.#session);
    if (chosen) this.updates.say(chosen);
    const named = chosen?.agent === undefined ? {} : { agent: chosen.agent };
    this.chosen = { ...this.chosen, ...named };
    if (chosen) this.onAgentChosen();
    if (chosen && !chosen.task) return;
    const text = chosen?.task ?? prompt;
    const command = parseSlashCommand(text);
    const [question] = state.pendingQuestions.values();
    const answer = question && !command ? answerIn(text, question) : undefined;
    if (question && answer) {
      await this.#use(state.lastRun?.model ?? model);
      const run = this.#run;
      const answered = this.#session.answerQuestion(question.questionId, answer);
      // A turn can ask several things at once. What was left open is asked again.
      return this.#follow(Promise.all([answered, run, this.#asking.again(this.signal)]));
    }
    if (command) {
      if (command.name === 'remember') return this.#remember(command.entry, command.everywhere);
      await this.#use(model);
      return command.name === 'compact'
        ? this.#follow(this.#session.compact(command.words))
        : this.#follow(this.#session.prompt(...initiation(command.words, model)));
    }
    const lesson = await lessonCommand(text, this.#folders.assistant, this.#session);
    if (lesson) return this.updates.say(lesson);
    const sent = text.startsWith('/') ? await this.#promptFile(text, mode) : undefined;
    if (sent) return this.#send({ text: sent.text, attachments, refused: [] }, { ...selected, ...named, mode: sent.mode });
    return this.#send({ text, attachments, refused: [] }, { ...selected, ...named });
  }

  /** Returns the message for the command of a prompt file. The user sees the text that is sent. */
  async #promptFile(text: string, mode: Mode): Promise<SentPrompt | undefined> {
    const { expectFits } = await import('../../app/customizations/index.ts');
    const sent = await (await this.#folders.assistant.customizations(this.#session)).promptIn(text, { mode });
    if (sent && this.#isOpen) expectFits(sent, this.#session.state.lastRun?.mode);
    if (sent) this.updates.message('user_message_chunk', textBlock(sent.text));
    return sent;
  }

  async #send({ text, attachments }: PromptContent, { mode, model, agent: name }: Chosen): Promise<void> {
    const { state, queue, plans } = this.#session;
    if (text === '' && attachments.length === 0) throw RequestError.invalidParams(undefined, 'The prompt is empty.');
    if (this.#isOpen) {
      // The run waits for an answer, so the model receives the message with its next turn.
      queue.add({ role: 'user', content: [...(text ? [{ type: 'text' as const, text }] : []), ...attachments] });
      return this.#askAgain();
    }
    await this.#use(model);
    const agent = name === undefined ? {} : { agent: name };
    const plan = mode === 'plan' && attachments.length === 0 ? proposedPlan(state) : undefined;
    return this.#follow(plan ? plans.change(plan, text, { model }) : this.#session.prompt({ text, mode, model, attachments, ...agent }));
  }

  get #isOpen(): boolean {
    const { pendingApprovals, pendingQuestions } = this.#session.state;
    return !this.#session.running && pendingApprovals.size + pendingQuestions.size > 0;
  }

  async #continue(): Promise<void> {
    const { state, plans } = this.#session;
    if (this.#isOpen) return this.#askAgain();
    if (proposedPlan(state)) return;
    const { lastRun } = state;
    await this.#use(lastRun?.model ?? this.chosen.model);
    const unfinished = plans.list().findLast(({ stage, runId }) => stage === 'stopped' && runId === lastRun?.runId);
    const resumed = unfinished && lastRun?.outcome !== 'failed' ? plans.resume(unfinished.plan.id) : this.#session.resume({ raise: true });
    return this.#follow(resumed);
  }

  /** Asks what an earlier process left open. The last answer continues the run. */
  async #askAgain(): Promise<void> {
    await this.#use(this.#session.state.lastRun?.model ?? this.chosen.model);
    return this.#follow(this.#asking.again(this.signal));
  }

  async #use(model: ModelRef): Promise<void> {
    this.#folders.expectPrice(model);
    await this.#folders.use(model, this.#session, this.signal);
    this.signal.throwIfAborted();
  }

  /** Waits until the run has ended, or until the next prompt has to answer its question. */
  async #follow(run: Promise<unknown>): Promise<void> {
    const following = run.then(() => undefined);
    this.#run = following;
    const forget = () => {
      if (this.#run === following) this.#run = undefined;
    };
    following.then(forget, forget);
    await Promise.race([following, this.#asking.left()]);
    this.#asking.expectAsked();
  }

  /** Returns the id of the plan that was proposed last. @throws RequestError if none is proposed */
  #lastProposed(): string {
    const proposed = [...this.#session.state.plans].findLast(([, { status }]) => status === 'proposed');
    if (proposed) return proposed[0];
    throw new RequestError(-32603, 'There is no proposed plan in this session. Request one in Plan mode.');
  }

  /** Asks for the confirmation of the proposed plan and runs it, as long as runs propose plans. */
  async #confirmPlans(first = proposedPlan(this.#session.state)): Promise<void> {
    const { state, plans } = this.#session;
    for (let id = first; id && !this.signal.aborted; id = proposedPlan(state)) {
      const plan = state.plans.get(id)?.plan;
      if (!plan) return;
      const toolCallId = `plan-${id}-${plan.revision}`;
      this.updates.call({ toolCallId, title: 'Run the plan', kind: 'switch_mode', status: 'pending' });
      await this.updates.sent;
      const answer = await askForPlan(this.#client, plan, toolCallId, this.signal);
      const runs = answer === 'run' || answer === 'run_and_allow_edits';
      this.updates.call({ toolCallId, status: runs ? 'completed' : 'failed' });
      if (answer === 'keep' || this.signal.aborted) return;
      if (!runs) {
        await plans.answer(id, 'discard');
        return this.updates.say({ title: 'The plan was discarded. Nothing was changed.' });
      }
      const { model } = this.chosen;
      await this.#use(model);
      await this.#follow(plans.answer(id, 'run', { model, allowEdits: answer === 'run_and_allow_edits' }));
    }
  }

  async #remember(entry: string, everywhere: boolean): Promise<void> {
    const problem = entryProblem(entry);
    if (problem) throw new RequestError(-32602, problem);
    await this.#folders.memory.add(everywhere ? 'user' : 'workspace', entry);
    this.updates.say({ title: rememberedText(entry, everywhere) });
  }

  /** @throws RequestError if the run failed */
  #stopReason(): StopReason {
    if (!this.#end) return 'end_turn';
    if (this.#end.type === 'run_paused') return PAUSES[this.#end.reason] ?? 'end_turn';
    const { error, outcome } = this.#end;
    if (error) throw new RequestError(-32603, error.message, { kind: error.kind });
    return ENDS[outcome] ?? 'end_turn';
  }
}
