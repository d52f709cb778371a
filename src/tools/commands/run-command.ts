import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import type { CommandLine } from '../../core/session/effects.ts';
import type { CommandRunner } from '../../workspace/commands.ts';
import { encodeText, hashOf } from '../../workspace/content.ts';
import type { Location } from '../../workspace/types.ts';
import type { Resolved, Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { commandReport, endingOf } from './command-report.ts';

const TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 1_800;
const MAX_TITLE = 80;

const SHELLS: Record<CommandLine['shell'], string> = { bash: 'bash', sh: 'sh', powershell: 'PowerShell', other: 'the shell' };

export function runCommandTool(workspace: Workspace, runner: CommandRunner): Tool {
  return defineTool({
    name: 'run_command',
    description: `Run a command with ${SHELLS[runner.shell]}; stdin is closed. Servers and watchers: background.`,
    effect: 'destructive',
    input: z.object({
      command: z.string(),
      cwd: z.string().optional(),
      timeout_s: z.int().min(1).max(MAX_TIMEOUT_S).optional(),
      background: z.boolean().optional(),
    }),
    async prepare({ command, cwd: input, timeout_s = TIMEOUT_S, background = false }) {
      const text = command.trim();
      if (text === '') throw new ToolError('The command is empty. Give a command.');
      if (text.includes('\0')) throw new ToolError('The command contains a NUL character. Remove it.');
      const { at, path } = await directory(workspace, input);
      const line: CommandLine = {
        text,
        cwd: path,
        shell: runner.shell,
        ...(background && { background }),
        ...(timeout_s !== TIMEOUT_S && { timeoutSeconds: timeout_s }),
      };
      return {
        title: titleOf(text),
        targets: [],
        command: line,
        digest: await hashOf(encodeText(JSON.stringify([line.shell, text, at, timeout_s, background]))),
        async execute({ signal, progress }) {
          await expectDirectory(workspace, { at, path });
          const spec = { text, cwd: at, timeoutMs: timeout_s * 1_000, background };
          const result = await runner.run(spec, { signal, onOutput: progress });
          const { state } = result;
          const isError =
            state.kind === 'timed_out' || (state.kind === 'exited' && (state.signal !== undefined || (state.code ?? 0) !== 0));
          return { content: commandReport(result, timeout_s), ...endingOf(state), ...(isError && { isError }) };
        },
      };
    },
  });
}

/** Resolves the working directory. Without input, it is the first open folder. @throws ToolError when it is not a directory. */
async function directory(workspace: Workspace, input: string | undefined): Promise<{ at: Location; path: string }> {
  const first = { folder: 0, path: '' };
  if (!input?.trim()) return { at: first, path: workspace.display(first) };
  const place = await workspace.resolve(input);
  await expectDirectory(workspace, place);
  return place;
}

async function expectDirectory(workspace: Workspace, { at, path }: Resolved): Promise<void> {
  const stat = await workspace.stat(at);
  if (stat?.type !== 'directory')
    throw new ToolError(`${stat ? `${path} is not a directory.` : `There is no directory ${path}.`} Use an existing directory as cwd.`);
}

/** Builds a title without invisible characters and without characters that change the reading direction. */
function titleOf(command: string): string {
  const [first = '', ...more] = command.split('\n');
  const line = first.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd').trim();
  const short = line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : more.length > 0 ? `${line} …` : line;
  return `Run ${short}`;
}
