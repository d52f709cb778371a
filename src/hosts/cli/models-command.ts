/** `kedge models`: lists the models that can be chosen, and the test results of local models. */
import { CATALOG, missingConfig } from '../../providers/catalog.ts';
import { probedModelsFile } from './kedge.ts';
import { describeProbed } from './local-models.ts';
import { type Environment, prefixOf, providerConfig } from './options/environment.ts';
import { harmless } from './output/terminal.ts';

/** `stored` contains the ids of providers that have a key in the keychain. */
export function modelsText(env: Environment, stored: readonly string[]): string {
  const probed = describeProbed(probedModelsFile());
  return `${describeModels(env, stored)}\n${probed ? `\nTested local models:\n${harmless(probed)}\n` : ''}`;
}

function describeModels(env: Environment, stored: readonly string[]): string {
  const rows = CATALOG.map((entry) => {
    const { id, label, keyless, keyVariables, defaultModel } = entry;
    const fromEnvironment = providerConfig(id, undefined, env);
    const config = stored.includes(id) ? { apiKey: 'stored', ...fromEnvironment } : fromEnvironment;
    const missing = missingConfig(entry, config);
    const needed = missing === 'key' ? keyVariables?.[0] : missing && `${prefixOf(id)}_BASE_URL`;
    const state = needed ? `set ${needed}` : config.apiKey ? 'key is set' : keyless ? 'needs no key' : 'address is set';
    return `${(id === defaultModel ? id : `${id}/${defaultModel}`).padEnd(32)} ${label.padEnd(24)} ${state}`;
  });
  return `${rows.join('\n')}\n\nTo use another model, pass --model provider/name.`;
}
