import * as vscode from 'vscode';
import { type Session, SessionError } from '../../app/session/session.ts';
import type { ApprovalAnswer, QuestionAnswer } from '../../core/session/events.ts';
import { isOfDay, raiseText } from '../../core/words/budget-text.ts';
import { EDITOR, parseModelRef } from '../../providers/catalog.ts';
import { becameOf } from './answered.ts';
import { openDiff, openDiffs, reviewRun } from './files/blob-documents.ts';
import type { Kedge } from './kedge.ts';
import { VENDOR } from './models/model-provider.ts';
import type { Panel } from './panel/panel.ts';
import { openSession } from './session-list.ts';
import { manageGrants } from './settings/grants.ts';

/** Registers every command of the extension. Commands that only buttons call take the id of a session as their first argument. */
export function registerCommands(kedge: Kedge, panel: Panel): vscode.Disposable {
  const commands: Record<string, (...args: never[]) => unknown> = {
    'kedge.openPanel': () => panel.reveal(),
    'kedge.addMention': async (...args: unknown[]) => (await import('./add-mention.ts')).addMentions(kedge, panel, args),
    'kedge.addTerminal': async () => (await import('./add-mention.ts')).addMention(kedge, panel, [{ kind: 'terminal' }]),
    'kedge.newSession': async () => {
      await kedge.sessions.show(kedge.assistant.newSession());
      await panel.reveal({ type: 'compose', text: '' });
    },
    'kedge.openSession': () => openSession(kedge, panel),
    'kedge.pickModel': async () => (await import('./models/connect.ts')).pickModel(kedge),
    'kedge.connectModel': async () => (await import('./models/connect.ts')).connectModel(kedge),
    'kedge.stop': async () => (await current(kedge)).stop(),
    'kedge.manageGrants': () => manageGrants(kedge),
    'kedge.pause': async () => (await current(kedge)).pause(),
    'kedge.resume': async () => continueRun(await current(kedge)),
    'kedge.step': async () => (await current(kedge)).step(),
    'kedge.askForEdits': async () => {
      await kedge.revokeGrants();
      void vscode.window.showInformationMessage('The permissions for this workspace were reset. Kedge asks again before it edits files.');
    },
    'kedge.answerApproval': async (sessionId: string, approvalId: string, answer: ApprovalAnswer) =>
      expectPending(await kedge.sessions.byId(sessionId), approvalId).answerApproval(approvalId, answer),
    'kedge.answerQuestion': async (sessionId: string, questionId: string, answer: QuestionAnswer) =>
      expectPending(await kedge.sessions.byId(sessionId), questionId).answerQuestion(questionId, answer),
    'kedge.answerInWords': async (sessionId: string, questionId: string) => answerInWords(await kedge.sessions.byId(sessionId), questionId),
    'kedge.retryNow': async (sessionId: string) => (await kedge.sessions.byId(sessionId)).retryNow(),
    'kedge.openDiff': async (sessionId: string, callId: string, path: string) =>
      openDiff(await kedge.sessions.byId(sessionId), callId, path),
    'kedge.openDiffs': async (sessionId: string, callId: string) => openDiffs(await kedge.sessions.byId(sessionId), callId, kedge.fs),
    'kedge.showInPanel': async (sessionId: string) => {
      await kedge.sessions.show(await kedge.sessions.byId(sessionId));
      await panel.reveal();
    },
    'kedge.reviewRun': async (sessionId: string, runId: string) => reviewRun(await kedge.sessions.byId(sessionId), runId, kedge.fs),
    'kedge.undoRun': async (sessionId: string, runId: string) => undoRun(kedge, sessionId, runId),
    'kedge.discardPlan': async (sessionId: string, planId: string) => {
      await (await kedge.sessions.byId(sessionId)).plans.answer(planId, 'discard');
      void vscode.window.showInformationMessage('The plan was discarded.');
    },
    'kedge.editPlan': async (sessionId: string, planId: string) => {
      await kedge.sessions.show(await kedge.sessions.byId(sessionId));
      await panel.reveal({ type: 'edit_plan', planId });
    },
    'kedge.openMemory': async () => (await import('./memory.ts')).openMemory(kedge),
    'kedge.showPlans': async () => (await import('./plans.ts')).showPlans(kedge, panel),
    'kedge.chat.runPlan': () => sendToChat('@kedge /run Run the plan'),
    'kedge.chat.continue': () => sendToChat('@kedge /continue Continue the run'),
    'kedge.chat.answerWith': answerWith,
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, (...args) => showSessionErrors(() => run(...(args as never[])))),
    ),
  );
}

