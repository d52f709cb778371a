/** Rules that users write: what is allowed, asked for or denied. Those of a workspace can only tighten. */
import * as z from 'zod';
import { globMatcher } from './glob.ts';
import { foldedParts } from './names.ts';

const text = z.string().trim().min(1).max(1_000);

/** A rule applies where all of its conditions hold. */
const ruleSchema = () =>
  z
    .strictObject({
      effect: z.enum(['allow', 'ask', 'deny']),
      /** A tool's name, `mcp:server/tool`, or a glob of either. */
      tool: text.optional(),
      /** A path or glob in the workspace. */
      path: text.optional(),
      /** The words that a command begins with. */
      command: text.optional(),
      /** `example.com`, or `*.example.com` for all below it. */
      host: text.regex(/^(\*\.)?[^\s*/@]+$/, 'a host is a name such as example.com or *.example.com').optional(),
      /** An MCP server's name. */
      server: text.optional(),
      reason: z.string().max(1_000).optional(),
    })
    .refine(({ effect, reason: _, ...conditions }) => effect !== 'allow' || Object.keys(conditions).length > 0, {
      message: 'a rule that allows says what it allows: tool, path, command, host or server',
    });

export type Rule = z.infer<ReturnType<typeof ruleSchema>>;

let builtSchema: ReturnType<typeof ruleSchema> | undefined;
export type SourcedRule = Rule & { from: 'user' | 'workspace' };

/** `problems` are whole sentences for people. */
export type RuleSet = { rules: SourcedRule[]; problems: string[] };

const ASKS = ' Until it is put right, every call asks.';
const LEFT_OUT = ' It is left out.';

export const NO_RULES: RuleSet = { rules: [], problems: [] };

/** A rule that cannot be read may have been one that denies: until it is put right, everything asks. */
function unreadable(from: SourcedRule['from'], problem: string): SourcedRule {
  return { effect: 'ask', from, reason: problem };
}

/**
 * @param place where the rules were found, for people: `kedge.policy.rules`, or a file's name.
 * @param isFatal the program ends with a problem, so that a problem does not say what comes of it.
 */
export function readRules(value: unknown, from: SourcedRule['from'], place: string, { isFatal = false } = {}): RuleSet {
  if (value === undefined || value === null) return NO_RULES;
  if (!Array.isArray(value)) {
    const problem = `${place} is no list of rules.`;
    return { rules: [unreadable(from, problem)], problems: [problem] };
  }
  const set: RuleSet = { rules: [], problems: [] };
  for (const [index, entry] of value.entries()) {
    // Built for the first rule: most users have none, and it would be a part of every start.
    builtSchema ??= ruleSchema();
    const parsed = builtSchema.safeParse(entry);
    if (parsed.success) {
      // Whatever a workspace would allow, it is not the workspace's to allow.
      if (from === 'user' || parsed.data.effect !== 'allow') set.rules.push({ ...parsed.data, from });
      continue;
    }
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    // One that would only allow is safe to leave out.
    const isLeftOut = (entry as { effect?: unknown } | null)?.effect === 'allow';
    const consequence = isFatal ? '' : isLeftOut ? LEFT_OUT : ASKS;
    const problem = `Rule ${index + 1} of ${place} cannot be read: ${where}${issue?.message ?? 'it is no rule'}.${consequence}`;
    set.problems.push(problem);
    if (!isLeftOut) set.rules.push(unreadable(from, problem));
  }
  return set;
}

export function joinRules(...sets: readonly RuleSet[]): RuleSet {
  return { rules: sets.flatMap(({ rules }) => rules), problems: sets.flatMap(({ problems }) => problems) };
}

/**
 * With several open folders paths begin with a folder's name. What denies or asks is meant for each of them, too; what allows is
 * meant as it is written.
 */
