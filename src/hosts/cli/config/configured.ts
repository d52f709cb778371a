import type { Mode } from '../../../core/session/events.ts';
import { type Command, parseCommand } from '../options/arguments.ts';
import { prefixOf } from '../options/environment.ts';
import { type Config, readConfig } from './config-file.ts';
import { SETTINGS } from './settings.ts';

/**
 * Adds the values of the configuration file to a command and to the environment, which take precedence. The values become options and
 * variables, so that the same code checks and applies them. @throws UsageError if the file is not valid
 */
export function configured<Given extends Command>(
  command: Given,
  file: string,
  env: NodeJS.ProcessEnv = process.env,
): { command: Given; env: NodeJS.ProcessEnv; mode?: Mode } {
  const config = readConfig(file);
  const { action: _action, limits, budget, ...defaults } = parseCommand([...optionsOf(config), '--version']);
  return {
    command: { ...defaults, ...command, limits: { ...limits, ...command.limits }, budget: { ...budget, ...command.budget } },
    env: { ...variablesOf(config), ...env },
    ...(config.mode !== undefined && { mode: config.mode as Mode }),
  };
}

function optionsOf(config: Config): string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const { option, variable } = SETTINGS[name] ?? {};
    if (!option || variable || typeof value === 'object' || value === false) return [];
    return [value === true ? `--${option}` : `--${option}=${value}`];
  });
}

function variablesOf(config: Config): Record<string, string> {
  const variables = Object.entries(config).flatMap(([name, value]): [string, string][] => {
    const { variable } = SETTINGS[name] ?? {};
    return variable ? [[variable, typeof value === 'object' ? JSON.stringify(value) : String(value)]] : [];
  });
  const addresses = Object.entries((config.baseUrls ?? {}) as Record<string, string>);
  return Object.fromEntries([...variables, ...addresses.map(([provider, url]) => [addressVariable(provider), url])]);
}

/** Returns the variable that takes precedence over an address in the file, such as `OPENAI_BASE_URL`. */
export function addressVariable(provider: string): string {
  return `${prefixOf(provider)}_BASE_URL`;
}
