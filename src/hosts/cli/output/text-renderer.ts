/** Prints events as text: the answer on stdout, everything else on stderr. */

import { type AssistantMessage, type Cost, resultText, textOf, type Usage } from '../../../core/model/messages.ts';
import { noteTexts } from '../../../core/model/notes.ts';
import { isChildRun } from '../../../core/session/children/child-ids.ts';
import { type AgentEvent, isDurable, type PauseReason, type Receipt } from '../../../core/session/events.ts';
import { planLines } from '../../../core/view/plan-details.ts';
import { rulesIn, rulesText } from '../../../core/view/read-rules.ts';
import { proofOf, receiptLine } from '../../../core/view/receipt.ts';
import { follow } from '../../../core/view/reduce-run.ts';
import { landedChanges } from '../../../core/view/run-changes.ts';
import { type CallView, findCall, nextStepText, type RunView } from '../../../core/view/run-view.ts';
import { dollars, tokens } from '../../../core/words/amounts.ts';
import { reachedText } from '../../../core/words/budget-text.ts';
import { linkStart, withoutCommands } from '../../../core/words/command-links.ts';
import { compactedText, contextText } from '../../../core/words/context-text.ts';
import { hookText } from '../../../core/words/hook-text.ts';
import { planEventText } from '../../../core/words/plan-text.ts';
import { waitingText } from '../../../core/words/retry-text.ts';
import { todoText } from '../../../core/words/todo-text.ts';
import { childLine } from './child-lines.ts';
import { Countdown } from './countdown.ts';
import { LiveOutput } from './live-output.ts';
import { ProgressLine } from './progress-line.ts';
import { changeCounts, duration, harmless, type Output, oneLine, type Paint, paintFor } from './terminal.ts';

/**
 * The number of characters at the beginning of each text that are held back on a terminal. Only the end of a message shows whether its text
 * is the answer or a thought before tool calls. If stdout is a pipe, the complete text is held back.
 */
const HELD_CHARS = 240;
const PAUSED: Record<PauseReason, string> = {
  limit: 'Paused at a limit.',
  max_tokens: 'Paused: the answer reached the output limit.',
  interrupted: 'Interrupted.',
  edit_plan: 'Paused until the plan is edited.',
  user: 'Paused.',
  repeating: 'Paused: the model is repeating itself.',
};
const CONNECT =
  'choose a model with --model, for example -m openai/gpt-6.1-sol, and set its key, for example OPENAI_API_KEY (see kedge models)';

/** The parts that are redrawn on a terminal, and the other parts that depend on the host. */
export type Redrawn = {
  countdown?: Pick<Countdown, 'begin' | 'clear' | 'end'>;
  liveOutput?: Pick<LiveOutput, 'show' | 'clear'>;
  progressLine?: Pick<ProgressLine, 'begin' | 'end'>;
  /** The number of characters at the beginning of each text that are held back. */
  heldChars?: number;
  paint?: Paint;
  undo?: string;
};

function redrawnOn(err: Output): Redrawn {
  if (!err.isTTY || process.env.TERM === 'dumb') return {};
  return { countdown: new Countdown(err), liveOutput: new LiveOutput(err, paintFor(err)), progressLine: new ProgressLine(err) };
}

export class TextRenderer {
  readonly #out: Output;
  readonly #err: Output;
  /** The run that is shown, reduced from its durable events. */
  #run: RunView | undefined;
  #held = '';
  #streaming = false;
  #reasoning = false;
  readonly #redrawn: Redrawn;
  readonly #readsLines: boolean;
  readonly #paint: Paint;

  /**
   * `readsLines` is true if lines that the user types are added to the run. `run` is the newest run of the session, because the program
   * may continue it.
   */
  constructor(out: Output, err: Output, readsLines = false, run?: RunView, redrawn = redrawnOn(err)) {
    this.#run = run;
    this.#out = out;
    this.#err = err;
    this.#paint = redrawn.paint ?? paintFor(err);
    this.#readsLines = readsLines;
    this.#redrawn = redrawn;
  }

