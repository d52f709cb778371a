/** Plans outside the panel: the list of a session's plans, a plan as a Markdown document, and running a plan in another folder. */
import * as vscode from 'vscode';
import type { Session } from '../../app/session/session.ts';
import { SessionError } from '../../app/session/session-error.ts';
import { shortHash } from '../../core/plan/hash.ts';
import type { Plan } from '../../core/plan/plan.ts';
import type { PlanStage } from '../../core/plan/progress.ts';
import { planMarkdown } from '../../core/view/plan-markdown.ts';
import type { ToPanel } from '../../protocol/panel.ts';
import type { Kedge } from './kedge.ts';

const STAGE: Record<PlanStage, string> = {
  proposed: 'not confirmed',
  confirmed: 'confirmed',
  discarded: 'discarded',
  superseded: 'replaced',
  running: 'running',
  paused: 'paused',
  stopped: 'not finished',
  done: 'done',
};

/** Lists the plans of the session that the panel shows, newest first. */
export async function showPlans(kedge: Pick<Kedge, 'sessions'>, panel: { reveal(message: ToPanel): Promise<void> }): Promise<void> {
  const session = await kedge.sessions.current();
  const plans = session.plans.list().reverse();
  if (plans.length === 0) throw new SessionError('This session has no plans. Request a plan in Plan mode.');
  const items = plans.map(({ plan, stage, done }) => ({
    label: plan.goal.split('\n', 1)[0] ?? '',
    description: `${STAGE[stage]} · ${done} of ${plan.steps.length} steps`,
    detail: `Revision ${plan.revision}${plan.hash ? ` · ${shortHash(plan)}` : ''}`,
    plan,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Show Plans',
    placeHolder: 'Select a plan of this session',
  });
  if (chosen) await panel.reveal({ type: 'show_plan', planId: chosen.plan.id });
}

/** Opens a plan as a Markdown document. `edited` is the plan as the user edited it in the panel, if the edit is not confirmed yet. */
export async function openAsMarkdown(session: Session, planId: string, edited: Plan | undefined): Promise<void> {
  const overview = session.plans.list().find(({ plan }) => plan.id === planId);
  if (!overview) throw new SessionError('This session does not contain the plan. To list its plans, use "Kedge: Show Plans".');
  const content = planMarkdown(edited ?? overview.plan, session.state.runs.get(overview.runId ?? ''));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'markdown', content }));
}

/** Proposes a plan again. If several folders are open, the user selects a folder, and the plan's paths are moved to it. */
export async function runAgain(session: Session, planId: string, folders: readonly { name: string }[]): Promise<void> {
  const plan = session.plans.list().find((each) => each.plan.id === planId)?.plan;
  const from = folders.find(({ name }) =>
    plan?.steps.some(({ files }) => files.some((file) => file === name || file.startsWith(`${name}/`))),
  );
  if (folders.length < 2 || !from) {
    await session.plans.again(planId);
    return;
  }
  const items = folders.map(({ name }) => ({ label: name, description: name === from.name ? 'the folder of this plan' : '' }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Kedge: Run Plan Again', placeHolder: 'Select a folder' });
  if (chosen) await session.plans.again(planId, { from: from.name, to: chosen.label });
}