export function inFolders(rules: readonly SourcedRule[], folders: readonly string[]): SourcedRule[] {
  if (folders.length < 2) return [...rules];
  return rules.flatMap((rule) => {
    const { path, effect } = rule;
    if (path === undefined || effect === 'allow') return [rule];
    return [rule, ...folders.map((name) => ({ ...rule, path: `${name}/${path.replace(/^\.?\/+/, '')}` }))];
  });
}

/** For `deny` and `ask`: in any spelling, hidden names too, and what lies below. */
export function touchesPath(glob: string, path: string): boolean {
  return touchesAny([glob])(path);
}

/** The same for one of several globs and many paths. */
export function touchesAny(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => {
    const wanted = folded(glob);
    // Brackets within a name may be a set of letters, too: what tightens counts both ways. `[id]` alone is a name.
    const isSet = wanted.includes('[') && !wanted.split('/').some((name) => /^\[.*\]$/.test(name));
    const [asName, asSet] = [globMatcher(wanted, { dot: true, names: true }), isSet ? globMatcher(wanted, { dot: true }) : () => false];
    if (isWorkspace(glob)) return () => true;
    return (place: string) => place === wanted || asName(place) || asSet(place);
  });
  return (path) => {
    if (tests.length === 0) return false;
    const parts = folded(path).split('/');
    return parts.some((_, index) => {
      const upTo = parts.slice(0, index + 1).join('/');
      return tests.some((test) => test(upTo));
    });
  };
}

/** Dots lead where they lead in a path that a tool resolved. */
function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Streams and trailing dots go; a glob's own letters stay. */
function folded(path: string): string {
  return foldedParts(plainPath(path)).join('/');
}

/** `.`, `./` and `/` name all of it. */
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
 * `strict` is for what allows: a pattern without a port is then not meant for another one than the usual. `wild: false` takes the
 * name alone, so that what only a wildcard allows does not count.
 */
export function matchesHost(pattern: string, host: string, { strict = false, wild = true } = {}): boolean {
  const [wanted, given] = [splitHost(pattern), splitHost(host)];
  if (wanted.port === undefined ? strict && given.port !== undefined : wanted.port !== given.port) return false;
  if (!wanted.name.startsWith('*.')) return wanted.name === given.name;
  return wild && given.name.length > wanted.name.length - 1 && given.name.endsWith(wanted.name.slice(1));
}

/** Without case and the dot at the end of a whole name; letters of other scripts as addresses have them. */
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

/** A built-in tool's name or a glob of such; tools of MCP servers are named `mcp:server/tool`, and no other pattern is meant for them when it allows. */
export function matchesTool(pattern: string, tool: { name: string; source: string }, { strict = false } = {}): boolean {
  const isMcp = tool.source.startsWith('mcp:');
  if (isMcp && strict && !pattern.startsWith('mcp:')) return false;
  const names = isMcp ? [tool.name, `${tool.source}/${tool.name}`, `${tool.source}/${tool.name.replace(/^.*?__/, '')}`] : [tool.name];
  // What a server calls a tool may not be what it is called here: `fs.delete` is `fs_delete`.
  const patterns = isMcp && !strict ? [pattern, pattern.replace(/[^\w:/*?{},[\]-]+/g, '_')] : [pattern];
  const matchers = patterns.map((each) => globMatcher(each, { dot: true }));
  return (
    names.some((name) => patterns.includes(name) || matchers.some((matches) => matches(name))) ||
    (!strict && (pattern === '*' || pattern === '**'))
  );
}

/** Why a rule denies or asks, for people. */
export function ruleSentence({ effect, reason, from, ...conditions }: SourcedRule): string {
  if (reason) return /[.!?]$/.test(reason) ? reason : `${reason}.`;
  const parts = Object.entries(conditions).map(([key, value]) => `${key} ${value}`);
  return `A rule of ${from === 'user' ? 'yours' : 'this workspace'} ${effect === 'deny' ? 'denies' : 'asks for'} ${parts.join(', ') || 'everything'}.`;
}
