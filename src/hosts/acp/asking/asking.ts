/** Passes the approvals and questions of a run to the client, and the answers of the user to the run. */
import { RequestError } from '@agentclientprotocol/sdk';
import type { Session } from '../../../app/session/session.ts';
import type { AgentEvent, ApprovalAnswer } from '../../../core/session/events.ts';
import type { ApprovalRequest, AskedQuestion } from '../../../core/session/session-state.ts';
import type { SessionClient } from '../client.ts';
import { questionMarkdown, textBlock } from '../updates/markdown.ts';
import type { ClientPaths } from '../updates/tool-calls.ts';
import type { Updates } from '../updates/updates.ts';
import { askForApproval } from './approvals.ts';
import { askQuestion, type Reply } from './questions.ts';

export class Asking {
  readonly #session: Session;
  readonly #client: SessionClient;
  readonly #paths: ClientPaths;
  readonly #updates: Updates;
  readonly #cancel: () => Promise<void>;
  /** The requests to the client that have no answer yet, by the id of the approval or question. */
  readonly #open = new Map<string, AbortController>();
  #leave: () => void = () => undefined;
  /** Whether the turn ends when no request is open any more. */
  #isLeft = false;
  #failure: unknown;

  constructor(session: Session, client: SessionClient, paths: ClientPaths, updates: Updates, cancel: () => Promise<void>) {
    this.#session = session;
    this.#client = client;
    this.#paths = paths;
    this.#updates = updates;
    this.#cancel = cancel;
  }

  /** Handles an event of a run. `signal` aborts when the prompt is cancelled. */
  event(event: AgentEvent, signal: AbortSignal): void {
    if (event.type === 'approval_requested' || event.type === 'question_asked') void this.#ask(event, signal);
    // Another answer can grant a permission that answers this request, too.
    else if (event.type === 'approval_resolved') this.#open.get(event.approvalId)?.abort();
    else if (event.type === 'question_answered') this.#open.get(event.questionId)?.abort();
  }

  /** Asks everything that is open. Resolves when everything is answered and a run that the last answer continued has ended. */
  async again(signal: AbortSignal): Promise<void> {
    const { pendingQuestions, pendingApprovals } = this.#session.state;
    await Promise.all([...pendingQuestions.values(), ...pendingApprovals.values()].map((asked) => this.#ask(asked, signal)));
  }

  /**
   * Resolves when a question is left to the next prompt, or could not be asked, and the user has answered what was asked at the same time.
   */
  left(): Promise<void> {
    return new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  /** @throws Error if the user could not be asked */
  expectAsked(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
  }

  /** Withdraws the requests that have no answer when the prompt ends. */
  end(): void {
    this.#isLeft = false;
    for (const controller of this.#open.values()) controller.abort();
  }

  show({ question }: AskedQuestion): void {
    this.#updates.message('agent_message_chunk', textBlock(questionMarkdown(question)));
  }

  async #ask(asked: ApprovalRequest | AskedQuestion, signal: AbortSignal): Promise<void> {
    const id = asked.type === 'approval_requested' ? asked.approvalId : asked.questionId;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const either = AbortSignal.any([signal, controller.signal]);
    try {
      await (asked.type === 'approval_requested' ? this.#approve(asked, either) : this.#question(asked, either));
    } catch (error) {
      this.#failure = error;
      this.#isLeft = true;
    } finally {
      this.#open.delete(id);
      if (this.#isLeft && this.#open.size === 0) this.#leave();
    }
  }

  /** A request that was withdrawn stays open in the log. */
  async #approve(request: ApprovalRequest, withdrawn: AbortSignal): Promise<void> {
    const { approvalId, callId, title, changes } = request;
    const diffs = await this.#paths.diffs(changes);
    this.#updates.call({ toolCallId: callId, title, status: 'pending', ...(diffs.length > 0 && { content: diffs }) });
    await this.#updates.sent;
    const answer = await askForApproval(this.#client, request, diffs, withdrawn).catch(unasked);
    // The answer can continue the run, which may then ask again.
    this.#open.delete(approvalId);
    if (withdrawn.aborted || !this.#session.state.pendingApprovals.has(approvalId)) return;
    if (!answer) return this.#cancel();
    await this.#session.answerApproval(approvalId, answer);
  }

  async #question(asked: AskedQuestion, withdrawn: AbortSignal): Promise<void> {
    await this.#updates.sent;
    const reply = await askQuestion(this.#client, asked, withdrawn).catch((error: unknown): Reply => {
      unasked(error);
      return 'next_prompt';
    });
    this.#open.delete(asked.questionId);
    if (withdrawn.aborted || !this.#session.state.pendingQuestions.has(asked.questionId)) return;
    if (reply === 'cancelled') return this.#cancel();
    if (reply !== 'next_prompt') return this.#session.answerQuestion(asked.questionId, reply);
    this.show(asked);
    this.#isLeft = true;
  }
}

/**
 * If the client reports an error, nobody was asked, so nothing is approved. @throws Error if the connection is closed; the request then
 * stays open in the log
 */
function unasked(error: unknown): ApprovalAnswer {
  if (!(error instanceof RequestError)) throw error;
  return { approve: false, by: 'nobody', words: `The user could not be asked, because the editor reported: ${error.message}` };
}
