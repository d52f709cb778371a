/** The shapes of the effects of calls: accesses, decisions, commands and changes. */
import { anyOf, arrayOf, boolean, type Check, constant, number, object, oneOf, optional, string } from '../../shape.ts';
import type { AppliedCode, AppliedWorktree, ChangeSummary, CommandLine, Decision, Detail, Effect, ServerTool, Target } from '../effects.ts';
import type { UndoResult } from '../events.ts';
import type { RuleId } from '../rule-ids.ts';

const strings = arrayOf(string);
const yes = optional(constant(true));
const text = optional(string);
const amount = optional(number);

export const effect = oneOf<Effect>({ readonly: true, mutating: true, destructive: true, external: true });
export const target = object<Target>({
  path: string,
  access: oneOf<Target['access']>({ read: true, write: true, delete: true }),
  outside: optional(boolean),
  names: yes,
});
/**
 * Accepts unknown rule ids, such as ids from another version of Kedge. A rule id is only displayed, and rejecting it would lose the event.
 */
export const rule = string as Check<RuleId>;
export const decision = object<Decision>({ kind: oneOf<Decision['kind']>({ allow: true, deny: true, ask: true }), rule, reason: string });
export const command = object<CommandLine>({
  text: string,
  cwd: string,
  shell: oneOf<CommandLine['shell']>({ bash: true, sh: true, powershell: true, other: true }),
  background: yes,
  timeoutSeconds: amount,
});

const detail = object<Detail>({ label: string, text: string, isCode: yes });
export const serverTool = object<ServerTool>({ server: string, tool: string, description: string, details: optional(arrayOf(detail)) });

const appliedCode = object<AppliedCode>({
  path: string,
  code: string,
  at: optional(object<NonNullable<AppliedCode['at']>>({ line: number, removes: number, before: string, patch: yes })),
});

export const applied = anyOf<[AppliedCode, AppliedWorktree]>(appliedCode, object<AppliedWorktree>({ worktree: string }));

type StagedChange = Omit<ChangeSummary, 'diff'>;
const changeFields = {
  path: string,
  kind: oneOf<ChangeSummary['kind']>({ create: true, edit: true, delete: true, move: true }),
  from: text,
  before: text,
  after: text,
  added: number,
  removed: number,
  mode: amount,
  made: optional(strings),
};
export const stagedChanges = arrayOf(object<StagedChange>(changeFields));
export const changes = arrayOf(object<ChangeSummary>({ ...changeFields, diff: string }));
export const undoResults = arrayOf(
  object<UndoResult>({
    path: string,
    outcome: oneOf<UndoResult['outcome']>({ restored: true, merged: true, unchanged: true, refused: true }),
    reason: text,
  }),
);
