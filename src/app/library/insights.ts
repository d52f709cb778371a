/** Computes the insights from the logs of all sessions in a directory. */
import type { AgentRuns } from '../../core/insights/agent-runs.ts';
import type { Cell, Digest } from '../../core/insights/fold.ts';
import { Digests } from '../../sessions/digests.ts';

export { agentUses } from '../../core/insights/agent-runs.ts';

/** How long logs are read, in milliseconds, before other work of the program gets a turn. */
const WORK_MS = 20;

/** Returns the counts of each session. Sessions that cannot be read are left out. */
export async function countsOfSessions(directory: string, signal?: AbortSignal): Promise<(readonly Cell[])[]> {
  return (await digestsIn(directory, signal)).map(({ cells }) => cells);
}

/** Returns the runs with an agent of each session. */
export async function agentRunsOfSessions(directory: string, signal?: AbortSignal): Promise<AgentRuns[]> {
  return (await digestsIn(directory, signal)).map(({ agentRuns }) => agentRuns);
}

async function digestsIn(directory: string, signal?: AbortSignal): Promise<Pick<Digest, 'cells' | 'agentRuns'>[]> {
  const digests = new Digests(directory);
  const ids = digests.ids();
  const all: Pick<Digest, 'cells' | 'agentRuns'>[] = [];
  let begun = performance.now();
  for (const id of ids) {
    signal?.throwIfAborted();
    const digest = digestOf(digests, id);
    if (digest) all.push({ cells: digest.cells, agentRuns: digest.agentRuns });
    if (performance.now() - begun < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
  digests.removeOthers(new Set(ids));
  return all;
}

function digestOf(digests: Digests, id: string): Digest | undefined {
  try {
    return digests.of(id);
  } catch {
    // The log was written by a newer version, or has been deleted.
    return undefined;
  }
}
