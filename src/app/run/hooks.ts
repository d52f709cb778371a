/** The hooks of one run: those of the user, and in Agent mode those of a trusted workspace that the user has accepted. */
import type { ToolCall } from '../../core/model/messages.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Judgement } from '../../core/run/tool.ts';
import type { QuestionAnswer } from '../../core/session/events.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { type Hook, type HookFile, readHooks } from '../../hooks/config.ts';
import { RunHooks, type WorkspaceHooks } from '../../hooks/run-hooks.ts';
import type { RunContext } from '../context/run-context.ts';
import { withNotes } from '../context/with-notes.ts';
import type { AssistantPorts, HooksPort } from '../ports.ts';
import type { Prompt } from '../session/prompt.ts';
import { SessionError } from '../session/session-error.ts';
import type { Judge } from './judge.ts';
import type { HooksOfRun, RunScope } from './run-scope.ts';

const RUN = 'Run these hooks';
const SKIP = 'Continue without them';
const NOT_IN_WORKTREES =
  'Hooks of the workspace do not run in a worktree, because the run can change files there that you have not reviewed.';
const NOBODY_ACCEPTED = 'Nobody could be asked whether its hooks may run. To decide, run Kedge once in a terminal.';

type Scope = Pick<RunScope, 'state' | 'emit' | 'replied' | 'sessionId' | 'signal'>;

type Starting = { port: HooksPort; pending: Set<Promise<unknown>> };

/** The hooks of a run, which also judge the messages that are added to it. */
class PromptHooks extends RunHooks implements HooksOfRun {
  async admit(prompt: Prompt): Promise<Prompt> {
    const { notes, denied } = await this.beforePrompt(prompt.text);
    if (denied !== undefined) throw new SessionError(denied);
    return { ...prompt, attachments: [...(prompt.attachments ?? []), ...notes] };
  }
}

/**
 * Runs the hooks for the prompt of a run, unless it has been accepted before. The run of a plan has no prompt. @throws SessionError if the user's
 * hooks cannot be read, or one of them denies the prompt
 */
export async function beginHooks(
  run: RunRecord,
  scope: RunScope,
  ports: AssistantPorts,
  starting: Starting,
): Promise<{ hooks: PromptHooks; context?: RunContext } | undefined> {
  const hooks = await hooksOf(run, scope, ports, starting);
  if (!hooks || run.plan || run.applies || run.hasOpening) return hooks && { hooks };
  const { notes, denied } = await hooks.beforePrompt(run.prompt);
  if (denied !== undefined) throw new SessionError(denied);
  return { hooks, ...(notes.length > 0 && { context: withNotes(scope.context, notes) }) };
}

/**
 * Returns the hooks of a run, or undefined if there are none. @throws SessionError if the user's own file is not valid, because it may define
 * hooks that are required
 */
async function hooksOf(run: RunRecord, scope: Scope, ports: AssistantPorts, { port, pending }: Starting): Promise<PromptHooks | undefined> {
  const own = port.user();
  const user = own ? readHooks(own.text, 'user') : { hooks: [] };
  if ('problem' in user) throw new SessionError(`Your hooks in ${own?.path} are not valid: ${user.problem} Correct the file.`);
  // In a folder that is not trusted, and in a worktree, files that the user has not seen could change what a program does.
  const isReviewed = ports.trusted() && run.worktree === undefined;
  // The tools of Ask and Plan cannot change anything. Commands of a workspace could, so they belong to Agent mode only.
  const isPossible = run.mode === 'agent' && ports.trusted() && !ports.unattended?.();
  const workspace = isPossible ? (isReviewed ? workspaceHooks : skippedHooks)(run, scope, port) : undefined;
  if (user.hooks.length === 0 && !workspace) return undefined;
  // A run in a worktree has other folders than the user.
  const roots = ports.fileSystem().folders.flatMap((folder) => folder.roots?.[0] ?? []);
  return new PromptHooks({
    user: user.hooks,
    workspace,
    about: { session: scope.sessionId, run: run.runId, mode: run.mode, workspace: roots },
    start: (hook, input, signal, isElsewhere) =>
      port.start({ ...hook, cwd: isReviewed && !isElsewhere ? roots[0] : undefined }, input, signal),
    signal: scope.signal,
    pending,
    log(event) {
      // The hooks for the end of a run can end during the next run, whose events must not be mixed with those of another run.
      if (scope.state.lastRun?.runId === run.runId) scope.emit(event);
    },
  });
}

/** The user accepted hooks with the files that they had seen. */
function skippedHooks(_: RunRecord, { emit }: Scope, port: HooksPort): undefined {
  for (const { path } of port.workspace())
    emit({ type: 'hook_ran', hook: path, source: 'workspace', moment: 'before_prompt', outcome: 'skipped', text: NOT_IN_WORKTREES });
}

