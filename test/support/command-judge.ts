/** Judges commands in a real workspace by the user's allowlist. Nothing is executed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { judgeFor } from '../../src/app/run/judge.ts';
import type { Judgement } from '../../src/core/run/tool.ts';
import type { Permission } from '../../src/core/session/grant-scope.ts';
import { gitSettings } from '../../src/hosts/node/commands/git-settings.ts';
import { nodeShellParsers } from '../../src/hosts/node/shell/shell-parser.ts';
import type { Shell } from '../../src/policy/commands/shells/syntax.ts';
import type { SourcedRule } from '../../src/policy/rules.ts';
import { say, turn } from '../../src/providers/scripted/index.ts';
import { runCommandTool } from '../../src/tools/commands/run-command.ts';
import type { CommandRunner } from '../../src/workspace/commands.ts';
import { withIgnoreFiles } from '../../src/workspace/ignore.ts';
import type { Location } from '../../src/workspace/types.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { assistantOn, type Files, type Harness } from './harness.ts';

export type CommandJudged = AsyncDisposable & {
  kedge: Harness;
  /** `allow` are prefixes that the user granted. */
  judge(command: string, allow: readonly string[], cwd?: string, more?: More): Promise<Judgement>;
  /** Judges several commands in the workspace as it is now. The settings of git are read once for all of them. */
  judgeAll(commands: readonly string[], allow: readonly string[]): Promise<Judgement[]>;
};

type More = { grants?: readonly Permission[]; readOnlyCommands?: boolean; readGit?: typeof gitSettings };

export async function judgedOn(
  files: Files,
  rules: readonly SourcedRule[] = [],
  beside: Files = {},
  shell: Shell = 'bash',
): Promise<CommandJudged> {
  const kedge = await assistantOn(files, [turn(say('Hello.'))], { beside });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  const run = kedge.session.state.lastRun;
  assert.ok(run);
  const { hides } = await withIgnoreFiles(kedge.fs);
  const runner = { shell } as CommandRunner;
  const tool = runCommandTool(new Workspace(kedge.fs), runner);
  const judged: CommandJudged = {
    kedge,
    judgeAll(commands, allow) {
      const read = new Map<string, ReturnType<typeof gitSettings>>();
      const readGit = (directory: string) => {
        const settings = read.get(directory) ?? gitSettings(directory);
        read.set(directory, settings);
        return settings;
      };
      return Promise.all(commands.map((command) => judged.judge(command, allow, undefined, { readGit })));
    },
    async judge(command, allow, cwd, { grants = [], readOnlyCommands = true, readGit = gitSettings } = {}) {
      const ports = {
        fileSystem: () => kedge.fs,
        policy: () => ({ rules: [...rules], problems: [], readOnlyCommands }),
        grants: {
          list: () => [...allow.map((prefix) => ({ kind: 'command' as const, prefix: prefix.split(' ') })), ...grants],
          add: () => {},
          revokedAt: () => 0,
        },
        trusted: () => true,
        shellParsers: nodeShellParsers,
        gitSettings: (at: Location) => readGit(kedge.fs.absolute(at)),
      };
      const { decide } = judgeFor(run, kedge.session, ports, { hookPlaces: [], tools: () => [tool], hides });
      const input = { command, ...(cwd !== undefined && cwd !== '.' && { cwd }) };
      const prepared = await tool.prepare(input, new AbortController().signal);
      return decide({ type: 'tool_call', id: 'call', name: tool.name, input }, tool, prepared);
    },
    [Symbol.asyncDispose]: () => kedge[Symbol.asyncDispose](),
  };
  return judged;
}

/** Commits all files at once, like a repository that was cloned. */
export function commitAll(root: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.email=a@b.example', '-c', 'user.name=A', ...args], { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-Af');
  git('commit', '-qm', 'All');
}
