import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import type { CommandLines, CommandRunner } from '../../workspace/commands.ts';
import { defineTool } from '../define-tool.ts';
import { endingOf, stateText } from './command-report.ts';

/** The tool needs no approval: it only reads the output of a command that the user approved, or stops that command. */
export function commandOutputTool(runner: CommandRunner): Tool {
  return defineTool({
    name: 'command_output',
    description: 'Read more output of a command by its id, or stop it.',
    effect: 'readonly',
    input: z.object({ id: z.string(), from_line: z.int().min(1).optional(), stop: z.boolean().optional() }),
    async prepare({ id, from_line, stop = false }) {
      return {
        title: stop ? `Stop command ${id}` : `Read output of command ${id}`,
        targets: [],
        async execute({ signal }) {
          if (stop) await runner.stop(id);
          const lines = await runner.read(id, from_line, signal);
          if (!lines) throw new ToolError(`There is no command ${id}. Use the id from the result of run_command.`);
          return { content: report(id, lines), ...(lines.now && endingOf(lines.now.state)) };
        },
      };
    },
  });
}

function report(id: string, { text, from, to, now }: CommandLines): string {
  const state = now ? stateText(id, now.state, now.durationMs) : 'The command no longer runs, because Kedge was restarted.';
  if (to < from) return `${state}\n(no new output)`;
  const left = now && to < now.lines ? `; read on with from_line ${to + 1}` : '';
  return `${state}\n${text}\n[lines ${from}-${to}${now ? ` of ${now.lines}` : ''}${left}]`;
}
