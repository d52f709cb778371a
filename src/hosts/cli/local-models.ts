/** Tests once how each local model calls tools, and stores the result together with the digest of the model. */
import { readFileSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { isServedHere, listModels, tryModel } from '../../app/models/models.ts';
import { type Probe, suitability } from '../../app/models/probe.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import { ModelError } from '../../core/model/model.ts';
import { catalogEntry, modelText } from '../../providers/catalog.ts';
import type { ModelFacts, ModelInfo, ProviderConfig } from '../../providers/types.ts';
import { makeDirectory } from '../../sessions/directory.ts';
import { bareAddress } from './options/addresses.ts';

/** The facts that the server reports about a model, and the result of the model's test. `here` is true if this machine serves the model. */
export type ProbedModel = ModelFacts & Probe & { here: boolean };

/** How long a local server may take to list its models. */
const LIST_MS = 10_000;
const PROBE_MS = 300_000;
const CALLS_TEXT: Record<Probe['calls'], string> = {
  native: 'calls tools natively',
  text: 'writes tool calls as text, which Kedge reads',
  none: 'does not call tools, so Kedge offers it no tools',
};

/** Ollama's cloud service is not local: it is used like any other service, without a test. */
export function isLocal(provider: string, { baseUrl }: ProviderConfig): boolean {
  const service = baseUrl !== undefined && URL.canParse(baseUrl) && /(^|\.)ollama\.com$/.test(new URL(baseUrl).hostname);
  return catalogEntry(provider)?.local === true && !service;
}

/**
 * Returns the stored facts and test result of a model. A model that is new, or whose digest has changed, is tested first. Returns
 * undefined if the test fails, because the run will then report the cause.
 */
export async function probeOnce(
  file: string,
  ref: ModelRef,
  config: ProviderConfig,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<ProbedModel | undefined> {
  const name = nameOf(ref, config);
  const before = readProbed(file)[name];
  // A replaced model can be recognized only if the server reports digests.
  const live = before && before.digest === undefined ? undefined : await findOnServer(ref, config, signal);
  if (live === 'offline' || (before && (live?.digest === undefined || live.digest === before.digest))) return before;
  const here = isServedHere(ref.provider, config);
  say(`Testing how ${ref.model} calls tools. This is needed only once. Press Ctrl+C to cancel.`);
  try {
    // The test uses the same context length as later runs, because another length would make the server load the model again.
    const probe = await tryModel(ref, { ...config, ...(here && { memoryBytes: totalmem() }) }, signal, PROBE_MS);
    if (!probe) say(`${ref.model} did not answer within ${PROBE_MS / 1000} seconds. Kedge tests it again the next time you use it.`);
    if (!probe) return undefined;
    const { id: _, ...facts } = live ?? ({ id: '' } as ModelInfo);
    const probed = { ...facts, ...probe, here };
    say(`${ref.model} ${CALLS_TEXT[probe.calls]}.`);
    write(file, { ...readProbed(file), [name]: probed });
    return probed;
  } catch (error) {
    if (signal.aborted || error instanceof ModelError) return undefined;
    throw error;
  }
}

/** Returns why a model is not suitable for Agent mode and which model to pull instead, or undefined if it is suitable. */
export function agentProblem({ calls, follows, contextWindow, here }: ProbedModel): string | undefined {
  const memoryGb = here ? totalmem() / 2 ** 30 : undefined;
  return suitability({ probe: { calls, follows }, ...(contextWindow !== undefined && { contextWindow }), memoryGb }).reason;
}

/** Lists the tested models, one per line. If a model is not suitable for Agent mode, a second line says why. */
export function describeProbed(file: string): string {
  return Object.entries(readProbed(file))
    .map(([name, probed]) => {
      const reason = agentProblem(probed);
      return `${name.padEnd(32)} ${CALLS_TEXT[probed.calls]}${reason ? `\n${' '.repeat(33)}${reason}` : ''}`;
    })
    .join('\n');
}

async function findOnServer(
  { provider, model }: ModelRef,
  config: ProviderConfig,
  signal: AbortSignal,
): Promise<ModelInfo | 'offline' | undefined> {
  try {
    const models = await listModels(provider, config, AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]), model);
    return models.find(({ id }) => id === model || id === `${model}:latest`);
  } catch (error) {
    return error instanceof ModelError && error.kind === 'network' ? 'offline' : undefined;
  }
}

/** The name includes the address, because two servers may have different models with the same name. */
function nameOf(ref: ModelRef, { baseUrl }: ProviderConfig): string {
  const address = baseUrl && URL.canParse(baseUrl) && baseUrl !== catalogEntry(ref.provider)?.baseUrl ? ` at ${bareAddress(baseUrl)}` : '';
  return modelText(ref) + address;
}

function readProbed(file: string): Record<string, ProbedModel> {
  try {
    const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, ProbedModel>;
    return Object.fromEntries(Object.entries(all).filter(([, probed]) => Object.hasOwn(CALLS_TEXT, probed?.calls)));
  } catch {
    return {};
  }
}

/** If the file cannot be written, the model is tested again when it is next used. */
function write(file: string, all: Record<string, ProbedModel>): void {
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  } catch {}
}
