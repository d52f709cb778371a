/** The data and the requests of the page about models and limits. */
import * as z from 'zod';
import type { Mode } from '../core/session/events.ts';
import type { Limits, RunBudget, SessionLimits } from '../core/session/limits.ts';

/** `own` and `set` contain the user's settings. `limits` contains the limits in effect, which a workspace can lower. */
export type ModeSettings = {
  mode: Mode;
  /** The model of this mode as `provider/model`, or an empty text if the mode uses the general model. */
  own: string;
  /** Why the model cannot be used, as a sentence. */
  problem?: string;
  set: Partial<Limits>;
  limits: Limits;
  defaults: Limits;
};

/**
 * `general` is the model of all modes that have no model of their own. `run` contains the user's budgets for one run. `session` contains
 * the limits of the shown session.
 */
export type ModelsPage = { general: string; modes: readonly ModeSettings[]; run: RunBudget; session: SessionLimits };

const models = z.literal('models');
const mode = z.enum(['ask', 'plan', 'agent']);
const limit = z.enum(['turns', 'callsPerTurn', 'callsPerRun', 'minutes']);
const budget = z.enum(['tokens', 'usd']);
/** Without an amount, the default applies again. */
const amount = z.number().positive().max(1_000_000_000).optional();

export const modelsRequests = [
  z.object({ page: models, type: z.literal('choose_general_model') }),
  /** Without a model, the mode uses the general model. */
  z.object({ page: models, type: z.literal('set_mode_model'), mode, model: z.string().max(1_000) }),
  z.object({ page: models, type: z.literal('set_limit'), mode, limit, amount }),
  z.object({ page: models, type: z.literal('set_budget'), budget, amount }),
  /** Without an amount, the settings apply to the session again. */
  z.object({ page: models, type: z.literal('set_session_limit'), limit: z.union([limit, budget]), amount }),
] as const;
