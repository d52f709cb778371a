/** `kedge hooks`: lists the hooks of the user and of the folder, and prints the path and the schema of the file. */
import { join } from 'node:path';
import * as z from 'zod';
import type { HooksPort } from '../../../app/ports.ts';
import { type HookFile, hooksSchema, readHooks } from '../../../hooks/config.ts';
import { userFolder } from '../../node/user-files.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';

/** Returns what is printed. @throws UsageError for unknown words */
export function hooksText([verb, ...more]: readonly string[], port: HooksPort | undefined, env: NodeJS.ProcessEnv): string {
  const path = join(userFolder(env), 'hooks.json');
  if (more.length === 0 && verb === 'path') return path;
  if (more.length === 0 && verb === 'schema')
    return JSON.stringify(z.toJSONSchema(hooksSchema, { io: 'input', target: 'draft-7' }), null, 2);
  if (verb !== undefined) throw new UsageError('Use kedge hooks, kedge hooks path or kedge hooks schema. See kedge hooks --help.');
  const own = port?.user();
  const files = port?.workspace() ?? [];
  const isAccepted = port?.isAccepted(files.map((file) => `${file.path} ${file.digest}`).join('\n')) ?? false;
  return [
    `Your hooks: ${oneLine(path)}`,
    ...(own ? rows(own, 'user') : ['  None.']),
    ...files.flatMap((file) => [
      `Of this workspace, ${isAccepted ? 'which you have accepted' : 'which do not run until you accept them in a run in Agent mode'}: ${oneLine(file.path)}`,
      ...rows(file, 'workspace'),
    ]),
  ].join('\n');
}

function rows({ text }: HookFile, source: 'user' | 'workspace'): string[] {
  const read = readHooks(text, source);
  if ('problem' in read) return [`  Not valid: ${oneLine(read.problem)}`];
  return read.hooks.map(({ name, moment, tools, required, command }) => {
    const about = [moment, tools && `for ${tools.join(', ')}`, required && 'required'].filter(Boolean).join(', ');
    return `  ${oneLine(name)} (${oneLine(about)}): ${oneLine(command, 200)}`;
  });
}
