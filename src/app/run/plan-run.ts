/** How the run of a confirmed plan is judged. */
import { revisionHash } from '../../core/plan/hash.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Judgement, PreparedCall } from '../../core/run/tool.ts';
import type { Decision } from '../../core/session/effects.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { CheckPorts } from '../../tools/plan/plan-check.ts';
import { beyondScope, deviation } from '../../tools/plan/plan-scope.ts';
import type { LanguageServices } from '../../workspace/languages.ts';
import { SessionError } from '../session/session-error.ts';

/** The same decision; where it is about a deviation from the plan, it says which step would have to allow it. */
export function explained<T extends Decision>(decision: T, run: RunRecord, prepared: PreparedCall | undefined): T {
  if (decision.rule !== 'outside-plan' || !run.plan) return decision;
  const [path] = beyondScope(run, writtenBy(prepared));
  return path === undefined ? decision : { ...decision, reason: deviation(run, path) };
}

function writtenBy(prepared: PreparedCall | undefined): string[] {
  return prepared?.targets.filter(({ access }) => access !== 'read').map(({ path }) => path) ?? [];
}

/** What the checks of steps run on; the tool for commands is the run's own. */
export function checksFor(judge: Pick<RunPorts, 'decide'>, languages: LanguageServices | undefined): CheckPorts {
  return {
    languages,
    async judge(tool, prepared) {
      const decision: Judgement = await judge.decide({ type: 'tool_call', id: '', name: tool.name }, tool, prepared);
      // What a user could grant, the user who confirmed the plan has; what asks whatever was granted, asks.
      if (decision.kind !== 'ask' || !decision.covers?.length) return decision;
      return { kind: 'allow', rule: 'confirmed-plan', reason: 'The confirmed plan includes this change.' };
    },
  };
}

/** @throws SessionError where the log no longer holds the plan that was confirmed. */
export async function expectConfirmed({ plan }: RunRecord): Promise<void> {
  if (plan?.hash && (await revisionHash(plan)) !== plan.hash)
    throw new SessionError('The plan is not the one that was confirmed: its revision hash differs. Confirm it anew.');
}