/** Returns the session whose run is live, in the panel or in the Chat, or else the session that the panel shows. */
async function current(kedge: Kedge): Promise<Session> {
  const panelSession = await kedge.sessions.current();
  const open = await Promise.all(kedge.assistant.openIds.map((id) => kedge.assistant.session(id)));
  return [panelSession, ...open].find((session) => session?.running) ?? panelSession;
}

/** Returns the session if the approval or question with this id is open. @throws SessionError with its answer if it is not open */
function expectPending(session: Session, id: string): Session {
  const { pendingApprovals, pendingQuestions } = session.state;
  if (!pendingApprovals.has(id) && !pendingQuestions.has(id)) throw new SessionError(becameOf(session.view, id));
  return session;
}

async function answerInWords(session: Session, questionId: string): Promise<void> {
  const pending = expectPending(session, questionId).state.pendingQuestions.get(questionId);
  if (!pending) return;
  const words = await vscode.window.showInputBox({
    title: 'Kedge: Answer a Question',
    prompt: pending.question.text,
    ignoreFocusOut: true,
  });
  if (words?.trim()) await session.answerQuestion(questionId, { words: words.trim() });
}

/** Continues a paused run. A daily limit is raised only after the user confirms. */
async function continueRun(session: Session): Promise<void> {
  if (await confirmContinue(session)) await session.resume({ raise: true });
}

/** Asks the user before a daily limit is raised. Exported for the Chat, where a message continues the run. */
export async function confirmContinue({ state }: Session): Promise<boolean> {
  const run = state.lastRun;
  const limit = run?.pause === 'limit' ? run.reached : undefined;
  if (!limit || !isOfDay(limit.limit)) return true;
  const raise = 'Raise Limit and Continue';
  return (await vscode.window.showWarningMessage(raiseText(limit), { modal: true }, raise)) === raise;
}

/** Shows a SessionError as a message, because it reports an action that is not possible at the moment, and no fault of the extension. */
async function showSessionErrors(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    void vscode.window.showInformationMessage(error.message);
    return undefined;
  }
}

function sendToChat(query: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.chat.open', { query });
}

/** Selects the model in the Chat, and sends the last message of the thread again. */
async function answerWith(name: string): Promise<void> {
  const { provider, model } = parseModelRef(name);
  const [vendor = '', ...rest] = model.split('/');
  const modelSelector = provider === EDITOR ? { vendor, id: rest.join('/') } : { vendor: VENDOR, id: name };
  if ((await vscode.lm.selectChatModels(modelSelector)).length === 0)
    throw new SessionError(`${name} is not available in the Chat. Select another model in the Chat's model picker.`);
  await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@kedge /again Answer again', modelSelector });
}

async function undoRun(kedge: Kedge, sessionId: string, runId: string): Promise<void> {
  const session = await kedge.sessions.byId(sessionId);
  await session.changes.undo(runId);
  const event = session.events.findLast((event) => event.type === 'changes_undone');
  const results = event?.type === 'changes_undone' ? event.results : [];
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  const restored = results.length - refused.length;
  if (refused.length === 0)
    void vscode.window.showInformationMessage(`Undid the run: ${restored} ${restored === 1 ? 'file' : 'files'} restored.`);
  else {
    const notRestored = refused.map(({ path, reason }) => `${path} (${reason})`).join(', ');
    void vscode.window.showWarningMessage(
      `${restored} of ${results.length} ${results.length === 1 ? 'file' : 'files'} restored. Not restored: ${notRestored}`,
    );
  }
}
