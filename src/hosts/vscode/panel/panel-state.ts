/** Builds the state that the panel shows besides a session: the mode, the model, its readiness, and the folders. */
import * as vscode from 'vscode';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { PanelState, Readiness } from '../../../protocol/panel.ts';
import { catalogEntry, missingConfig } from '../../../providers/catalog.ts';
import type { Kedge } from '../kedge.ts';
import { modelName } from '../models/model-label.ts';
import { readPolicy } from '../settings/policy-settings.ts';

/** The parts of Kedge from which the panel's state is built. */
type Sources = Pick<Kedge, 'mode' | 'settings' | 'models' | 'fs'>;

export async function panelState(kedge: Sources): Promise<PanelState> {
  const { mode } = kedge;
  const model = kedge.settings.model(mode);
  return {
    mode,
    modelName: modelName(model),
    blind: model.provider === 'offline' || kedge.models.facts(model).vision === false,
    readiness: await readinessOf(kedge, model),
    folders: kedge.fs.folders.map(({ name }) => name),
    trusted: vscode.workspace.isTrusted,
  };
}

async function readinessOf(kedge: Sources, model: ModelRef): Promise<Readiness> {
  const connect = { label: 'Connect a model', message: { type: 'connect_model' as const } };
  const [ruleProblem] = readPolicy().problems;
  if (ruleProblem) return { level: 'attention', text: ruleProblem, action: { label: 'Open settings', message: { type: 'open_rules' } } };
  const problem = kedge.settings.modelProblem(kedge.mode);
  if (problem) return { level: 'attention', text: problem, action: connect };
  if (model.provider === 'offline') {
    return {
      level: 'ready',
      text: 'Offline answers a small set of requests without a language model.',
      action: connect,
    };
  }
  const entry = catalogEntry(model.provider);
  const missing = entry && missingConfig(entry, await kedge.models.configOf(entry.id));
  if (missing) return { level: 'attention', text: `There is no ${missing} for ${entry.label}.`, action: connect };
  return { level: 'ready', text: `${modelName(model)} is connected.` };
}
