/** Rules from settings and workspace files. They allow a call, deny it or require approval. Workspace rules can only restrict. */
import * as z from 'zod';
import { ACTIONS, type Action, type SessionRule } from '../core/session/grant-scope.ts';
import { globMatcher } from './glob.ts';
import { normalizedParts } from './path-normalization.ts';

const text = z.string().trim().min(1).max(1_000);

let builtSchema: ReturnType<typeof ruleSchema> | undefined;

/** A rule applies only if all its conditions match. */
const ruleSchema = () =>
  z
    .strictObject({
      effect: z.enum(['allow', 'ask', 'deny']),
      /** A tool name, `mcp:server/tool`, or a glob of either. */
      tool: text.optional(),
      /** A workspace path or glob. */
      path: text.optional(),
      /** The words a command begins with. */
      command: text.optional(),
      /** `example.com`, or `*.example.com` for all its subdomains. */
      host: text.regex(/^(\*\.)?[^\s*/@]+$/, 'use a host name such as example.com or *.example.com').optional(),
      /** The kinds of effects of the call. A command always counts as a read, and also as every other action that its words indicate. */
      action: z.enum(ACTIONS).optional(),
      /** The name of an MCP server. */
      server: text.optional(),
      reason: z.string().max(1_000).optional(),
    })
    .refine(({ effect, reason: _, ...conditions }) => effect !== 'allow' || Object.keys(conditions).length > 0, {
      message: 'an allow rule needs an action, tool, path, command, host or server',
    });

export type Rule = z.infer<ReturnType<typeof ruleSchema>>;

export type SourcedRule = Rule & { from: 'user' | 'workspace' | 'session' };

/** Returns the settings of a session as rules. They can only restrict. */
export function sessionRules(set: readonly SessionRule[]): SourcedRule[] {
  return set.map(({ about, effect }) => ({ effect, ...about, from: 'session' }));
}

/** `problems` are complete sentences to show to the user. */
export type RuleSet = { rules: SourcedRule[]; problems: string[] };

const ASKS = ' Until it is fixed, every call needs your approval.';
const IGNORED = ' The rule is ignored until it is fixed.';

export const NO_RULES: RuleSet = { rules: [], problems: [] };

/** An invalid rule may have been meant to deny something, so every call needs approval until it is fixed. */
function unreadable(from: SourcedRule['from'], problem: string): SourcedRule {
  return { effect: 'ask', from, reason: problem };
}

/**
 * @param place where the rules were read from, as shown to the user: `kedge.policy.rules` or a file name
 * @param isFatal whether the program exits when there is a problem. The problem then does not say how Kedge continues.
 */
export function readRules(value: unknown, from: SourcedRule['from'], place: string, { isFatal = false } = {}): RuleSet {
  if (value === undefined || value === null) return NO_RULES;
  if (!Array.isArray(value)) {
    const problem = `${place} is not a list of rules.${isFatal ? '' : ASKS}`;
    return { rules: [unreadable(from, problem)], problems: [problem] };
  }
  const set: RuleSet = { rules: [], problems: [] };
  for (const [index, entry] of value.entries()) {
    // Most users have no rules, so the schema is built with the first rule and not at every start.
    builtSchema ??= ruleSchema();
    const parsed = builtSchema.safeParse(entry);
    if (parsed.success) {
      // A workspace must not grant permissions to itself.
      if (from === 'user' || parsed.data.effect !== 'allow') set.rules.push({ ...parsed.data, from });
      continue;
    }
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    // It is safe to ignore a rule that could only allow something.
    const isIgnored = (entry as { effect?: unknown } | null)?.effect === 'allow';
    const consequence = isFatal ? '' : isIgnored ? IGNORED : ASKS;
    const problem = `Rule ${index + 1} of ${place} is not valid: ${where}${issue?.message ?? 'the entry is not a valid rule'}.${consequence}`;
    set.problems.push(problem);
    if (!isIgnored) set.rules.push(unreadable(from, problem));
  }
  return set;
}

export function joinRules(...sets: readonly RuleSet[]): RuleSet {
  return { rules: sets.flatMap(({ rules }) => rules), problems: sets.flatMap(({ problems }) => problems) };
}

/**
 * With several open folders, paths begin with a folder name. A deny or ask rule also applies within each folder; an allow rule applies only
 * as written.
 */
export function inFolders(rules: readonly SourcedRule[], folders: readonly string[]): SourcedRule[] {
  if (folders.length < 2) return [...rules];
  return rules.flatMap((rule) => {
    const { path, effect } = rule;
    if (path === undefined || effect === 'allow') return [rule];
    return [rule, ...folders.map((name) => ({ ...rule, path: `${name}/${path.replace(/^\.?\/+/, '')}` }))];
  });
}

/**
 * Matches a path against the glob of a deny or ask rule: in any spelling, including hidden names and everything below a matching folder.
 */
export function touchesPath(glob: string, path: string): boolean {
  return touchesAny([glob])(path);
}

