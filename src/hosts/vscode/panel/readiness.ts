/** Determines whether the model of the panel can be used. It is shown as ready only if a key is stored or its server has answered. */
import { SMALLEST_CONTEXT } from '../../../app/limits.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { Readiness } from '../../../protocol/panel.ts';
import { catalogEntry, EDITOR, missingConfig } from '../../../providers/catalog.ts';
import type { ModelFacts } from '../../../providers/types.ts';
import type { Kedge } from '../kedge.ts';
import { modelName } from '../models/model-label.ts';
import { readPolicy } from '../settings/policy-settings.ts';
import type { ModelCheck } from './model-check.ts';

type Sources = Pick<Kedge, 'mode' | 'settings' | 'models'>;

const CONNECT = { label: 'Connect a model', message: { type: 'connect_model' as const } };
const CHOOSE = { label: 'Choose a model', message: { type: 'pick_model' as const } };
const RETRY = { label: 'Check again', message: { type: 'check_model' as const } };

export async function readinessOf(kedge: Sources, model: ModelRef, check: ModelCheck): Promise<Readiness> {
  const [ruleProblem] = readPolicy().problems;
  if (ruleProblem) return { level: 'attention', text: ruleProblem, action: { label: 'Open settings', message: { type: 'open_rules' } } };
  const problem = kedge.settings.modelProblem(kedge.mode);
  if (problem) return { level: 'attention', text: problem, action: CONNECT };
  if (model.provider === 'offline')
    return { level: 'ready', text: 'Offline answers a small set of requests without a language model.', action: CONNECT };
  const isEditor = model.provider === EDITOR;
  const entry = catalogEntry(model.provider);
  const config = isEditor ? {} : await kedge.models.configOf(model.provider);
  const missing = entry && missingConfig(entry, config);
  if (missing) return { level: 'attention', text: `There is no ${missing} for ${entry.label}.`, action: CONNECT };
  const hasKey = config.apiKey !== undefined && !entry?.local;
  const result = !hasKey || check.hasFailed(model, config) ? check.resultOf(model, config, entry) : { answers: true as const };
  if (result && !result.answers) return { level: 'attention', text: result.problem, action: result.isRefused ? CONNECT : RETRY };
  const warning = unsuited(modelName(model), kedge.models.facts(model));
  if (warning) return { level: 'warning', text: warning, action: CHOOSE };
  const label = entry?.label ?? 'VS Code';
  if (!result) return { level: 'checking', text: `Checking the connection to ${label}…` };
  if (isEditor) return { level: 'ready', text: 'VS Code offers this model.' };
  return { level: 'ready', text: hasKey ? `The key for ${label} is stored.` : `${label} is running.` };
}

/** Returns why a model is not suitable for most tasks, or undefined if no reason is known. */
function unsuited(name: string, { tools, calls, contextWindow }: ModelFacts): string | undefined {
  if (calls === 'none' || (tools === false && calls !== 'text')) return `${name} cannot call tools, so it cannot read or change files.`;
  if (contextWindow === undefined || contextWindow >= SMALLEST_CONTEXT) return undefined;
  return `${name} has a small context window (${contextWindow.toLocaleString('en')} tokens). Most tasks do not fit.`;
}
