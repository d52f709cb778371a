/** Determines what a call needs permission for, whether a rule or grant covers it, and which wider grants an approval can offer. */

import type { Decision } from '../core/session/effects.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import { isLiteral } from './glob.ts';
import type { PolicyInput } from './policy-input.ts';
import { allows, matchesHost, matchesTool, type SourcedRule } from './rules.ts';
import { inScope } from './scope.ts';

type Write = { kind: 'write'; path: string; isDeletion?: boolean };
export type Need = Write | { kind: 'host'; host: string } | { kind: 'mcp' };

export function needsOf({ tool, targets, hosts = [] }: PolicyInput): Need[] {
  const isMcp = tool?.source?.startsWith('mcp:');
  return [
    ...targets
      .filter(({ access }) => access !== 'read')
      .map(({ path, access }): Need => ({ kind: 'write', path, isDeletion: access === 'delete' })),
    ...hosts.map((host): Need => ({ kind: 'host', host })),
    ...(isMcp ? [{ kind: 'mcp' } as const] : []),
  ];
}

/** Returns the edits of the call that the confirmed plan of the run does not include. */
export function needsBeyondPlan({ targets, planScope }: PolicyInput): Write[] {
  if (!planScope) return [];
  const written = targets.filter(({ path, access }) => access !== 'read' && !inScope(path, planScope));
  return written.map(({ path }) => ({ kind: 'write', path }));
}

/** Whether the user allowed such edits outside the plan. Rules and other permissions for edits do not apply to a file outside the plan. */
export function grantedBeyondPlan(need: Write, input: PolicyInput): boolean {
  return (input.grants ?? []).some((covers) => 'beyondPlan' in covers && includes(covers, need, input));
}

/** Returns the decision of a user rule or an earlier grant that covers the need; undefined if there is none. */
export function grantedBy(need: Need, input: PolicyInput): Decision | undefined {
  const { rules = [], grants = [] } = input;
  const rule = rules.find((each) => each.effect === 'allow' && each.from === 'user' && permits(each, need, input));
  if (rule) return { kind: 'allow', rule: 'rule', reason: rule.reason ?? 'A rule in your settings allows this call.' };
  const grant = grants.find((covers) => includes(covers, need, input));
  if (!grant) return undefined;
  if (grant.kind === 'edits') return { kind: 'allow', rule: 'edits-granted', reason: 'You allowed edits without asking.' };
  return { kind: 'allow', rule: 'granted', reason: 'You allowed calls like this in an earlier approval.' };
}