/** Like `touchesPath`, for several globs and many paths. */
export function touchesAny(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => {
    const normalizedGlob = normalized(glob);
    // Brackets inside a longer name may be a set or literal characters, so a restricting rule covers both cases. `[id]` alone is a name.
    const isSet = normalizedGlob.includes('[') && !normalizedGlob.split('/').some((name) => /^\[.*\]$/.test(name));
    const [asName, asSet] = [
      globMatcher(normalizedGlob, { dot: true, names: true }),
      isSet ? globMatcher(normalizedGlob, { dot: true }) : () => false,
    ];
    if (isWorkspace(glob)) return () => true;
    return (place: string) => place === normalizedGlob || asName(place) || asSet(place);
  });
  return (path) => {
    if (tests.length === 0) return false;
    const parts = normalized(path).split('/');
    return parts.some((_, index) => {
      const upTo = parts.slice(0, index + 1).join('/');
      return tests.some((test) => test(upTo));
    });
  };
}

/** Returns true if an allow rule can allow calls that do this. */
export function allows({ action }: Rule, what: Action): boolean {
  return action === undefined || action === what;
}

/** Resolves `.` and `..` as file tools do. */
function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Normalizes names as file systems compare them; glob characters are kept. */
function normalized(path: string): string {
  return normalizedParts(plainPath(path)).join('/');
}

/** Returns true if the path stands for the whole workspace: `.`, `./` or `/`. */
function isWorkspace(glob: string): boolean {
  return plainPath(glob) === '';
}

function plainPath(path: string): string {
  const plain = path
    .replaceAll('\\', '/')
    .replace(/\/(?:\.?\/)+/g, '/')
    .replace(/^(\.?\/)+|\/+$/g, '');
  return withoutDots(plain.normalize('NFC'));
}

/**
 * @param strict for allow rules: a pattern without a port only matches a host without a port
 * @param wild whether wildcards count; otherwise only exact names match
 */
export function matchesHost(pattern: string, host: string, { strict = false, wild = true } = {}): boolean {
  const [expected, actual] = [splitHost(pattern), splitHost(host)];
  if (expected.port === undefined ? strict && actual.port !== undefined : expected.port !== actual.port) return false;
  if (!expected.name.startsWith('*.')) return expected.name === actual.name;
  return wild && actual.name.length > expected.name.length - 1 && actual.name.endsWith(expected.name.slice(1));
}

/** Normalizes case, the trailing dot of a fully qualified name, and international names. */
function splitHost(host: string): { name: string; port: string | undefined } {
  const clean = host.trim().toLowerCase();
  const [, name = clean, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(clean) ?? [];
  return { name: asInAddresses(name.replace(/\.$/, '')), port };
}

function asInAddresses(name: string): string {
  const [, wild = '', rest = ''] = /^(\*\.)?(.*)$/.exec(name) ?? [];
  const bare = rest.includes(':') && !rest.startsWith('[') ? `[${rest}]` : rest;
  return URL.canParse(`http://${bare}/`) ? wild + new URL(`http://${bare}/`).hostname : name;
}

/**
 * Matches a built-in tool name or a glob of such names. Tools of MCP servers are named `mcp:server/tool`; with `strict`, no other form of
 * pattern matches them.
 */
export function matchesTool(pattern: string, tool: { name: string; source: string }, { strict = false } = {}): boolean {
  const isMcp = tool.source.startsWith('mcp:');
  if (isMcp && strict && !pattern.startsWith('mcp:')) return false;
  const names = isMcp ? [tool.name, `${tool.source}/${tool.name}`, `${tool.source}/${tool.name.replace(/^.*?__/, '')}`] : [tool.name];
  // Kedge's name of a tool may differ from the server's name: `fs.delete` becomes `fs_delete`.
  const patterns = isMcp && !strict ? [pattern, pattern.replace(/[^\w:/*?{},[\]-]+/g, '_')] : [pattern];
  const matchers = patterns.map((each) => globMatcher(each, { dot: true }));
  return (
    names.some((name) => patterns.includes(name) || matchers.some((matches) => matches(name))) ||
    (!strict && (pattern === '*' || pattern === '**'))
  );
}

/** Only a wildcard can match this name. */
const ANY_TOOL = '\0'.repeat(8);

/** Returns true if a rule denies a tool of an MCP server or, without `tool`, all tools of the server. `tool` is the name that the model receives. */
export function deniesMcp(rules: readonly SourcedRule[], server: string, tool = ANY_TOOL): boolean {
  return rules.some(
    (rule) =>
      rule.effect === 'deny' &&
      (rule.path ?? rule.command ?? rule.host) === undefined &&
      (rule.action === undefined || rule.action === 'mcp') &&
      (rule.server === undefined || rule.server === server) &&
      (rule.tool === undefined || matchesTool(rule.tool, { name: tool, source: `mcp:${server}` })),
  );
}

const PLACES: Record<SourcedRule['from'], string> = { user: 'your settings', workspace: 'this workspace', session: 'this session' };

const CALLS: Record<Action, string> = {
  read: 'reading files',
  edit: 'edits',
  delete: 'deletions',
  command: 'commands',
  network: 'network requests',
  mcp: 'tools of MCP servers',
};

/** Explains to the user why a rule denies a call or requires approval. */
export function ruleSentence({ effect, reason, from, ...conditions }: SourcedRule): string {
  if (reason) return /[.!?]$/.test(reason) ? reason : `${reason}.`;
  const { action, ...others } = conditions;
  const parts = [...(action ? [CALLS[action]] : []), ...Object.entries(others).map(([key, value]) => `${key} ${value}`)];
  return `A rule in ${PLACES[from]} ${effect === 'deny' ? 'denies' : 'requires approval for'} ${parts.join(', ') || 'everything'}.`;
}
