/**
 * Runs the hooks of one run. A hook can deny a call or the prompt, make a call need an approval, add to what the model gets, and notify. Nothing
 * that it answers can allow or approve anything: `beforeTool` returns a stricter decision or none.
 */
import type { NotePart, ToolCall, ToolResult } from '../core/model/messages.ts';
import type { PreparedCall, Tool } from '../core/run/tool.ts';
import type { Decision, HookMoment, HookRan } from '../core/session/effects.ts';
import type { AgentEvent, EventBody, Mode } from '../core/session/events.ts';
import { answerOf, type HookAnswer, type HookExit } from './answer.ts';
import type { Hook } from './config.ts';
import { type MatchedCall, matches } from './match.ts';

/** Starts the command of a hook, and ends it with everything that it has started at the time limit or when the signal aborts. */
/** `isElsewhere` is true for the hooks of a child run in a worktree of its own. */
export type StartHook = (
  hook: Pick<Hook, 'command' | 'timeoutMs'>,
  input: string,
  signal: AbortSignal,
  isElsewhere?: boolean,
) => Promise<HookExit>;

/** The data that all hooks of the run get. */
export type HookRun = { session: string; run: string; mode: Mode; workspace: readonly string[] };

/** The hooks of the workspace, which run only if the user has accepted exactly these. */
export type WorkspaceHooks = {
  hooks: readonly Hook[];
  /** Whether the user has accepted them and they are unchanged. With a call, the user is asked if they were not asked before. */
  accepted(call?: ToolCall): Promise<boolean>;
};

export type HookParts = {
  user: readonly Hook[];
  workspace?: WorkspaceHooks | undefined;
  about: HookRun;
  start: StartHook;
  signal: AbortSignal;
  /** The hooks for which no run waits. The program waits for them before it exits. */
  pending: Set<Promise<unknown>>;
  /** Logs what a hook did. */
  log(event: HookRan): void;
};

type Judged = Pick<Decision, 'kind' | 'rule' | 'reason'>;
type Ran = { hook: Hook; answer: HookAnswer };

/** The maximum length of a result or prompt that a hook gets, in characters. */
const MAX_INPUT = 200_000;
const NEVER = new AbortController().signal;

