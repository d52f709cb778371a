/** Adds to a request what is piped into the program. */
import { UsageError } from './arguments.ts';

/** Returns the text of a request in which a lone `-` stands for stdin. @throws UsageError if nothing is read from stdin and nothing was typed */
export async function withStandardInput(typed: string): Promise<string> {
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  if (!input.trim() && !typed)
    throw new UsageError('Nothing was read from standard input. Pipe a request into kedge, or write it instead of the -.');
  return [typed, input.trimEnd()].filter(Boolean).join('\n\n');
}
