/** The commands that serve other programs until these close the connection. */
import type { Command } from '../options/arguments.ts';

type Serving = Extract<Command, { action: 'acp' | 'mcp' }>;

export async function serve(
  command: Serving,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  hooks: { shutDown?: () => Promise<void> },
): Promise<number> {
  if (command.action === 'mcp') return (await import('./mcp.ts')).serveMcp(command, env, signal, hooks);
  return (await import('../acp.ts')).serve(command, env, signal, hooks);
}
