/** `kedge acp`: serves the Agent Client Protocol on standard input and output. */
import { CATALOG, catalogModels, missingConfig, modelText } from '../../providers/catalog.ts';
import type { ModelChoice } from '../acp/ports.ts';
import { serveAcp } from '../acp/serve.ts';
import { StoredKeys } from '../node/keyring.ts';
import { storageDirectory } from '../node/storage.ts';
import type { RunTraces } from '../node/telemetry/run-traces.ts';
import { EXIT } from './exit-codes.ts';
import { openKedge } from './kedge.ts';
import type { Options } from './options/arguments.ts';
import { chosenModel, type Environment, providerConfig } from './options/environment.ts';

export async function serve(
  options: Options,
  env: Environment,
  signal: AbortSignal,
  hooks: { shutDown?: () => Promise<void> },
): Promise<number> {
  if (process.stdin.isTTY) process.stderr.write('kedge acp is started by an editor. How to set it up: kedge acp --help\n');
  const closing = new AbortController();
  const keys = new StoredKeys(storageDirectory(env));
  const endpoint = env.KEDGE_OTLP_ENDPOINT;
  const traces: RunTraces[] = [];
  const { tracesTo } = await import('./traces.ts');
  const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
  const served = serveAcp(
    {
      version: manifest.version,
      model: chosenModel(options.model, env),
      models: () => modelChoices(options, env, keys.names),
      open(folders, parts) {
        const kedge = openKedge({ ...options, folders }, env, keys, parts);
        if (endpoint) traces.push(tracesTo(endpoint, kedge.assistant));
        return kedge;
      },
    },
    { input: process.stdin, output: process.stdout, signal: AbortSignal.any([signal, closing.signal]) },
  );
  hooks.shutDown = () => {
    closing.abort();
    return served;
  };
  await served;
  await Promise.all(traces.map((each) => each.flush()));
  return signal.aborted ? EXIT.stopped : EXIT.answered;
}

/**
 * Returns the models of the providers that have a key or an address, or need none. An address or a key that is set for any provider is used
 * for the provider in use only. `stored` are the providers with a key in the keychain.
 */
function modelChoices({ model, baseUrl }: Options, env: Environment, stored: readonly string[]): ModelChoice[] {
  const isSetForAny = baseUrl ?? (env.KEDGE_BASE_URL || env.KEDGE_API_KEY);
  const only = isSetForAny ? chosenModel(model, env)?.provider : undefined;
  return CATALOG.filter(({ id }) => only === undefined || id === only || id === 'offline').flatMap((entry) => {
    const config = { ...(stored.includes(entry.id) && { apiKey: 'stored' }), ...providerConfig(entry.id, undefined, env) };
    if (missingConfig(entry, config) || (entry.local && !config.baseUrl)) return [];
    const models = new Set([entry.defaultModel, ...catalogModels(entry.id)]);
    return [...models].map((model) => {
      const value = modelText({ provider: entry.id, model });
      return { value, name: entry.id === entry.defaultModel ? entry.label : `${entry.label}: ${model}` };
    });
  });
}
