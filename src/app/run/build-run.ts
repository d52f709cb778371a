/** Builds a run: which tools, which judge, which model, how far. */
import type { SharedBudget } from '../../core/run/budget.ts';
import { runLoop } from '../../core/run/run.ts';
import type { Tool } from '../../core/run/tool.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { systemPrompt } from '../../core/words/prompts.ts';
import { type ExternalAccess, toolsFor } from '../../tools/index.ts';
import { StepController } from '../../tools/plan/step-controller.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../assistant.ts';
import { hookPlaces } from '../facts/hook-places.ts';
import { pressureNotice, pressureOf, shrink } from '../models/memory-pressure.ts';
import type { Session } from '../session/session.ts';
import { priceOf } from './cost.ts';
import { judgeFor } from './judge.ts';
import type { BuiltRun } from './live-run.ts';
import { checksFor, expectConfirmed } from './plan-run.ts';

/** What all runs of an assistant have in common. */
type Shared = { gate(): Promise<WriteGate>; share(): SharedBudget | undefined };

export async function buildRun(run: RunRecord, session: Session, ports: AssistantPorts, { gate, share }: Shared): Promise<BuiltRun> {
  await expectConfirmed(run);
  const { mode } = run;
  const fs = ports.fileSystem();
  const { languages, settings } = ports;
  const shown = await withIgnoreFiles(fs);
  const judge = judgeFor(run, session, ports, {
    hookPlaces: mode === 'agent' ? await hookPlaces(fs) : [],
    tools: () => tools,
    hides: shown.hides,
  });
  const workspace = new Workspace(shown, judge.withheldFilter);
  const checks = checksFor(judge, languages);
  // The one place where a run comes by the means to write: in Agent mode, and in a workspace the user trusts.
  const writeGate = mode === 'agent' && ports.trusted() ? await gate() : undefined;
  const stepController =
    writeGate && run.plan ? new StepController({ run, state: session.state }, workspace, writeGate, checks) : undefined;
  const revises = session.state.plans.get(run.revises ?? '')?.plan;
  const builtin = writeGate
    ? toolsFor(
        workspace,
        { mode: 'agent', gate: writeGate, stepController: stepController, model: run.model, ...externalAccess(ports) },
        languages,
      )
    : toolsFor(workspace, mode === 'plan' ? { mode, newId: () => crypto.randomUUID(), revises } : { mode: 'ask' }, languages);
  const others = (ports.trusted() && (await ports.mcp?.toolsFor(mode))) || [];
  // Of two tools of one name the last would be called: no other program's stands in the place of a built-in one.
  const tools: Tool[] = [...builtin, ...others.filter(({ name }) => !builtin.some((own) => own.name === name))];
  checks.runCommand = tools.find(({ name, source }) => name === 'run_command' && source === 'builtin');
  const facts = ports.facts?.(run.model) ?? {};
  const price = priceOf(run.model, facts, ports.now ?? Date.now);
  const memory = await ports.memory?.(run.model);
  const level = pressureOf(memory, ports.settings.pressure?.());
  const shrunk = pressureNotice(memory, level);
  const shared = share();
  return {
    ...(settings.budgets && { budget: settings.budgets().run }),
    ...(shared && { shared }),
    limits: shrink(ports.settings.limits(mode), level),
    ...(shrunk && { shrunk }),
    adapter: await ports.adapter(run.model),
    blind: facts.vision === false,
    ...(price && { price }),
    tools,
    request: {
      system: systemPrompt(
        mode,
        fs.folders.map(({ name }) => name),
      ),
      cacheKey: session.id,
      ...ports.settings.tuning?.(run.model),
    },
    loop: runLoop,
    decide: judge.decide,
    ...(stepController && { closing: (context) => stepController.close(context) }),
    alike: judge.alike,
  };
}

function externalAccess({ commands, fetcher }: AssistantPorts): ExternalAccess {
  return { commands: commands?.(), fetcher };
}
