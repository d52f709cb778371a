/** Plans outside of the panel: the list of a session's plans, a plan as a document, a plan for another folder. */
import * as vscode from 'vscode';
import { type Session, SessionError } from '../../app/session/session.ts';
import { shortHash } from '../../core/plan/hash.ts';
import type { Plan } from '../../core/plan/plan.ts';
import type { PlanStage } from '../../core/plan/progress.ts';
import { planMarkdown } from '../../core/view/plan-markdown.ts';
import type { ToPanel } from '../../protocol/panel.ts';
import type { Kedge } from './kedge.ts';

const STAGE: Record<PlanStage, string> = {
  proposed: 'waits to be confirmed',
  confirmed: 'confirmed',
  discarded: 'discarded',
  superseded: 'replaced',
  running: 'is carried out',
  paused: 'paused',
  stopped: 'not finished',
  done: 'done',
};

/** Those of the session that the panel shows, the newest first. */
export async function showPlans(kedge: Pick<Kedge, 'sessions'>, panel: { reveal(message: ToPanel): Promise<void> }): Promise<void> {
  const session = await kedge.sessions.current();
  const plans = session.plans.list().reverse();
  if (plans.length === 0) throw new SessionError('There is no plan in this session. Ask for one in Plan mode.');
  const items = plans.map(({ plan, stage, done }) => ({
    label: plan.goal.split('\n', 1)[0] ?? '',
    description: `${STAGE[stage]} · ${done} of ${plan.steps.length} steps`,
    detail: `Revision ${plan.revision}${plan.hash ? ` · ${shortHash(plan)}` : ''}`,
    plan,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Show Plans',
    placeHolder: 'Choose a plan of this session',
  });
  if (chosen) await panel.reveal({ type: 'show_plan', planId: chosen.plan.id });
}

/** `edited`: as it stands in the panel, where that is not confirmed yet. */
export async function openAsMarkdown(session: Session, planId: string, edited: Plan | undefined): Promise<void> {
  const known = session.plans.list().find(({ plan }) => plan.id === planId);
  if (!known) throw new SessionError('There is no such plan in this session.');
  const steps = known.runId === undefined ? {} : session.state.runs.get(known.runId)?.steps;
  const content = planMarkdown(edited ?? known.plan, steps);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'markdown', content }));
}

/** With several folders, the user says for which: what the plan names below one is then meant below that. */
export async function runAgain(session: Session, planId: string, folders: readonly { name: string }[]): Promise<void> {
  const plan = session.plans.list().find((each) => each.plan.id === planId)?.plan;
  const from = folders.find(({ name }) =>
    plan?.steps.some(({ files }) => files.some((file) => file === name || file.startsWith(`${name}/`))),
  );
  if (folders.length < 2 || !from) {
    await session.plans.again(planId);
    return;
  }
  const items = folders.map(({ name }) => ({ label: name, description: name === from.name ? 'as before' : '' }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Kedge: Run Plan Again', placeHolder: 'Choose a folder' });
  if (chosen) await session.plans.again(planId, { from: from.name, to: chosen.label });
}