function permits(rule: SourcedRule, need: Need, { tool, seen, privateHost }: PolicyInput): boolean {
  if (!tool || rule.command !== undefined) return false;
  const source = tool.source ?? 'builtin';
  const fitsTool = rule.tool === undefined || matchesTool(rule.tool, { name: tool.name, source }, { strict: true });
  switch (need.kind) {
    case 'write':
      return (
        fitsTool &&
        allows(rule, need.isDeletion ? 'delete' : 'edit') &&
        rule.server === undefined &&
        rule.host === undefined &&
        (rule.path === undefined || inScope(need.path, [rule.path]))
      );
    case 'host':
      // A rule for requests was not written for pages in which a model clicks and types, so it must name the tool.
      if (rule.tool === undefined && isBrowser(tool)) return false;
      // Text from a web page or MCP server could choose any host that a wildcard allows. A host name can resolve to a private address.
      return (
        fitsTool &&
        allows(rule, 'network') &&
        rule.path === undefined &&
        rule.host !== undefined &&
        matchesHost(rule.host, need.host, { strict: true, wild: !seen?.strangers }) &&
        (!privateHost || /^(localhost|\[.*\]|[\d.]+)(:\d+)?$/.test(rule.host))
      );
    case 'mcp':
      return (
        fitsTool &&
        allows(rule, 'mcp') &&
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
      return (
        covers.kind === 'host' &&
        matchesHost(covers.host, need.host, { strict: true }) &&
        !!covers.private === privateHost &&
        (covers.tool === 'browse') === isBrowser(tool)
      );
    case 'mcp':
      return (
        covers.kind === 'mcp' && `mcp:${covers.server}` === source && covers.tool === tool.name && covers.fingerprint === tool.fingerprint
      );
  }
}

function isBrowser({ name, source = 'builtin' }: { name: string; source?: string }): boolean {
  return name === 'browse' && source === 'builtin';
}

/**
 * Returns the grants that an approval can offer, widest first. The list is empty if the call has needs of different kinds, because one grant cannot
 * cover them.
 */
export function grantablePermissions(needs: readonly Need[], { tool, privateHost }: PolicyInput): Permission[] {
  const kinds = new Set(needs.map(({ kind }) => kind));
  if (!tool || kinds.size !== 1) return [];
  const source = tool.source ?? 'builtin';
  const paths = needs.flatMap((need) => (need.kind === 'write' ? [need.path] : []));
  const hosts = new Set(needs.flatMap((need) => (need.kind === 'host' ? [need.host] : [])));
  if (kinds.has('write') && source === 'builtin') {
    const glob = commonGlob(paths);
    return [{ kind: 'edits' }, ...(glob === undefined ? [] : [{ kind: 'path', tool: tool.name, glob } as const])];
  }
  if (kinds.has('host') && hosts.size === 1)
    return [...hosts].map((host) => ({
      ...{ kind: 'host', host },
      ...(privateHost && { private: true }),
      ...(isBrowser(tool) && { tool: 'browse' }),
    }));
  if (!kinds.has('mcp')) return [];
  const { name, fingerprint } = tool;
  return [{ kind: 'mcp', server: source.slice('mcp:'.length), tool: name, ...(fingerprint !== undefined && { fingerprint }) }];
}

/**
 * Returns a glob for the deepest folder that contains all paths, or the path itself for a single file at the top level. Returns undefined
 * if the glob would also match other names.
 */
function commonGlob(paths: readonly string[]): string | undefined {
  const [first = '', ...others] = paths;
  let folder = first.split('/').slice(0, -1);
  for (const path of others) {
    const parts = path.split('/').slice(0, -1);
    const end = folder.findIndex((part, index) => parts[index] !== part);
    if (end >= 0) folder = folder.slice(0, end);
  }
  // A name that contains glob characters would also match other names.
  const isPlain = isLiteral(folder.join('/'));
  if (folder.length > 0 && isPlain) return `${folder.join('/')}/**`;
  if (!isPlain || paths.length === 1) return isLiteral(first) && paths.length === 1 ? first : undefined;
  return '**';
}

/**
 * Returns true if another call of the same model message would probably be covered by the same grant, judging only by its name and input.
 * The policy still decides that call before it is executed.
 */
export function seemsPermitted(covers: Permission, tool: { name: string; effect: string; source: string }, input: unknown): boolean {
  const fields = (input ?? {}) as Record<string, unknown>;
  const text = (key: string) => (typeof fields[key] === 'string' ? (fields[key] as string) : undefined);
  switch (covers.kind) {
    case 'edits':
      return tool.source === 'builtin' && tool.effect === 'mutating';
    case 'path': {
      const path = text('path')?.replace(/^\.\//, '');
      return tool.name === covers.tool && (path === undefined || inScope(path, [covers.glob]));
    }
    case 'command': {
      const commandWords = text('command')?.trim().split(/\s+/) ?? [];
      const cwd = text('cwd')?.replace(/^\.\/+|\/+$/g, '') || covers.folders?.[0];
      if (cwd !== undefined && covers.folders && !covers.folders.includes(cwd)) return false;
      return tool.source === 'builtin' && covers.prefix.every((word, index) => commandWords[index] === word);
    }
    case 'host': {
      if ((covers.tool === 'browse') !== isBrowser(tool)) return false;
      const url = text('url');
      return url !== undefined && URL.canParse(url) && matchesHost(covers.host, new URL(url).host, { strict: true });
    }
    case 'mcp':
      return tool.source === `mcp:${covers.server}` && tool.name === covers.tool;
  }
}
