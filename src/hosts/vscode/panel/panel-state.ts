/** Builds the state that the panel shows in addition to a session: the mode, the model, its readiness, and the folders. */
import * as vscode from 'vscode';
import { standingPermissions } from '../../../policy/overview.ts';
import { sessionRules } from '../../../policy/rules.ts';
import type { PanelState } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';
import { modelName } from '../models/model-label.ts';
import { readPolicy } from '../settings/policy-settings.ts';
import type { ModelCheck } from './model-check.ts';
import { readinessOf } from './readiness.ts';

/** The parts of Kedge from which the panel's state is built. */
type Sources = Pick<Kedge, 'mode' | 'settings' | 'models' | 'fs' | 'sessions' | 'modelFor' | 'agentOf' | 'grants'>;

export async function panelState(kedge: Sources, check: ModelCheck, hasErrors: boolean): Promise<PanelState> {
  const { mode } = kedge;
  const session = await kedge.sessions.current();
  const { id, state } = session;
  const agent = kedge.agentOf(session);
  const model = kedge.modelFor(id, mode);
  const { rules, readOnlyCommands = false } = readPolicy();
  const withoutApproval = standingPermissions({
    rules: [...sessionRules(state.rules), ...rules],
    readOnlyCommands,
    grants: [...state.grants, ...kedge.grants.list().map((covers) => ({ covers, scope: 'workspace' as const }))],
  });
  const changes = hasChanges();
  return {
    mode,
    modelName: modelName(model),
    ...(agent && { agent }),
    blind: model.provider === 'offline' || kedge.models.facts(model).vision === false,
    readiness: await readinessOf(kedge, model, check),
    folders: kedge.fs.folders.map(({ name }) => name),
    trusted: vscode.workspace.isTrusted,
    ...(withoutApproval.length > 0 && { withoutApproval }),
    steps: kedge.settings.steps(),
    ...(model.provider === 'offline' && { isOffline: true as const }),
    ...(hasErrors && { hasProblems: true as const }),
    ...(changes && { hasChanges: true as const }),
  };
}

type Git = { getAPI(version: 1): { repositories: { state: Record<'workingTreeChanges' | 'indexChanges', unknown[]> }[] } };

/** Returns true if VS Code's own Git extension shows uncommitted changes. The extension is not activated for this. */
function hasChanges(): boolean {
  const git = vscode.extensions.getExtension<Git>('vscode.git');
  if (!git?.isActive) return false;
  try {
    const { repositories } = git.exports.getAPI(1);
    return repositories.some(({ state }) => state.workingTreeChanges.length + state.indexChanges.length > 0);
  } catch {
    // Git is disabled in the settings.
    return false;
  }
}
