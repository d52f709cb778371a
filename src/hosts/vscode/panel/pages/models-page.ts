/** The page about models and limits: a form for the settings of each mode. */
import * as vscode from 'vscode';
import { DEFAULT_LIMITS } from '../../../../app/limits.ts';
import type { Session } from '../../../../app/session/session.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import { MODES, type Mode } from '../../../../core/session/events.ts';
import type { Limits, RunBudget } from '../../../../core/session/limits.ts';
import type { ModelsPage } from '../../../../protocol/models-page.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import { modelText, parseModelRef } from '../../../../providers/catalog.ts';
import type { Kedge } from '../../kedge.ts';
import { userSetting } from '../../settings/settings.ts';
import { isBetween } from '../../settings/settings-values.ts';
import { type Page, type PagePorts, sessionPage } from './page.ts';

export function modelsPage(ports: PagePorts<'models'>): Page<'models'> {
  return sessionPage(ports, { dataOf, change, isChange: ({ type }) => type === 'session_limit_set' });
}

function dataOf({ settings }: Kedge, { state }: Session): ModelsPage {
  const modes = MODES.map((mode) => {
    const problem = settings.modelProblem(mode);
    return {
      mode,
      own: settings.hasOwnModel(mode) ? vscode.workspace.getConfiguration('kedge').get<string>(`modelFor.${mode}`, '').trim() : '',
      ...(problem !== undefined && { problem }),
      set: amounts<Limits>(`limits.${mode}`, ['turns', 'callsPerTurn', 'callsPerRun', 'minutes']),
      limits: settings.limits(mode),
      defaults: DEFAULT_LIMITS[mode],
    };
  });
  return { general: modelText(settings.model()), modes, run: amounts<RunBudget>('budget.run', ['tokens', 'usd']), session: state.limits };
}

const isAmount = isBetween(Number.MIN_VALUE, Number.MAX_VALUE);

/** Returns the valid amounts in one of the user's settings. */
function amounts<T extends object>(key: string, names: readonly (keyof T & string)[]): Partial<T> {
  const value = userSetting<Record<string, unknown>>(key) ?? {};
  return Object.fromEntries(names.flatMap((name) => (isAmount(value[name]) ? [[name, value[name]]] : []))) as Partial<T>;
}

async function change(kedge: Kedge, request: RequestOf<'models'>): Promise<void> {
  switch (request.type) {
    case 'choose_general_model':
      await vscode.commands.executeCommand('kedge.pickModel');
      return;
    case 'set_mode_model':
      return setModel(kedge, request.mode, request.model.trim());
    case 'set_limit':
      return setAmount(`limits.${request.mode}`, request.limit, request.amount);
    case 'set_session_limit': {
      const { limit, amount } = request;
      (await kedge.sessions.current()).note({ type: 'session_limit_set', limit, ...(amount && { amount }) });
      return;
    }
    case 'set_budget':
      return setAmount('budget.run', request.budget, request.amount);
  }
}

/** @throws SessionError if the text does not name a model */
async function setModel({ settings }: Kedge, mode: Mode, text: string): Promise<void> {
  if (text === '') return settings.dropOwnModel(mode);
  try {
    await settings.setModel(parseModelRef(text), mode);
  } catch (error) {
    throw new SessionError(error instanceof Error ? error.message : String(error));
  }
}

async function setAmount(key: string, name: string, amount: number | undefined): Promise<void> {
  const { [name]: _, ...others } = userSetting<Record<string, unknown>>(key) ?? {};
  const value = amount === undefined ? others : { ...others, [name]: amount };
  const isEmpty = Object.keys(value).length === 0;
  await vscode.workspace.getConfiguration('kedge').update(key, isEmpty ? undefined : value, vscode.ConfigurationTarget.Global);
}
