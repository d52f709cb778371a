/** Finds the conditions under which a tool call needs approval regardless of settings and grants. */

import type { Judgement } from '../core/run/tool.ts';
import type { PolicyInput } from './policy-input.ts';
import { isProtected } from './protected.ts';
import { isSecret } from './secrets.ts';

export type Danger = Pick<Judgement, 'rule' | 'reason' | 'secret'>;

const same = (path: string): readonly string[] => [path];

export function dangerOf({ tool, targets, hosts = [], ...input }: PolicyInput): Danger | undefined {
  const outside = targets.find((target) => target.outside);
  if (outside) return { rule: 'outside-workspace', reason: `${outside.path} is outside the workspace.` };
  const { names = same, places = same } = input.aliases ?? {};
  const secret = targets.find((target) => !target.names && places(target.path).some(isSecret));
  if (secret)
    return { rule: 'secret', reason: `${secret.path} may contain keys or passwords.`, ...(secret.access === 'read' && { secret: true }) };
  const written = targets.filter((target) => target.access !== 'read');
  const runsByItself = (path: string) =>
    names(path).some((name) => isProtected(name, input.hookPlaces)) || places(path).some((place) => isProtected(place));
  const guarded = written.find(({ path }) => runsByItself(path));
  if (guarded)
    return {
      rule: 'protected-path',
      reason: `${guarded.path} is protected: it can run automatically, or configures editors, agents or Git.`,
    };

  // A user who confirms a plan that names a file approves its deletion. A glob in the plan is not specific enough.
  const isAgreed = (path: string) => input.ownFiles?.has(path) || input.planScope?.some((entry) => entry.replace(/^\.\//, '') === path);
  const deleted = targets.find((target) => target.access === 'delete' && !isAgreed(target.path));
  if (deleted) return { rule: 'deletes', reason: `This deletes ${deleted.path}, which was not created in this run.` };
  if (tool?.effect === 'destructive' && written.length === 0 && !input.command)
    return { rule: 'deletes', reason: 'This tool deletes data.' };

  // Such a tool does more than the user can have meant when they allowed its server.
  if (tool?.danger !== undefined && tool.effect !== 'readonly') return tool.danger;

  const sends = hosts.length > 0 || tool?.source?.startsWith('mcp:');
  if (sends && input.seen?.secret)
    return { rule: 'sends-after-secret', reason: 'This sends data to another host, and a secret was read in this session.' };
  return undefined;
}
