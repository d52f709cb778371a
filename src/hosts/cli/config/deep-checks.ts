/** Checks settings with the code that uses them, when the user sets them: models, providers, addresses and files. */

import { readServers } from '../../../mcp/config.ts';
import { catalogEntry, parseModelRef } from '../../../providers/catalog.ts';
import { readServerFile } from '../options/mcp.ts';
import { readPolicy } from '../options/policy.ts';
import type { Config } from './config-file.ts';

const VARIABLE = /^[A-Za-z_*][\w*]*$/;

/** The settings whose schema does not say everything. @throws Error with a sentence for the user */
const CHECKS: Readonly<Record<string, (value: never) => unknown>> = {
  model: (text: string) => parseModelRef(text.trim()),
  baseUrls: (addresses: Record<string, string>) => {
    for (const [provider, address] of Object.entries(addresses)) {
      if (!catalogEntry(provider))
        throw new Error(`There is no provider ${JSON.stringify(provider)}. To list the providers, run kedge models.`);
      if (!URL.canParse(address)) throw new Error(`The address of ${provider} is not valid.`);
    }
  },
  policy: (path: string) => readPolicy({ policy: path }, [], () => undefined),
  mcpConfig: (path: string) => {
    const [problem] = readServers(readServerFile(path)).problems;
    if (problem) throw new Error(problem);
  },
  passEnvironment: expectNames,
  withholdEnvironment: expectNames,
};

/** Returns a sentence about a setting that is well-formed but could not be used. */
export function deepProblem(name: string, config: Config): string | undefined {
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  if (!check || config[name] === undefined) return undefined;
  try {
    check(config[name] as never);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function expectNames(text: string): void {
  const wrong = text.split(/[\s,]+/).find((name) => name !== '' && !VARIABLE.test(name));
  if (wrong !== undefined) throw new Error('Names of environment variables consist of letters, digits and _, and may contain *.');
}
