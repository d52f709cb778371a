/** Computes the receipt of a run from its view. */

import type { Receipt } from '../session/events.ts';
import { MAX_NAMED } from './receipt.ts';
import { landedChanges } from './run-changes.ts';
import { callsIn, filesRead, type RunView, withChildren } from './run-view.ts';

const MAX_COMMAND = 500;

/** Returns the receipt of the run so far. `canWrite` is true when the run had a tool that can change something. */
export function receiptOf(run: RunView, canWrite?: boolean): Receipt {
  const runs = withChildren(run);
  const calls = runs.flatMap(callsIn);
  const finished = calls.filter(({ result }) => result !== undefined);
  const carriedOut = finished.filter((call) => call.carriedOut);
  const asked = calls.filter((call) => call.asked.length > 0);
  const answered = calls.flatMap(({ answer }) => answer ?? []);
  const approved = answered.filter(({ approve }) => approve).length;
  const denied = finished.filter(({ status }) => status === 'denied').flatMap(({ decision }) => decision?.rule ?? []);
  // Failed calls are those that were executed and, in Agent mode, calls of a tool that does not exist.
  const failed = finished.filter((call) => call.status === 'failed' && (call.carriedOut || call.decision?.kind === 'deny'));
  const allowed = carriedOut.flatMap(({ decision }) => (decision?.kind === 'allow' ? [decision.rule] : []));
  const read = new Set(runs.flatMap((each) => [...filesRead(each)]));
  const rules = new Set(runs.flatMap((each) => (each.rules ?? []).map(({ path }) => path)));
  const compactions = runs.reduce((sum, each) => sum + each.compactions.length, 0);
  const changed = landedChanges(run).map(({ path }) => path);
  const hosts = new Set(carriedOut.flatMap((call) => call.hosts ?? []));
  const servers = new Set(carriedOut.flatMap(({ source }) => (source?.startsWith('mcp:') ? [source.slice('mcp:'.length)] : [])));
  const named = <T>(all: Iterable<T>) => [...all].slice(0, MAX_NAMED);
  return {
    mode: run.mode,
    calls: finished.length,
    effects: countsOf(carriedOut.flatMap(({ effect }) => effect ?? [])),
    allowed: countsOf(allowed),
    asked: asked.length,
    approved,
    rejected: answered.length - approved,
    denied: denied.length,
    failed: failed.length,
    deniedBy: countsOf(denied),
    ...(rules.size > 0 && { rules: named(rules) }),
    ...(compactions > 0 && { compactions }),
    read: named(read),
    readCount: read.size,
    changed: named(changed),
    changedCount: changed.length,
    ...(run.unchangedSteps.length > 0 && { unchangedSteps: named(run.unchangedSteps.toSorted((a, b) => a - b)) }),
    commands: named(run.commands).map((command) => (command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}…` : command)),
    commandCount: run.commands.length,
    hosts: named(hosts),
    hostCount: hosts.size,
    servers: named(servers),
    ...(canWrite !== undefined && { canWrite }),
  };
}

function countsOf(values: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries(counts);
}
