/** Events as text: the answer on stdout, everything else on stderr. */

import { type AssistantMessage, type Cost, resultText, textOf, type Usage } from '../../../core/model/messages.ts';
import { noteTexts } from '../../../core/model/notes.ts';
import { type AgentEvent, isDurable, type PauseReason, type Receipt } from '../../../core/session/events.ts';
import { planLines } from '../../../core/view/plan-details.ts';
import { proofOf, receiptLine } from '../../../core/view/receipt.ts';
import { follow } from '../../../core/view/reduce-run.ts';
import { landedChanges } from '../../../core/view/run-changes.ts';
import { type CallView, findCall, type RunView } from '../../../core/view/run-view.ts';
import { dollars, tokens } from '../../../core/words/amounts.ts';
import { reachedText } from '../../../core/words/budget-text.ts';
import { planEventText } from '../../../core/words/plan-text.ts';
import { waitingText } from '../../../core/words/retry-text.ts';
import { Countdown } from './countdown.ts';
import { Waiting } from './progress-line.ts';
import { LiveTail } from './tail.ts';
import { changeCounts, harmless, type Output, oneLine, paintFor } from './terminal.ts';

/**
 * A text that is followed by tool calls is a thought, not the answer, which shows only afterwards. So the beginning of each
 * text is held back for this many characters on a terminal, and all of it in a pipe, where nobody watches.
 */
const HOLD = 240;
const COMMAND = /\[([^\]\n]*)\]\(command:kedge\.(\w+)[^)\n]*\)/g;
/** At the end of a text that streams: what may become such a link. */
const BEGUN_LINK = /\[[^\]\n]{0,80}(\](\([^)\n]{0,80})?)?$/;
const PAUSED: Record<PauseReason, string> = {
  limit: 'Paused at this limit.',
  max_tokens: 'Paused: the answer was too long.',
  interrupted: 'Interrupted.',
  edit_plan: 'Paused: the plan is to be edited.',
  user: 'Paused.',
  repeating: 'Paused: the model goes round in circles.',
};
const CONNECT =
  'name a model with --model, for example -m openai/gpt-6.1-sol, and set its key, for example OPENAI_API_KEY (see kedge models)';

export class TextRenderer {
  readonly #out: Output;
  readonly #err: Output;
  /** The run that is shown, by its durable events. */
  #run: RunView | undefined;
  #held = '';
  #streaming = false;
  #reasoning = false;
  readonly #countdown: Countdown | undefined;
  readonly #tail: LiveTail | undefined;
  readonly #waiting: Waiting | undefined;
  readonly #typed: boolean;
  readonly #paint: ReturnType<typeof paintFor>;

  /** `typed`: somebody's lines reach the run. `run`: a run that may go on, as it was so far. */
  constructor(out: Output, err: Output, typed = false, run?: RunView) {
    this.#run = run;
    this.#out = out;
    this.#err = err;
    this.#paint = paintFor(err);
    this.#typed = typed;
    const redraws = err.isTTY && process.env.TERM !== 'dumb';
    this.#countdown = redraws ? new Countdown(err) : undefined;
    this.#tail = redraws ? new LiveTail(err, this.#paint) : undefined;
    this.#waiting = redraws ? new Waiting(err) : undefined;
  }

