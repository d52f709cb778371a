import * as vscode from 'vscode';
import type { Session } from '../../app/session/session.ts';
import { SessionError } from '../../app/session/session-error.ts';
import type { ApprovalAnswer, Mode, QuestionAnswer } from '../../core/session/events.ts';
import { becameOf } from './answered.ts';
import { openDiffs, reviewRun } from './files/blob-documents.ts';
import { WALKTHROUGH } from './first-start.ts';
import type { Kedge } from './kedge.ts';
import { notificationText } from './notification-text.ts';
import type { Panel } from './panel/panel.ts';
import { type Proposals, showDiff } from './review-proposals.ts';

/** Registers every command of the extension. Commands that only buttons call take the id of a session as their first argument. */
export function registerCommands(kedge: Kedge, panel: Panel, proposals: Proposals): vscode.Disposable {
  const commands: Record<string, (...args: never[]) => unknown> = {
    'kedge.openPanel': () => panel.reveal(),
    'kedge.openWalkthrough': () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
    // The buttons of the walkthrough call these commands.
    'kedge.tryAsk': () => compose(kedge, panel, 'ask', 'How is this project laid out?'),
    'kedge.tryPlan': () => compose(kedge, panel, 'plan', 'Rename … to … in src/**'),
    'kedge.tryAgent': () => compose(kedge, panel, 'agent', "Replace '…' with '…'"),
    'kedge.addMention': async (...args: unknown[]) => (await import('./add-mention.ts')).addMentions(kedge, panel, args),
    'kedge.addTerminal': async () => (await import('./add-mention.ts')).addMention(kedge, panel, [{ kind: 'terminal' }]),
    'kedge.explain': async (...args: unknown[]) => (await codeActions()).runCodeAction(kedge, panel, 'explain', args),
    'kedge.fix': async (...args: unknown[]) => (await codeActions()).runCodeAction(kedge, panel, 'fix', args),
    'kedge.edit': async (...args: unknown[]) => (await codeActions()).edit(kedge, args),
    'kedge.writeTests': async (...args: unknown[]) => (await codeActions()).runCodeAction(kedge, panel, 'writeTests', args),
    'kedge.explainTerminal': async () => (await codeActions()).runTerminalAction(kedge, panel, 'explain'),
    'kedge.fixTerminal': async () => (await codeActions()).runTerminalAction(kedge, panel, 'fix'),
    'kedge.fixTest': async (test: unknown) => (await codeActions()).fixTest(kedge, panel, test),
    'kedge.writeCommitMessage': async (source: unknown) => (await import('./actions/commit-message.ts')).writeCommitMessage(kedge, source),
    'kedge.showCommands': async () =>
      (await import('./terminal/background-commands.ts')).showBackgroundCommands(kedge.terminals?.background ?? []),
    'kedge.newSession': async () => {
      const session = await kedge.assistant.newSession();
      // The input box is cleared before the new session is shown. Otherwise, text that the user has already typed there could be lost.
      await panel.reveal({ type: 'compose', text: '' });
      await kedge.sessions.show(session);
    },
    'kedge.runInBackground': async (text: unknown) =>
      (await import('./actions/background.ts')).runInBackground(kedge, typeof text === 'string' ? text : undefined),
    'kedge.openSession': async () => (await import('./session-list.ts')).openSession(kedge, panel),
    'kedge.showSessions': () => panel.reveal({ type: 'show_page', name: 'sessions' }),
    'kedge.pickModel': async () => (await import('./models/connect.ts')).pickModel(kedge),
    'kedge.pickAgent': async () => (await import('./agents/choose-agent.ts')).chooseAgent(kedge),
    'kedge.showAgents': () => panel.reveal({ type: 'show_page', name: 'agents' }),
    'kedge.importAgent': async (address: unknown) =>
      (await packages()).importPackage(kedge, typeof address === 'string' ? address : undefined),
    'kedge.exportAgent': async (name: unknown, to: unknown) =>
      (await packages()).exportAgent(kedge, typeof name === 'string' ? name : undefined, to instanceof vscode.Uri ? to : undefined),
    'kedge.connectModel': async () => (await import('./models/connect.ts')).connectModel(kedge),
    'kedge.stop': async () => (await current(kedge)).stop(),
    'kedge.manageGrants': () => panel.reveal({ type: 'show_page', name: 'permissions' }),
    'kedge.manageServers': () => panel.reveal({ type: 'show_page', name: 'servers' }),
    'kedge.importServers': async () => (await import('./actions/import-servers.ts')).importServers(kedge),
    'kedge.manageModels': () => panel.reveal({ type: 'show_page', name: 'models' }),
    'kedge.showDocuments': () => panel.reveal({ type: 'show_page', name: 'documents' }),
    'kedge.addDocuments': async (...args: unknown[]) => {
      await panel.reveal({ type: 'show_page', name: 'documents' });
      await (await import('./documents/add-documents.ts')).addFromCommand(await kedge.documents(), args);
    },
    'kedge.openSource': async (text: unknown) => (await import('./panel/open.ts')).openSource(String(text), kedge),
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
      showDiff(await kedge.sessions.byId(sessionId), callId, path, proposals),
    'kedge.openDiffs': async (sessionId: string, callId: string) => openDiffs(await kedge.sessions.byId(sessionId), callId, kedge.fs),
    'kedge.showInPanel': async (sessionId: string) => {
      await kedge.sessions.show(await kedge.sessions.byId(sessionId));
      await panel.reveal({ type: 'show_conversation' });
    },
    'kedge.reviewRun': async (sessionId: string, runId: string) => reviewRun(await kedge.sessions.byId(sessionId), runId, kedge.fs),
    'kedge.undoRun': async (sessionId: string, runId: string) => (await import('./actions/undo-run.ts')).undoRun(kedge, sessionId, runId),
    'kedge.discardPlan': async (sessionId: string, planId: string) => {
      await (await kedge.sessions.byId(sessionId)).plans.answer(planId, 'discard');
      void vscode.window.showInformationMessage('The plan was discarded.');
    },
    'kedge.editPlan': async (sessionId: string, planId: string) => {
      await kedge.sessions.show(await kedge.sessions.byId(sessionId));
      await panel.reveal({ type: 'edit_plan', planId });
    },
    'kedge.showInsights': () => panel.reveal({ type: 'show_page', name: 'insights' }),
    'kedge.manageMemory': () => panel.reveal({ type: 'show_page', name: 'memory' }),
    'kedge.replay': () => panel.reveal({ type: 'show_page', name: 'replay' }),
    'kedge.showCustomizations': async () => (await import('./prompt-files.ts')).showCustomizations(kedge),
    'kedge.openHooks': async () => (await import('./prompt-files.ts')).openHooks(),
    'kedge.openMemory': async () => (await import('./memory.ts')).openMemory(kedge),
    'kedge.setUpBrowser': async () => (await import('./actions/set-up-browser.ts')).setUpBrowserTool(),
    'kedge.installCommand': async (folder: unknown) => (await programCommands()).installCommand(kedge.context, folder),
    'kedge.uninstallCommand': async () => (await programCommands()).uninstallCommand(kedge.context),
    'kedge.showPlans': async () => (await import('./plans.ts')).showPlans(kedge, panel),
    'kedge.chat.runPlan': () => sendToChat('@kedge /run Run the plan'),
    'kedge.chat.continue': () => sendToChat('@kedge /continue Continue the run'),
    'kedge.chat.answerWith': async (name: string) => (await import('./chat/answer-with.ts')).answerWith(name),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, (...args) => showSessionErrors(() => run(...(args as never[])))),
    ),
  );
}