  /** Ends the countdown without writing a new line, because the Enter key has already started a new line. */
  skipWait(): void {
    if (this.#redrawn.countdown?.end(false)) this.#line('Trying again now.');
  }

  /** Starts a new line after Ctrl+C, because the terminal has printed ^C into the current line. */
  interrupted(): void {
    const redrawn = this.#redrawn.liveOutput?.clear() || this.#redrawn.progressLine?.end() || this.#redrawn.countdown?.end();
    if (this.#err.isTTY && !redrawn) this.#err.write('\n');
  }

  handle(event: AgentEvent): void {
    const paint = this.#paint;
    if (isDurable(event)) this.#run = follow(this.#run, event);
    if (isChildRun(event.runId)) {
      this.#child(event);
      return;
    }
    if (event.type === 'message_queued') this.#redrawn.countdown?.clear();
    else this.#redrawn.countdown?.end();
    if (event.type !== 'tool_progress') this.#redrawn.liveOutput?.clear();
    if (event.type !== 'text_delta') this.#redrawn.progressLine?.end();
    const rules = rulesText(rulesIn(event));
    if (rules) this.#line(paint.dim(oneLine(rules, 1_000)));
    switch (event.type) {
      case 'run_started':
        if (event.agent) this.#line(paint.dim(`Agent: ${event.agent.name}, in ${event.mode} mode`));
        return;
      case 'turn_started':
        this.#redrawn.progressLine?.begin('Waiting for the model');
        return;
      case 'reasoning_delta':
        if (!this.#err.isTTY) return;
        this.#reasoning = true;
        this.#err.write(paint.dim(harmless(event.text)));
        return;
      case 'text_delta':
        this.#text(event.text);
        return;
      case 'model_waiting':
        this.#wait(event);
        return;
      case 'message_added':
        if (event.message.role === 'assistant') this.#message(event.message);
        for (const text of noteTexts(event.message)) this.#line(paint.dim(`Note to the model: ${oneLine(text, 1_000)}`));
        return;
      case 'tool_started':
      case 'approval_resolved':
        this.#waitForCalls();
        return;
      case 'tool_progress':
        if (this.#redrawn.liveOutput) this.#endText();
        this.#redrawn.liveOutput?.show(event.text);
        return;
      case 'plan_step':
        if (event.unchanged) this.#line(`Step ${event.step} is done and did not change any of its files.`);
        return;
      case 'tool_finished': {
        const { title = event.result.name, changes = [] } = this.#call(event.callId) ?? {};
        const counts = changes.map((change) => `  ${changeCounts(change)}`).join('');
        const time = paint.dim(`  ${duration(event.durationMs)}`);
        const failed = event.result.isError ? `: ${oneLine(resultText(event.result))}` : '';
        this.#line(`${failed ? paint.red('✗') : paint.green('●')} ${oneLine(title)}${failed}${counts}${time}`);
        this.#waitForCalls();
        return;
      }
      case 'plan_proposed':
        this.#out.write(`${this.#safe(planLines(event.plan))}\n`);
        return;
      case 'step_rolled_back':
      case 'step_checked':
      case 'plan_checked':
      case 'plan_revised':
        this.#line(harmless(planEventText(event)));
        return;
      case 'message_queued':
        this.#line(paint.dim('Your message is sent with the model’s next turn.'));
        return;
      case 'question_answered':
        // If nobody answers the question about a failed plan step, the run ends, and its last event reports the failure.
        if ('by' in event.answer)
          this.#line(
            `${event.answer.words}${this.#call(event.callId)?.name === 'ask_user' ? ' The model continues with the most likely answer.' : ''}`,
          );
        return;
      case 'todo_changed':
        this.#line(paint.dim(harmless(todoText(event.items))));
        return;
      case 'context_compacted':
        this.#line(paint.dim(compactedText(event)));
        return;
      case 'limits_shrunk':
      case 'hook_ran':
        this.#line(event.type === 'hook_ran' ? hookText(event) : event.reason);
        return;
      case 'budget_reached':
        this.#line(reachedText(event));
        return;
      case 'run_paused':
        this.#line(PAUSED[event.reason]);
        if (event.reason === 'user' && this.#run) this.#line(`Next: ${nextStepText(this.#run)}.`);
        this.#line(harmless(event.summary));
        return;
      case 'run_finished':
        this.#endText();
        if (event.error) this.#line(`kedge: ${oneLine(event.error.message, 1_000)}`);
        if (event.outcome === 'refused') this.#line('kedge: The model declined to answer.');
        if (event.outcome === 'stopped') this.#line('Stopped.');
        this.#summary();
        if (event.receipt) this.#receipt(event.receipt);
        this.#usage(event.usage, event.cost);
        return;
    }
  }

  #child(event: AgentEvent): void {
    const line = childLine(event, this.#run, this.#paint);
    if (line === undefined) return;
    this.#redrawn.liveOutput?.clear();
    this.#redrawn.progressLine?.end();
    this.#line(line);
    this.#waitForCalls();
  }

  #wait(event: Extract<AgentEvent, { type: 'model_waiting' }>): void {
    const hint = this.#readsLines ? 'Enter to try now, Ctrl+C to stop.' : 'Press Ctrl+C to stop.';
    const text = (leftMs: number) => `${waitingText(event, leftMs)}.${leftMs > 0 ? ` ${hint}` : ''}`;
    this.#endText();
    if (this.#redrawn.countdown) this.#redrawn.countdown.begin(text, event.waitMs);
    else this.#line(text(event.waitMs));
  }

  #call(callId: string): CallView | undefined {
    return this.#run && findCall(this.#run, callId);
  }

  #waitForCalls(): void {
    const running = this.#run?.turns.at(-1)?.calls.find(({ effect, result }) => effect !== undefined && !result);
    if (running) this.#redrawn.progressLine?.begin(oneLine(running.title ?? ''));
  }

  #text(delta: string): void {
    this.#endReasoning();
    // A pipe gets only complete messages.
    if (!this.#out.isTTY) return;
    this.#held += delta;
    if (!this.#streaming && this.#held.length <= (this.#redrawn.heldChars ?? HELD_CHARS)) return;
    this.#redrawn.progressLine?.end();
    this.#streaming = true;
    const end = linkStart(this.#held);
    this.#out.write(this.#safe(this.#held.slice(0, end)));
    this.#held = this.#held.slice(end);
  }

  #message(message: AssistantMessage): void {
    this.#endReasoning();
    const text = this.#streaming ? '' : textOf(message);
    const isThought = message.content.some((part) => part.type === 'tool_call');
    if (text.trim() && isThought) this.#line(this.#paint.dim(harmless(text.trim())));
    else if (text.trim()) this.#out.write(`${this.#safe(text.replace(/\n+$/, ''))}\n`);
    this.#endText();
    this.#held = '';
  }

  #endText(): void {
    this.#endReasoning();
    if (this.#streaming) this.#out.write(`${this.#safe(this.#held)}\n`);
    if (this.#streaming) this.#held = '';
    this.#streaming = false;
  }

  #endReasoning(): void {
    if (this.#reasoning) this.#err.write('\n');
    this.#reasoning = false;
  }

  #summary(): void {
    const changes = this.#run ? landedChanges(this.#run) : [];
    const files = changes.map((change) => `${oneLine(change.path)} ${changeCounts(change)}`);
    if (files.length === 0) return;
    const paint = this.#paint;
    this.#line(
      `${paint.bold(`Changed ${files.length} ${files.length === 1 ? 'file' : 'files'}`)}: ${files.join(', ')}. To undo: ${this.#redrawn.undo ?? 'kedge undo'}`,
    );
  }

  #receipt(receipt: Receipt): void {
    const { dim } = this.#paint;
    if (receipt.calls > 0) this.#line(dim(receiptLine(receipt)));
    const proof = proofOf(receipt);
    if (proof && receipt.denied > 0) this.#line(dim(proof));
  }

  /** Prints tokens and cost if they are known. */
  #usage({ input, output, cached }: Usage, cost: Cost | undefined): void {
    const cacheNote = input !== undefined && cached !== undefined && cached > 0 ? ` (${tokens(cached)} cached)` : '';
    const facts = [
      input !== undefined && `${tokens(input)} tokens in${cacheNote}`,
      output !== undefined && `${tokens(output)} out`,
      cost && dollars(cost),
    ].filter(Boolean);
    const context = this.#run?.context;
    if (facts.length > 0 && context?.window !== undefined) facts.push(contextText(context));
    if (facts.length > 0) this.#line(this.#paint.dim(facts.join(' · ')));
  }

  #line(text: string): void {
    this.#endText();
    this.#err.write(`${text}\n`);
  }

  /** Removes links to editor commands. For a terminal, it also escapes control characters. */
  #safe(text: string): string {
    const plain = withoutCommands(text, CONNECT);
    return this.#out.isTTY ? harmless(plain) : plain;
  }
}