  /** The user wants no more waiting, and has pressed Enter. */
  skipWait(): void {
    if (this.#countdown?.end(false)) this.#line('Trying again now.');
  }

  /** The terminal has put ^C into the line. */
  interrupted(): void {
    const redrawn = this.#tail?.clear() || this.#waiting?.end() || this.#countdown?.end();
    if (this.#err.isTTY && !redrawn) this.#err.write('\n');
  }

  handle(event: AgentEvent): void {
    const paint = this.#paint;
    if (isDurable(event)) this.#run = follow(this.#run, event);
    if (event.type === 'message_queued') this.#countdown?.clear();
    else this.#countdown?.end();
    if (event.type !== 'tool_progress') this.#tail?.clear();
    if (event.type !== 'text_delta') this.#waiting?.end();
    switch (event.type) {
      case 'turn_started':
        this.#waiting?.begin('Waiting for the model');
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
        if (this.#tail) this.#endText();
        this.#tail?.show(event.text);
        return;
      case 'plan_step':
        if (event.unchanged) this.#line(`Step ${event.step} is done, and changed none of its files.`);
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
      case 'plan_revised':
        this.#line(harmless(planEventText(event)));
        return;
      case 'message_queued':
        this.#line(paint.dim('It joins at the model’s next turn.'));
        return;
      case 'question_answered':
        // A step of a plan that fails ends the run then, and says so itself.
        if ('by' in event.answer)
          this.#line(
            `${event.answer.words}${this.#call(event.callId)?.name === 'ask_user' ? ' The model goes on with what it thinks most likely.' : ''}`,
          );
        return;
      case 'limits_shrunk':
        this.#line(event.reason);
        return;
      case 'budget_reached':
        this.#line(reachedText(event));
        return;
      case 'run_paused':
        this.#line(PAUSED[event.reason]);
        this.#line(harmless(event.summary));
        return;
      case 'run_finished':
        this.#endText();
        if (event.error) this.#line(`kedge: ${oneLine(event.error.message, 1_000)}`);
        if (event.outcome === 'refused') this.#line('kedge: The model declined to answer.');
        if (event.outcome === 'stopped') this.#line('Stopped.');
        this.#summary();
        if (event.receipt) this.#receipt(event.receipt);
        this.#spent(event.usage, event.cost);
        return;
    }
  }

  #wait(event: Extract<AgentEvent, { type: 'model_waiting' }>): void {
    const hint = this.#typed ? 'Enter tries now, Ctrl+C stops.' : 'Ctrl+C stops.';
    const text = (leftMs: number) => `${waitingText(event, leftMs)}.${leftMs > 0 ? ` ${hint}` : ''}`;
    this.#endText();
    if (this.#countdown) this.#countdown.begin(text, event.waitMs);
    else this.#line(text(event.waitMs));
  }

  #call(callId: string): CallView | undefined {
    return this.#run && findCall(this.#run, callId);
  }

  #waitForCalls(): void {
    const begun = this.#run?.turns.at(-1)?.calls.find(({ effect, result }) => effect !== undefined && !result);
    if (begun) this.#waiting?.begin(oneLine(begun.title ?? ''));
  }

  #text(delta: string): void {
    this.#endReasoning();
    // A pipe gets the whole message.
    if (!this.#out.isTTY) return;
    this.#held += delta;
    if (!this.#streaming && this.#held.length <= HOLD) return;
    this.#waiting?.end();
    this.#streaming = true;
    const begun = BEGUN_LINK.exec(this.#held)?.index ?? this.#held.length;
    this.#out.write(this.#safe(this.#held.slice(0, begun)));
    this.#held = this.#held.slice(begun);
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
      `${paint.bold(`Changed ${files.length} ${files.length === 1 ? 'file' : 'files'}`)}: ${files.join(', ')}. Take it back: kedge undo`,
    );
  }

  #receipt(receipt: Receipt): void {
    const { dim } = this.#paint;
    if (receipt.calls > 0) this.#line(dim(receiptLine(receipt)));
    const proof = proofOf(receipt);
    if (proof && receipt.denied > 0) this.#line(dim(proof));
  }

  /** What is not known is not said. */
  #spent({ input, output, cached }: Usage, cost: Cost | undefined): void {
    const known = input !== undefined && cached !== undefined && cached > 0 ? ` (${tokens(cached)} cached)` : '';
    const facts = [
      input !== undefined && `${tokens(input)} tokens in${known}`,
      output !== undefined && `${tokens(output)} out`,
      cost && dollars(cost),
    ].filter(Boolean);
    if (facts.length > 0) this.#line(this.#paint.dim(facts.join(' · ')));
  }

  #line(text: string): void {
    this.#endText();
    this.#err.write(`${text}\n`);
  }

  /** A pipe gets what the model wrote, a terminal nothing that would steer it; neither has an editor's commands. */
  #safe(text: string): string {
    const plain = withoutCommands(text);
    return this.#out.isTTY ? harmless(plain) : plain;
  }
}

/** Links to an editor's commands as what they come to here. */
function withoutCommands(text: string): string {
  return text.replace(COMMAND, (_link, label: string, command: string) => (command === 'connectModel' ? CONNECT : label));
}

/** 12 ms, 12.3 s, 2 min 5 s */
function duration(ms: number): string {
  if (ms < 9_999.5) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
