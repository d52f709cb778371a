/** Reads the policy rules of the command line and of policy files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { PolicySettings } from '../../../app/ports.ts';
import { jsonIn } from '../../../core/json.ts';
import { joinRules, NO_RULES, type RuleSet, readRules } from '../../../policy/rules.ts';
import { readRegular } from '../../node/files/real-files.ts';
import { UsageError } from './arguments.ts';

export type PolicyOptions = { allow?: string[]; deny?: string[]; policy?: string };

const KINDS = ['tool', 'path', 'command', 'host', 'server'] as const;

/**
 * @throws UsageError if a flag or the user's policy file is invalid. An invalid file in a workspace makes every tool call need approval.
 */
export function readPolicy(
  { allow = [], deny = [], policy }: PolicyOptions,
  roots: readonly string[],
  warn: (problem: string) => void,
): PolicySettings {
  const flags = [...deny.map((text) => ruleOf('deny', text)), ...allow.map((text) => ruleOf('allow', text))];
  const fromFlags = joinRules(expectValid(readRules(flags, 'user', 'the command line', { isFatal: true })));
  const file = policy === undefined ? undefined : userFile(policy);
  const ofWorkspace = roots.map((root) => workspaceFile(join(root, '.kedge', 'policy.json')));
  const all = joinRules(
    fromFlags,
    ...(file ? [expectValid(readRules(file.rules, 'user', policy as string, { isFatal: true }))] : []),
    ...ofWorkspace,
  );
  for (const problem of all.problems) warn(problem);
  return { ...all, readOnlyCommands: file?.allowReadOnlyCommands ?? false };
}

/** Parses a rule such as `path:src/**`, `command:npm test`, `host:example.com`, `tool:create_file` or `server:github`. */
function ruleOf(effect: 'allow' | 'deny', text: string): Record<string, string> {
  const at = text.indexOf(':');
  const kind = KINDS.find((name) => name === text.slice(0, at));
  const value = text.slice(at + 1).trim();
  if (kind && value) return { effect, [kind]: value };
  // The name of an MCP tool contains a colon, so the complete text is the name of the tool.
  if (text.startsWith('mcp:')) return { effect, tool: text };
  throw new UsageError(
    `--${effect} must be one of ${KINDS.map((name) => `${name}:…`).join(', ')}, for example command:"npm test", not ${JSON.stringify(text)}.`,
  );
}

function expectValid(set: RuleSet): RuleSet {
  if (set.problems.length > 0) throw new UsageError(set.problems.join(' '));
  return set;
}

/**
 * Rejects unknown keys, because an unknown key may be a misspelled rule that denies something. The schema is built on demand, because
 * most users have no policy file.
 */
function parsePolicyFile(text: string) {
  return z.strictObject({ rules: z.unknown(), allowReadOnlyCommands: z.boolean().optional() }).safeParse(jsonIn(text));
}

function userFile(path: string): { rules?: unknown; allowReadOnlyCommands?: boolean | undefined } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`The policy file ${path} cannot be read. Check that it exists and that you may read it.`);
  }
  const parsed = parsePolicyFile(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is not a policy file. It must look like {"rules": [{"effect": "deny", "path": "src/**"}]}.`);
}

function workspaceFile(path: string): RuleSet {
  let text: string;
  try {
    text = readRegular(path).toString('utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NO_RULES : readRules({}, 'workspace', path);
  }
  const parsed = parsePolicyFile(text);
  return readRules(parsed.success ? parsed.data.rules : {}, 'workspace', path);
}
