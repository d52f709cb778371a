/** The policy for the run of a confirmed plan. */
import { revisionHash } from '../../core/plan/hash.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { Judgement, PreparedCall } from '../../core/run/tool.ts';
import type { Decision } from '../../core/session/effects.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import type { CheckPorts } from '../../tools/plan/plan-check.ts';
import { beyondScope, deviation } from '../../tools/plan/plan-scope.ts';
import type { LanguageServices } from '../../workspace/languages.ts';
import { SessionError } from '../session/session-error.ts';

/** Returns the decision. If a change deviates from the plan, the reason names the step that would have to allow it. */
export function explained<T extends Decision>(decision: T, run: RunRecord, prepared: PreparedCall | undefined): T {
  if (decision.rule !== 'outside-plan' || !run.plan) return decision;
  const [path] = beyondScope(run, writtenBy(prepared));
  return path === undefined ? decision : { ...decision, reason: deviation(run, path) };
}

function writtenBy(prepared: PreparedCall | undefined): string[] {
  return prepared?.targets.filter(({ access }) => access !== 'read').map(({ path }) => path) ?? [];
}

/** Returns the ports for the checks of plan steps. `buildRun` adds the tool that runs commands. */
export function checksFor(judge: Pick<RunPorts, 'decide'>, languages: LanguageServices | undefined): CheckPorts {
  return {
    languages,
    async judge(tool, prepared) {
      const decision: Judgement = await judge.decide({ type: 'tool_call', id: '', name: tool.name }, tool, prepared);
      // By confirming the plan, the user has granted every permission that can be granted for its checks. A check still needs an approval
      // if no permission can be granted for it.
      if (decision.kind !== 'ask' || !decision.covers?.length) return decision;
      return { kind: 'allow', rule: 'confirmed-plan', reason: 'The confirmed plan includes this check.' };
    },
  };
}

/** @throws SessionError if the plan in the log is not the plan that the user confirmed. */
export async function expectConfirmed({ plan }: RunRecord): Promise<void> {
  if (plan?.hash && (await revisionHash(plan)) !== plan.hash)
    throw new SessionError('The plan differs from the plan that you confirmed: its revision hash is different. Confirm the plan again.');
}
