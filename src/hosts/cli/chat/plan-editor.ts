/** Lets the user edit a plan in an editor, as JSON. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan, PlanDraft } from '../../../core/plan/plan.ts';
import { oneLine } from '../output/terminal.ts';
import type { Front } from './front.ts';

/** Returns undefined if the plan was not changed, or if the edited plan is not valid. */
export async function editPlan(plan: Plan, front: Front, env: NodeJS.ProcessEnv): Promise<Plan | undefined> {
  const { id: _id, revision: _revision, hash: _hash, supersedes: _supersedes, ...draft } = plan;
  const directory = mkdtempSync(join(tmpdir(), 'kedge-plan-'));
  const file = join(directory, 'plan.json');
  const before = `${JSON.stringify(draft satisfies PlanDraft, null, 2)}\n`;
  try {
    writeFileSync(file, before, { mode: 0o600 });
    const { openInEditor } = await import('../config/command.ts');
    front.release(() => openInEditor(file, env));
    const after = readFileSync(file, 'utf8');
    if (after === before) return undefined;
    const { PlanDraft } = await import('../../../core/plan/schema.ts');
    return { ...plan, ...PlanDraft.parse(JSON.parse(after)) };
  } catch (error) {
    front.say(`The plan was not changed: ${oneLine((error as Error).message, 500)}`);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
