/** The models of the user's own machine: each is tried once, and what it showed is remembered by its digest. */
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

/** What the server says about a model, and what it showed; `here`: this machine serves it. */
export type Tried = ModelFacts & Probe & { here: boolean };

/** How long a program on this computer may take to say what it has. */
const LIST_MS = 10_000;
const PROBE_MS = 300_000;
const FOUND: Record<Probe['calls'], string> = {
  native: 'calls tools natively',
  text: 'writes its calls as text, which is understood',
  none: 'calls no tools, so it is offered none',
};

/** Ollama's own service is asked like any other, and not tried. */
export function isLocal(provider: string, { baseUrl }: ProviderConfig): boolean {
  const service = baseUrl !== undefined && URL.canParse(baseUrl) && /(^|\.)ollama\.com$/.test(new URL(baseUrl).hostname);
  return catalogEntry(provider)?.local === true && !service;
}

/**
 * What is known of a model, tried now where it never was or is another by now. Undefined where nothing could be learned: the run
 * itself will say what is wrong.
 */
export async function getToKnow(
  file: string,
  ref: ModelRef,
  config: ProviderConfig,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Tried | undefined> {
  const name = nameOf(ref, config);
  const before = readTried(file)[name];
  // Only where there are digests can it have become another.
  const live = before && before.digest === undefined ? undefined : await ask(ref, config, signal);
  if (live === 'nobody' || (before && (live?.digest === undefined || live.digest === before.digest))) return before;
  const here = isServedHere(ref.provider, config);
  say(`Trying ${ref.model} once, to see how it calls tools. Ctrl+C stops.`);
  try {
    // As its runs will ask for it: another size of its context would have it loaded again.
    const probe = await tryModel(ref, { ...config, ...(here && { memoryBytes: totalmem() }) }, signal, PROBE_MS);
    if (!probe) say(`${ref.model} did not answer within ${PROBE_MS / 1000} seconds, so how it calls tools is not known yet.`);
    if (!probe) return undefined;
    const { id: _, ...facts } = live ?? ({ id: '' } as ModelInfo);
    const tried = { ...facts, ...probe, here };
    say(`${ref.model} ${FOUND[probe.calls]}.`);
    write(file, { ...readTried(file), [name]: tried });
    return tried;
  } catch (error) {
    if (signal.aborted || error instanceof ModelError) return undefined;
    throw error;
  }
}

/** One sentence, with what to pull instead; undefined for a model that is fit. */
export function unsuitable({ calls, follows, contextWindow, here }: Tried): string | undefined {
  const memoryGb = here ? totalmem() / 2 ** 30 : undefined;
  return suitability({ probe: { calls, follows }, ...(contextWindow !== undefined && { contextWindow }), memoryGb }).reason;
}

/** A line for each model that was tried, and one for what speaks against it. */
export function describeTried(file: string): string {
  return Object.entries(readTried(file))
    .map(([name, tried]) => {
      const reason = unsuitable(tried);
      return `${name.padEnd(32)} ${FOUND[tried.calls]}${reason ? `\n${' '.repeat(33)}${reason}` : ''}`;
    })
    .join('\n');
}

async function ask({ provider, model }: ModelRef, config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo | 'nobody' | undefined> {
  try {
    const models = await listModels(provider, config, AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]), model);
    return models.find(({ id }) => id === model || id === `${model}:latest`);
  } catch (error) {
    return error instanceof ModelError && error.kind === 'network' ? 'nobody' : undefined;
  }
}

/** Two servers may have different models of the same name. */
function nameOf(ref: ModelRef, { baseUrl }: ProviderConfig): string {
  const address = baseUrl && URL.canParse(baseUrl) && baseUrl !== catalogEntry(ref.provider)?.baseUrl ? ` at ${bareAddress(baseUrl)}` : '';
  return modelText(ref) + address;
}

function readTried(file: string): Record<string, Tried> {
  try {
    const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Tried>;
    return Object.fromEntries(Object.entries(all).filter(([, tried]) => Object.hasOwn(FOUND, tried?.calls)));
  } catch {
    return {};
  }
}

/** Where it cannot be written, the model is tried again another time. */
function write(file: string, all: Record<string, Tried>): void {
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  } catch {}
}
