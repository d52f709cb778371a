/** What a call needs somebody's leave for, who gave it, and what a yes to it can stand for. */

import type { Decision } from '../core/session/effects.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import { isLiteral } from './glob.ts';
import type { PolicyInput } from './policy-input.ts';
import { matchesHost, matchesTool, type SourcedRule } from './rules.ts';
import { inScope } from './scope.ts';

export type Need = { kind: 'write'; path: string } | { kind: 'host'; host: string } | { kind: 'mcp' };

export function needsOf({ tool, targets, hosts = [] }: PolicyInput): Need[] {
  const isMcp = tool?.source?.startsWith('mcp:');
  return [
    ...targets.filter(({ access }) => access !== 'read').map(({ path }): Need => ({ kind: 'write', path })),
    ...hosts.map((host): Need => ({ kind: 'host', host })),
    ...(isMcp ? [{ kind: 'mcp' } as const] : []),
  ];
}

/** Who allowed it: the user's rules, or an answer to an earlier question. */
export function grantedBy(need: Need, input: PolicyInput): Decision | undefined {
  const { rules = [], grants = [] } = input;
  const rule = rules.find((each) => each.effect === 'allow' && each.from === 'user' && permits(each, need, input));
  if (rule) return { kind: 'allow', rule: 'rule', reason: rule.reason ?? 'A rule of yours allows it.' };
  const grant = grants.find((covers) => includes(covers, need, input));
  if (!grant) return undefined;
  if (grant.kind === 'edits') return { kind: 'allow', rule: 'edits-granted', reason: 'You chose not to be asked for edits.' };
  return { kind: 'allow', rule: 'granted', reason: 'You allowed this when you were asked before.' };
}

function permits(rule: SourcedRule, need: Need, { tool, seen, privateHost }: PolicyInput): boolean {
  if (!tool || rule.command !== undefined) return false;
  const source = tool.source ?? 'builtin';
  const fitsTool = rule.tool === undefined || matchesTool(rule.tool, { name: tool.name, source }, { strict: true });
  switch (need.kind) {
    case 'write':
      return (
        fitsTool && rule.server === undefined && rule.host === undefined && (rule.path === undefined || inScope(need.path, [rule.path]))
      );
    case 'host':
      // What strangers wrote may name any host below a wildcard, and a name may lead to any address.
      return (
        fitsTool &&
        rule.path === undefined &&
        rule.host !== undefined &&
        matchesHost(rule.host, need.host, { strict: true, wild: !seen?.strangers }) &&
        (!privateHost || /^(localhost|\[.*\]|[\d.]+)(:\d+)?$/.test(rule.host))
      );
    case 'mcp':
      return (
        fitsTool &&
        rule.path === undefined &&
        rule.host === undefined &&
        (rule.server === undefined ? rule.tool?.startsWith('mcp:') === true : source === `mcp:${rule.server}`)
      );
  }
}

function includes(covers: Permission, need: Need, { tool, privateHost = false }: PolicyInput): boolean {
  if (!tool) return false;
  const source = tool.source ?? 'builtin';
  switch (need.kind) {
    case 'write':
      if (source !== 'builtin') return false;
      return covers.kind === 'edits' || (covers.kind === 'path' && covers.tool === tool.name && inScope(need.path, [covers.glob]));
    case 'host':
      return covers.kind === 'host' && matchesHost(covers.host, need.host, { strict: true }) && !!covers.private === privateHost;
    case 'mcp':
      return (
        covers.kind === 'mcp' && `mcp:${covers.server}` === source && covers.tool === tool.name && covers.fingerprint === tool.fingerprint
      );
  }
}

/** What a yes can stand for, the widest first; nothing where it would have to stand for several things. */
export function grantablePermissions(needs: readonly Need[], { tool, privateHost }: PolicyInput): Permission[] {
  const kinds = new Set(needs.map(({ kind }) => kind));
  if (!tool || kinds.size !== 1) return [];
  const source = tool.source ?? 'builtin';
  const paths = needs.flatMap((need) => (need.kind === 'write' ? [need.path] : []));
  const hosts = new Set(needs.flatMap((need) => (need.kind === 'host' ? [need.host] : [])));
  if (kinds.has('write') && source === 'builtin') {
    const glob = placeOf(paths);
    return [{ kind: 'edits' }, ...(glob === undefined ? [] : [{ kind: 'path', tool: tool.name, glob } as const])];
  }
  if (kinds.has('host') && hosts.size === 1)
    return [...hosts].map((host) => ({ kind: 'host', host, ...(privateHost && { private: true }) }));
  if (!kinds.has('mcp')) return [];
  const { name, fingerprint } = tool;
  return [{ kind: 'mcp', server: source.slice('mcp:'.length), tool: name, ...(fingerprint !== undefined && { fingerprint }) }];
}

/** The folder that all of them are in, with all below it; a file that lies in none is meant alone. undefined where no glob says just that. */
function placeOf(paths: readonly string[]): string | undefined {
  const [first = '', ...others] = paths;
  let folder = first.split('/').slice(0, -1);
  for (const path of others) {
    const parts = path.split('/').slice(0, -1);
    const end = folder.findIndex((part, index) => parts[index] !== part);
    if (end >= 0) folder = folder.slice(0, end);
  }
  // A name with letters of globs in it would stand for other names too.
  const isPlain = isLiteral(folder.join('/'));
  if (folder.length > 0 && isPlain) return `${folder.join('/')}/**`;
  if (!isPlain || paths.length === 1) return isLiteral(first) && paths.length === 1 ? first : undefined;
  return '**';
}

/** Whether another call of the same answer would ask for the same, as far as its name and input tell: it is judged when its turn comes. */
export function seemsPermitted(covers: Permission, tool: { name: string; effect: string; source: string }, input: unknown): boolean {
  const given = (input ?? {}) as Record<string, unknown>;
  const text = (key: string) => (typeof given[key] === 'string' ? (given[key] as string) : undefined);
  switch (covers.kind) {
    case 'edits':
      return tool.source === 'builtin' && tool.effect === 'mutating';
    case 'path': {
      const path = text('path')?.replace(/^\.\//, '');
      return tool.name === covers.tool && (path === undefined || inScope(path, [covers.glob]));
    }
    case 'command': {
      const said = text('command')?.trim().split(/\s+/) ?? [];
      const cwd = text('cwd')?.replace(/^\.\/+|\/+$/g, '') || covers.folders?.[0];
      if (cwd !== undefined && covers.folders && !covers.folders.includes(cwd)) return false;
      return tool.source === 'builtin' && covers.prefix.every((word, index) => said[index] === word);
    }
    case 'host': {
      const url = text('url');
      return url !== undefined && URL.canParse(url) && matchesHost(covers.host, new URL(url).host, { strict: true });
    }
    case 'mcp':
      return tool.source === `mcp:${covers.server}` && tool.name === covers.tool;
  }
}