export class RunHooks {
  readonly #parts: HookParts;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /**
   * Returns the hooks for a run that this run starts. It does not ask the user about hooks of the workspace. In a worktree of its own, it has none
   * of them, and those of the user do not run in the folder of the user.
   */
  forChild(isElsewhere = false): RunHooks {
    const { workspace, about, start } = this.#parts;
    if (isElsewhere)
      return new RunHooks({
        ...this.#parts,
        workspace: undefined,
        about: { ...about, workspace: [] },
        start: (hook, input, signal) => start(hook, input, signal, true),
      });
    return new RunHooks({ ...this.#parts, workspace: workspace && { hooks: workspace.hooks, accepted: () => workspace.accepted() } });
  }

  /** The commands of the user's hooks, which run without a question. */
  get userCommands(): readonly string[] {
    return this.#parts.user.map(({ command }) => command);
  }

  /** Returns a denial or a request for approval, or undefined if no hook objects. */
  async beforeTool(call: ToolCall, tool: Tool, prepared: PreparedCall): Promise<Judged | undefined> {
    const about = { tool: describe(tool), call: call.id, input: call.input ?? {}, title: prepared.title };
    let asks: Judged | undefined;
    for await (const { hook, answer } of this.#run('before_tool', about, { call, matched: matchedCall(tool, prepared) })) {
      const denial = denialOf(hook, answer);
      this.#logAnswer(hook, answer, { callId: call.id, denial });
      if (denial !== undefined) return { kind: 'deny', rule: 'hook', reason: `The hook ${hook.name} denied it: ${denial}` };
      if (answer.decision === 'ask')
        asks ??= { kind: 'ask', rule: 'hook', reason: `The hook ${hook.name} requires your approval: ${answer.reason}` };
    }
    return asks;
  }

  /** Returns what the hooks add to the result of a call. */
  async afterTool(call: ToolCall, tool: Tool | undefined, prepared: PreparedCall, result: ToolResult): Promise<NotePart[]> {
    if (!tool) return [];
    const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const about = {
      tool: describe(tool),
      call: call.id,
      input: call.input ?? {},
      result: { text: text.slice(0, MAX_INPUT), isError: result.isError ?? false },
    };
    const notes: NotePart[] = [];
    for await (const { hook, answer } of this.#run('after_tool', about, { call, matched: matchedCall(tool, prepared) })) {
      this.#logAnswer(hook, answer, { callId: call.id });
      notes.push(...notesOf(hook, answer));
    }
    return notes;
  }

  /** Returns what the hooks add to the user's message, or why one of them denies it. */
  async beforePrompt(prompt: string): Promise<{ notes: NotePart[]; denied?: string }> {
    const notes: NotePart[] = [];
    for await (const { hook, answer } of this.#run('before_prompt', { prompt: prompt.slice(0, MAX_INPUT) })) {
      const denial = denialOf(hook, answer);
      this.#logAnswer(hook, answer, { denial });
      if (denial !== undefined) return { notes: [], denied: `The hook ${hook.name} denied the prompt: ${denial}` };
      notes.push(...notesOf(hook, answer));
    }
    return { notes };
  }

  /** Runs the hooks for an event of the run. The run does not wait for them. */
  observe(event: EventBody | AgentEvent): void {
    const moment: HookMoment | undefined =
      event.type === 'run_finished'
        ? 'run_end'
        : event.type === 'approval_requested' || event.type === 'question_asked'
          ? 'question'
          : undefined;
    if (!moment || !this.#all.some((hook) => hook.moment === moment)) return;
    const about =
      event.type === 'approval_requested'
        ? { question: { kind: 'approval', title: event.title, reason: event.reason } }
        : event.type === 'question_asked'
          ? { question: { kind: 'question', title: event.question.text } }
          : { outcome: event.type === 'run_finished' ? event.outcome : undefined };
    const running = (async () => {
      for await (const { hook, answer } of this.#run(moment, about)) this.#logAnswer(hook, answer, {});
    })().catch(() => undefined);
    const { pending } = this.#parts;
    pending.add(running);
    void running.then(() => pending.delete(running));
  }

  get #all(): readonly Hook[] {
    return [...this.#parts.user, ...(this.#parts.workspace?.hooks ?? [])];
  }

  /** Runs the hooks of one moment one after the other, those of the user first. */
  async *#run(moment: HookMoment, about: object, { call, matched }: { call?: ToolCall; matched?: MatchedCall } = {}): AsyncGenerator<Ran> {
    const { about: run, start, workspace } = this.#parts;
    // A run that was stopped has ended as well.
    const signal = moment === 'run_end' ? NEVER : this.#parts.signal;
    const hooks = this.#all.filter((hook) => hook.moment === moment && (!matched || matches(hook, matched)));
    if (hooks.length === 0) return;
    const input = `${JSON.stringify({ event: moment, ...run, ...about })}\n`;
    for (const hook of hooks) {
      if (hook.source === 'workspace' && !(await workspace?.accepted(call))) continue;
      signal.throwIfAborted();
      const exit = await start(hook, input, signal).catch(
        (error: Error): HookExit => ({ stdout: '', stderr: '', problem: `${error.message}` }),
      );
      // A hook that was ended because the run was stopped has answered nothing.
      signal.throwIfAborted();
      yield { hook, answer: answerOf(exit) };
    }
  }

  #logAnswer(
    { name, source, moment }: Hook,
    answer: HookAnswer,
    { callId, denial }: { callId?: string; denial?: string | undefined },
  ): void {
    const log = (outcome: HookRan['outcome'], text: string) =>
      this.#parts.log({ type: 'hook_ran', hook: name, source, moment, outcome, text, ...(callId !== undefined && { callId }) });
    if (answer.problem !== undefined) log('failed', answer.problem);
    if (denial !== undefined) log('denied', denial);
    else if (answer.decision === 'ask' && moment === 'before_tool') log('asked', answer.reason ?? '');
    else if (answer.decision !== undefined) log('notified', answer.reason ?? '');
    if (answer.context !== undefined && denial === undefined && (moment === 'after_tool' || moment === 'before_prompt'))
      log('added', answer.context);
    if (answer.notify !== undefined) log('notified', answer.notify);
  }
}

/** A required hook that fails denies, because what it would have said is unknown. */
function denialOf({ required }: Hook, { decision, reason, problem }: HookAnswer): string | undefined {
  if (decision === 'deny') return reason;
  return required && problem !== undefined ? `it is required, and it failed: ${problem}` : undefined;
}

/** A call that has been carried out cannot be denied, so the reason becomes something that the model learns. */
function notesOf(hook: Hook, { context, decision, reason }: HookAnswer): NotePart[] {
  const text = [context, decision && reason].filter(Boolean).join('\n');
  return text === '' ? [] : [{ type: 'note', about: 'hook', text, hook: hook.name }];
}

function describe({ name, source, effect }: Tool) {
  return { name, source, effect };
}

function matchedCall({ name, source, effect }: Tool, { targets, hosts, command }: PreparedCall): MatchedCall {
  return { name, source, effect, targets, ...(hosts && { hosts }), ...(command && { command }) };
}
