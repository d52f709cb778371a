/** Runs whose answer is JSON that is valid against a schema (`--schema`). */
import { readFileSync } from 'node:fs';
import type { Session } from '../../../app/session/session.ts';
import { textOf } from '../../../core/model/messages.ts';
import type { Mode } from '../../../core/session/events.ts';
import type { HostParts } from '../kedge.ts';
import { UsageError } from '../options/arguments.ts';
import { harmless, type Output } from '../output/terminal.ts';
import { answerFormat, jsonOf } from './answer-schema.ts';

export type JsonAnswers = {
  parts: HostParts;
  /** Takes the place of standard output during the run, because answers may be rejected. */
  out: Output;
  /** Prints the last answer of a session. */
  print(session: Session): void;
};

/** @throws UsageError if the file is not a schema by which answers can be checked. */
export function jsonAnswers(path: string, mode: Mode | undefined): JsonAnswers {
  if (mode === 'plan')
    throw new UsageError('--schema cannot be used with kedge plan, because a plan is not an answer. Use it with kedge ask.');
  const format = answerFormat(readText(path), path);
  const instructions = `${INSTRUCTIONS}\n${JSON.stringify(format.schema)}`;
  return {
    parts: {
      adapt: (ports) => {
        const { settings } = ports;
        const given = () => [settings.instructions?.()?.trim(), instructions].filter(Boolean).join('\n\n');
        return { ...ports, answerFormat: format, settings: { ...settings, instructions: given } };
      },
    },
    out: { write: () => true },
    print: ({ state }) => {
      const last = state.messages.findLast(({ role }) => role === 'assistant');
      const text = last ? jsonOf(textOf(last)) : '';
      process.stdout.write(`${process.stdout.isTTY ? harmless(text) : text}\n`);
    },
  };
}

const INSTRUCTIONS =
  'When you have finished your work, your final answer must be one JSON value, with no text before or after it and no code block. A program reads it. Work as usual before: this concerns only the final answer. It must be valid by this JSON Schema:';

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`The schema ${path} cannot be read. Check that it exists and that you may read it.`);
  }
}
