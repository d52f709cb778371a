/** The policy for the run of a confirmed plan. */
import { revisionHash } from '../../core/plan/hash.ts';
import { checkCommands } from '../../core/plan/plan.ts';
import type { RunPorts } from '../../core/run/ports.ts';
import type { PreparedCall } from '../../core/run/tool.ts';
import type { CommandLine, Decision } from '../../core/session/effects.ts';
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

/** Returns true if a check of the plan is exactly this command, in the folder in which checks run. */
export function confirmsCommand(plan: RunRecord['plan'], { text, cwd, background }: CommandLine, top: string | undefined): boolean {
  return !background && cwd === top && plan !== undefined && checkCommands(plan).some((command) => command.trim() === text);
}

/** Returns the ports for the checks of plan steps. `buildRun` adds the tool that runs commands. */
export function checksFor(judge: Pick<RunPorts, 'decide'>, languages: LanguageServices | undefined): CheckPorts {
  return {
    languages,
    judge: async (tool, prepared) => judge.decide({ type: 'tool_call', id: '', name: tool.name }, tool, prepared),
  };
}

/** @throws SessionError if the plan in the log is not the plan that the user confirmed. */
export async function expectConfirmed({ plan }: RunRecord): Promise<void> {
  if (plan?.hash && (await revisionHash(plan)) !== plan.hash)
    throw new SessionError('The plan differs from the plan that you confirmed: its revision hash is different. Confirm the plan again.');
}
