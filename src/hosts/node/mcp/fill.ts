/** Replaces the variables in definitions of MCP servers. Values that the user enters are stored with the secrets, and asked for once. */
import type { ServerInput } from '../../../mcp/config.ts';
import { withVariables } from '../../../mcp/definitions/variables.ts';
import type { McpPorts } from '../../../mcp/ports.ts';
import type { SecretStore } from '../sign-in.ts';
import { homeDirectory } from '../storage.ts';

/** Asks the user for a value. Resolves to undefined if they do not enter one. */
export type AskForInput = (server: string, input: ServerInput, signal: AbortSignal) => Promise<string | undefined>;

export function fillFrom(store: SecretStore, ask: AskForInput, env: NodeJS.ProcessEnv = process.env): NonNullable<McpPorts['fill']> {
  return async (name, config, signal, onAsked) => {
    const { origin } = config;
    const entered = new Map<string, string>();
    const filled = await withVariables(config, {
      environment: (variable) => env[variable],
      folder: origin?.folder,
      home: homeDirectory(),
      async input(input) {
        const key = inputKey(origin?.file, input.id);
        const stored = await store.load(key);
        if (stored !== undefined) return stored;
        onAsked();
        const value = await ask(name, input, signal);
        if (value === undefined) throw new Error(`its input ${input.id} has no value`);
        entered.set(key, value);
        return value;
      },
    });
    // A wrong value is not stored, so that the user can enter it again.
    const keep = async () => {
      for (const [key, value] of entered) await store.save(key, value);
    };
    return { config: filled, keep };
  };
}

/** Returns the key of an input in the secret store. Without a file, the input belongs to the user's settings. */
export function inputKey(file: string | undefined, id: string): string {
  return `input ${file ?? 'settings'} ${id}`;
}