/** Puts a message into the panel's input box. The user completes and sends it. */
async function compose(kedge: Kedge, panel: Panel, mode: Mode, text: string): Promise<void> {
  await kedge.setMode(mode);
  await panel.reveal({ type: 'compose', text, mode });
}
const programCommands = () => import('./program/install-command.ts');
const packages = () => import('./agents/packages/packages.ts');
const codeActions = () => import('./actions/code-actions.ts');

/** Returns the session whose run is live, in the panel or in the Chat, or else the session that the panel shows. */
async function current(kedge: Kedge): Promise<Session> {
  const panelSession = await kedge.sessions.current();
  const open = await Promise.all(kedge.assistant.openIds.map((id) => kedge.assistant.session(id)));
  return [panelSession, ...open].find((session) => session?.running) ?? panelSession;
}

/** Returns the session if the approval or question with this id is open. @throws SessionError with its answer if it is not open */
function expectPending(session: Session, id: string): Session {
  const { pendingApprovals, pendingQuestions } = session.state;
  if (!pendingApprovals.has(id) && !pendingQuestions.has(id)) throw new SessionError(becameOf(session.readView(), id));
  return session;
}

async function answerInWords(session: Session, questionId: string): Promise<void> {
  const pending = expectPending(session, questionId).state.pendingQuestions.get(questionId);
  if (!pending) return;
  const words = await vscode.window.showInputBox({
    title: 'Kedge: Answer a Question',
    prompt: notificationText(pending.question.text),
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
  if (!limit) return true;
  const { isOfDay, raiseText } = await import('../../core/words/budget-text.ts');
  if (!isOfDay(limit.limit)) return true;
  const raise = 'Raise Limit and Continue';
  return (await vscode.window.showWarningMessage(notificationText(raiseText(limit)), { modal: true }, raise)) === raise;
}

/** Shows a SessionError as a message, because it reports an action that is not possible at the moment, and not a fault of the extension. */
export async function showSessionErrors(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    void vscode.window.showInformationMessage(notificationText(error.message));
    return undefined;
  }
}

function sendToChat(query: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.chat.open', { query });
}