/** A file that is not valid is reported once in a run, and its hooks are not run. */
function workspaceHooks({ runId }: RunRecord, { state, emit, replied, signal }: Scope, port: HooksPort): WorkspaceHooks | undefined {
  const files = port.workspace();
  const read = files.map((file) => ({ file, read: readHooks(file.text, 'workspace') }));
  for (const { file, read: each } of read)
    if ('problem' in each)
      emit({ type: 'hook_ran', hook: file.path, source: 'workspace', moment: 'before_prompt', outcome: 'skipped', text: each.problem });
  const valid = read.flatMap(({ file, read: each }) => ('hooks' in each && each.hooks.length > 0 ? [{ file, hooks: each.hooks }] : []));
  if (valid.length === 0) return undefined;
  const hooks: Hook[] = valid.flatMap((each) => each.hooks);
  const digest = (all: readonly HookFile[]) => all.map((file) => `${file.path} ${file.digest}`).join('\n');
  const shown = digest(valid.map(({ file }) => file));
  let asked: Promise<boolean> | undefined;
  let hasReported = false;
  const ask = async (call: ToolCall): Promise<boolean> => {
    const isOfHooks = (id: string) => id.startsWith(`${call.id}:hooks`);
    const earlier = [...state.questionAnswers].find(([id]) => isOfHooks(id) && id === idFor(call, shown));
    const answer = earlier?.[1] ?? (await question(call));
    const accepts = 'option' in answer && answer.option === RUN;
    if (accepts) port.accept(shown);
    else port.refuse(shown);
    if (!earlier && 'by' in answer && answer.by === 'nobody')
      for (const { file } of valid)
        emit({ type: 'hook_ran', hook: file.path, source: 'workspace', moment: 'before_tool', outcome: 'skipped', text: NOBODY_ACCEPTED });
    return accepts;
  };
  const question = async (call: ToolCall): Promise<QuestionAnswer> => {
    signal.throwIfAborted();
    const questionId = idFor(call, shown);
    const texts = valid.map(({ file }) => `${file.path}\n${file.text.trim()}`).join('\n\n');
    const { length } = hooks;
    if (!state.pendingQuestions.has(questionId))
      emit({
        type: 'question_asked',
        questionId,
        callId: call.id,
        question: {
          id: 'hooks',
          text: `This workspace defines ${length === 1 ? 'a hook' : `${length} hooks`}. Run ${length === 1 ? 'it' : 'them'}?`,
          options: [{ label: RUN }, { label: SKIP }],
          command: { text: texts, cwd: '.', shell: 'other' },
          reason:
            'Hooks are commands. They run on this computer, outside of Kedge, at the events that they name, without further questions. You are asked again if the files change, or scripts in the workspace that they name.',
        },
      });
    return state.questionAnswers.get(questionId) ?? (await replied(questionId, signal));
  };
  return {
    hooks,
    async accepted(call) {
      const now = digest(port.workspace().filter(({ path }) => valid.some(({ file }) => file.path === path)));
      if (now !== shown) {
        if (!hasReported)
          emit({
            type: 'hook_ran',
            hook: 'hooks.json',
            source: 'workspace',
            moment: 'before_tool',
            outcome: 'skipped',
            text: 'It has changed since this run began.',
          });
        hasReported = true;
        return false;
      }
      if (port.isAccepted(shown)) return true;
      if (port.isRefused(shown) || !call || call.id === '' || state.runs.get(runId)?.status === 'finished') return false;
      asked ??= ask(call);
      return asked;
    },
  };
}

/** The id contains the content, so that an answer about another content does not count. */
function idFor({ id }: ToolCall, shown: string): string {
  return `${id}:hooks ${shown}`;
}

/** Adds the hooks to the judgement of calls. They can only make it stricter. */
export function withHooks(judge: Judge, hooks: Pick<RunHooks, 'beforeTool'> | undefined, unattended: () => boolean): Judge {
  if (!hooks) return judge;
  const decide: RunPorts['decide'] = async (call, tool, prepared): Promise<Judgement> => {
    const judged = await judge.decide(call, tool, prepared);
    if (judged.kind === 'deny' || !tool || !prepared) return judged;
    const stricter = await hooks.beforeTool(call, tool, prepared);
    if (!stricter || (stricter.kind === 'ask' && judged.kind === 'ask')) return judged;
    if (stricter.kind === 'ask' && unattended())
      return { ...stricter, kind: 'deny', reason: `${stricter.reason} No user is available to approve it.` };
    return stricter;
  };
  return { ...judge, decide };
}
