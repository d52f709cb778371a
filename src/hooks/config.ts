/** Reads files that define hooks. `hooksSchema` is also the JSON Schema of the files. */
import * as z from 'zod';
import { HOOK_MOMENTS, type HookMoment } from '../core/session/effects.ts';
import { visibleLine } from '../core/words/visible-text.ts';

/** A hook as Kedge runs it. */
export type Hook = {
  name: string;
  moment: HookMoment;
  command: string;
  /** The tools for which the hook runs: names, globs, actions such as `edit`, and MCP servers. Without it, it runs for all. */
  tools?: string[];
  required: boolean;
  timeoutMs: number;
  source: 'user' | 'workspace';
};

/** A file with hooks. `digest` identifies its content, and that of the scripts beside it that its commands name. */
export type HookFile = { path: string; text: string; digest: string };

export const MAX_FILE = 16_000;
const MAX_HOOKS = 20;
const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 60;
const MAX_NAME = 40;
/** The maximum number of words of a command that may name scripts. */
const MAX_WORDS = 500;

const hook = z.strictObject({
  name: z.string().min(1).max(MAX_NAME).optional().describe('The name of the hook in messages.'),
  event: z
    .enum(HOOK_MOMENTS)
    .describe('When it runs: before or after a tool call, before a prompt, when Kedge asks the user, or at the end of a run.'),
  command: z.string().min(1).max(4_000).describe('The command, which a shell runs. It gets the event as JSON on standard input.'),
  tools: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(50)
    .optional()
    .describe(
      'For before_tool and after_tool: the tools for which it runs. Names and globs such as run_command, the actions read, edit, delete, command, network and mcp, or an MCP server such as mcp:github. Without it, it runs for all tools.',
    ),
  required: z
    .boolean()
    .optional()
    .describe(
      'For before_tool and before_prompt: whether the call or prompt is denied if the hook fails. Otherwise the failure is only reported.',
    ),
  timeout: z.number().positive().max(MAX_SECONDS).optional().describe(`The time limit in seconds. The default is ${DEFAULT_SECONDS}.`),
});

export const hooksSchema = z
  .strictObject({
    $schema: z.string().optional(),
    hooks: z
      .array(hook)
      .max(MAX_HOOKS)
      .describe('Commands that can deny a call or a prompt, add to what the model gets, or notify. They cannot allow anything.'),
  })
  .describe('Hooks of Kedge');

/** Returns the hooks of a file, or a sentence that says what is wrong with it. */
export function readHooks(text: string, source: Hook['source']): { hooks: Hook[] } | { problem: string } {
  if (text.length > MAX_FILE) return { problem: `It is longer than ${MAX_FILE} characters.` };
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { problem: notJson(text, error) };
  }
  const parsed = hooksSchema.safeParse(json);
  if (!parsed.success) {
    return { problem: problemOf(parsed.error.issues[0]) };
  }
  return {
    hooks: parsed.data.hooks.map(({ name, event, command, tools, required = false, timeout = DEFAULT_SECONDS }) => ({
      name: visibleLine(name ?? nameOf(command)),
      moment: event,
      command,
      ...(tools && { tools }),
      required,
      timeoutMs: timeout * 1_000,
      source,
    })),
  };
}

function notJson(text: string, error: unknown): string {
  const [, position] = /position (\d+)/.exec(String(error)) ?? [];
  const line = text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length;
  return `It is not valid JSON at line ${line}. Look for a missing comma, quotation mark or bracket there, or a comment.`;
}

/** Says where the file is wrong, and what is expected there. */
function problemOf(issue: z.core.$ZodIssue | undefined): string {
  const [list, index, field] = issue?.path ?? [];
  const place = typeof index === 'number' ? `hook ${index + 1}` : 'the file';
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const known = typeof index === 'number' ? Object.keys(EXPECTED.fields).join(', ') : 'hooks';
    return `There is an unknown field ${shown(name)} in ${place}. Remove it; the fields are ${known}.`;
  }
  if (typeof field === 'string') {
    const expected = EXPECTED.fields[field as keyof typeof EXPECTED.fields] ?? 'valid';
    return `The field ${shown(field)} of ${place} must be ${expected}.`;
  }
  if (typeof index === 'number') return `In the field "hooks", ${place} must be ${EXPECTED.hook}.`;
  return list === '$schema' ? 'The field "$schema" must be text.' : `The file must contain ${EXPECTED.file}.`;
}

const EXPECTED = {
  file: `{"hooks": […]}, a list of at most ${MAX_HOOKS} hooks`,
  hook: 'an object such as {"event": "run_end", "command": "…"}',
  fields: {
    name: `text of 1 to ${MAX_NAME} characters`,
    event: `one of ${HOOK_MOMENTS.join(', ')}`,
    command: 'text of 1 to 4000 characters',
    tools: 'a list of 1 to 50 names of tools, such as ["command"]',
    required: 'true or false',
    timeout: `a number of seconds above 0 and at most ${MAX_SECONDS}`,
  },
};

function shown(name: string): string {
  return visibleLine(JSON.stringify(name.slice(0, MAX_NAME).toWellFormed()));
}

/** Returns the words of a command that may name files. */
export function wordsOf(command: string): string[] {
  return [...new Set(command.split(/[\s"'`;&|<>()=,]+/))].filter(Boolean).slice(0, MAX_WORDS);
}

function nameOf(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 2).toWellFormed()} …` : line;
}
