/** Decides for which tool calls a hook runs. */
import type { PreparedCall, Tool } from '../core/run/tool.ts';
import { ACTIONS, type Action } from '../core/session/grant-scope.ts';
import { actionsOf } from '../policy/decide.ts';
import { matchesTool } from '../policy/rules.ts';
import type { Hook } from './config.ts';

export type MatchedCall = Pick<Tool, 'name' | 'source' | 'effect'> & Pick<PreparedCall, 'targets' | 'hosts' | 'command'>;

/** A call that does several things matches all of their actions: a command can also read, and a move also deletes. */
export function matches({ tools }: Pick<Hook, 'tools'>, call: MatchedCall): boolean {
  if (!tools) return true;
  const { name, source, effect, targets, hosts = [], command } = call;
  const actions: ReadonlySet<Action> = actionsOf({ tool: { name, source, effect }, targets, hosts, command });
  return tools.some((pattern) => {
    const action = ACTIONS.find((each) => each === pattern);
    if (action) return actions.has(action);
    return pattern === source || matchesTool(pattern, { name, source });
  });
}
