/** Sends the events of a session to its client, in their order. */
import type { ContentBlock, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { type AssistantMessage, type ToolResult, textOf } from '../../../core/model/messages.ts';
import type { ChangeSummary } from '../../../core/session/effects.ts';
import { type AgentEvent, isDurable } from '../../../core/session/events.ts';
import type { SessionState } from '../../../core/session/session-state.ts';
import { callText } from '../../../core/words/call-text.ts';
import { contextTotal } from '../../../core/words/context-text.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import type { SessionClient } from '../client.ts';
import { resultMarkdown, textBlock, textContent } from './markdown.ts';
import { type Notice, noticeOf } from './notices.ts';
import { entriesOf, planEntries } from './plan-entries.ts';
import { StreamedText } from './streamed-text.ts';
import { type ClientPaths, kindOf, resultContent } from './tool-calls.ts';

type Chunk = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk';

export class Updates {
  readonly #client: SessionClient;
  readonly #paths: ClientPaths;
  readonly #state: SessionState;
  readonly #text = new StreamedText();
  readonly #reasoning = new StreamedText();
  /** The diffs of the changes of each call. */
  readonly #diffs = new Map<string, ToolCallContent[]>();
  readonly #calls = new Set<string>();
  /** The terminals of the client, by the calls that run in them. */
  readonly #terminals = new Map<string, ToolCallContent[]>();
  /** The call that runs a command. It runs alone. */
  #command: string | undefined;
  #messages = 0;
  #title: string | undefined;
  #sent: Promise<void> = Promise.resolve();

  constructor(client: SessionClient, paths: ClientPaths, state: SessionState) {
    this.#client = client;
    this.#paths = paths;
    this.#state = state;
  }

  /** Resolves when everything that happened before has been sent. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  /** Sends an update after those before it. */
  send(update: SessionUpdate): void {
    this.#after(() => this.#client.update(update));
  }

  /** Tells the user something about the session. */
  say(notice: Notice): void {
    const { title, detail, severity = 'info' } = notice;
    if (this.#client.capabilities.session?.notices)
      this.send({ sessionUpdate: 'notice', severity, title, ...(detail && { description: detail }) });
    else if (!notice.isMinor) {
      this.#newMessage();
      this.#chunk('agent_message_chunk', textBlock(`${title}${detail ? `\n\n${resultMarkdown(detail)}` : ''}\n\n`));
      this.#newMessage();
    }
  }

  /** Sends a text of the user or of Kedge as a message of its own. */
  message(kind: Chunk, ...content: ContentBlock[]): void {
    this.#newMessage();
    for (const block of content) this.#chunk(kind, block);
    this.#newMessage();
  }

  /** Updates a tool call, which is created if it is new. */
  call(update: ToolCallUpdate & { title?: string }): void {
    const { toolCallId, title = 'Tool call', ...rest } = update;
    const isKnown = this.#calls.has(toolCallId);
    this.#calls.add(toolCallId);
    if (isKnown) this.send({ sessionUpdate: 'tool_call_update', ...update });
    else this.send({ sessionUpdate: 'tool_call', toolCallId, title, ...withoutNulls(rest) });
  }

  /** Displays a terminal with the call that runs a command. */
  terminal(terminalId: string): void {
    if (this.#command === undefined) return;
    const content: ToolCallContent[] = [{ type: 'terminal', terminalId }];
    this.#terminals.set(this.#command, content);
    this.call({ toolCallId: this.#command, content });
  }

  /** Sends an event. Earlier events of a session that is loaded are sent in the same way, with `isReplayed`. */
  event(event: AgentEvent, isReplayed = false): void {
    if (isDurable(event) && !isReplayed) this.#about();
    // A run that fails now is reported by the response to its prompt.
    const isReported = event.type === 'run_finished' && event.error && !isReplayed;
    const notice = isReported ? undefined : noticeOf(event);
    if (notice && !(isReplayed && notice.isMinor)) this.say(notice);
    switch (event.type) {
      case 'run_started':
        if (isReplayed && !event.plan) this.message('user_message_chunk', textBlock(event.prompt));
        if (event.plan) this.#plan(isReplayed);
        break;
      case 'turn_started': {
        const { context } = event;
        this.#newMessage();
        if (context?.window !== undefined && !isReplayed) this.#usage(contextTotal(context), context.window);
        break;
      }
      case 'text_delta':
        this.#piece('agent_message_chunk', this.#text.push(event.text));
        break;
      case 'reasoning_delta':
        this.#piece('agent_thought_chunk', this.#reasoning.push(event.text));
        break;
      case 'message_added':
        if (event.message.role === 'assistant') this.#answer(event.message);
        else if (event.queued !== undefined) this.message('user_message_chunk', textBlock(textOf(event.message)));
        break;
      case 'tool_started': {
        const { callId, name, title, targets, decision } = event;
        this.#command = name === 'run_command' ? callId : undefined;
        const status = decision.kind === 'ask' ? 'pending' : 'in_progress';
        const locations = this.#paths.locations(targets);
        this.call({ toolCallId: callId, title: visibleLine(title), kind: kindOf(name), status, locations });
        break;
      }
      case 'approval_resolved':
        if (event.answer.approve) this.call({ toolCallId: event.callId, status: 'in_progress' });
        break;
      case 'tool_progress':
        if (!this.#terminals.has(event.callId)) this.call({ toolCallId: event.callId, content: [textContent(resultMarkdown(event.text))] });
        break;
      case 'file_changed':
        this.#changed(event.callId, event.changes);
        break;
      case 'tool_finished':
        this.#finished(event.callId, event.result);
        break;
      case 'plan_proposed':
        if (!isReplayed) this.send({ sessionUpdate: 'plan', entries: planEntries(event.plan) });
        break;
      case 'todo_changed':
      case 'plan_step':
      case 'plan_revised':
      case 'step_rolled_back':
        this.#plan(isReplayed);
        break;
      case 'run_paused':
      case 'run_finished':
        this.#endMessage();
        break;
    }
  }

  /** Sends the history of the session, and then its plan. */
  replay(events: Iterable<AgentEvent>): void {
    for (const event of events) this.event(event, true);
    if (entriesOf(this.#state).length > 0) this.#plan();
  }

  #changed(toolCallId: string, changes: readonly ChangeSummary[]): void {
    this.#after(async () => {
      const content = [...(this.#diffs.get(toolCallId) ?? []), ...(await this.#paths.diffs(changes))];
      this.#diffs.set(toolCallId, content);
      await this.#client.update({ sessionUpdate: 'tool_call_update', toolCallId, content });
    });
  }

  #finished(toolCallId: string, result: ToolResult): void {
    const isNew = !this.#calls.has(toolCallId);
    if (isNew) this.call({ toolCallId, title: callText(result.name, undefined), kind: kindOf(result.name) });
    this.#after(async () => {
      const content = this.#diffs.get(toolCallId) ?? this.#terminals.get(toolCallId) ?? resultContent(result);
      this.#diffs.delete(toolCallId);
      this.#terminals.delete(toolCallId);
      await this.#client.update({
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: result.isError ? 'failed' : 'completed',
        content,
      });
    });
  }

  #answer(message: AssistantMessage): void {
    const reasoning = message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
    this.#piece('agent_thought_chunk', this.#reasoning.end(reasoning));
    this.#piece('agent_message_chunk', this.#text.end(textOf(message)));
    this.#newMessage();
    for (const part of message.content) {
      if (part.type !== 'tool_call') continue;
      const { id, name, input, malformed } = part;
      this.call({ toolCallId: id, title: callText(name, input), kind: kindOf(name), status: 'pending', rawInput: input ?? malformed });
    }
  }

  /** Sends the rest of an answer that ended without a message, because it was stopped. */
  #endMessage(): void {
    this.#piece('agent_thought_chunk', this.#reasoning.end(''));
    this.#piece('agent_message_chunk', this.#text.end(''));
  }

  /** The state is that after all events, so a plan is sent once after a replay. */
  #plan(isReplayed = false): void {
    if (!isReplayed) this.send({ sessionUpdate: 'plan', entries: entriesOf(this.#state) });
  }

  #usage(used: number, size: number): void {
    const { usd } = this.#state.cost;
    this.send({ sessionUpdate: 'usage_update', used, size, ...(usd !== undefined && { cost: { amount: usd, currency: 'USD' } }) });
  }

  /** Sends the title of the session when it has changed. */
  #about(): void {
    const { title, at } = this.#state;
    if (title === this.#title || !title) return;
    this.#title = title;
    this.send({ sessionUpdate: 'session_info_update', title: visibleLine(title), updatedAt: new Date(at).toISOString() });
  }

  #piece(kind: Chunk, text: string): void {
    if (text) this.#chunk(kind, textBlock(text));
  }

  #newMessage(): void {
    this.#messages++;
  }

  #chunk(kind: Chunk, content: ContentBlock): void {
    this.send({ sessionUpdate: kind, content, messageId: `${kind}-${this.#messages}` });
  }

  /** An update that cannot be sent must not hold up those after it. */
  #after(work: () => Promise<void>): void {
    this.#sent = this.#sent.then(work).catch(console.error);
  }
}

function withoutNulls<T extends object>(fields: T): { [Key in keyof T]: Exclude<T[Key], null> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], null>;
  };
}
