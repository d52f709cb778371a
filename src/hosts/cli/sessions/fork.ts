/** `kedge fork`: starts a session that begins with the messages of another one. */
import { numberedMessages } from '../../../core/view/session-markdown.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, onlyWord, positiveNumber } from './context.ts';
import { findSession } from './find.ts';

export async function fork({ kedge, words, values }: CommandContext): Promise<number> {
  const { assistant } = kedge;
  const parent = await findSession(assistant, onlyWord(words, 'Specify the session to fork: kedge fork SESSION.'));
  const [at, before] = [positiveNumber('--at', values.at), positiveNumber('--before', values.before)];
  if (at !== undefined && before !== undefined) throw new UsageError('Use --at or --before, not both.');
  const messages = numberedMessages(parent.events);
  const number = at ?? before;
  const message = messages.find((each) => each.number === number);
  if (number !== undefined && !message)
    throw new UsageError(
      `The session has ${messages.length} messages, numbered from 1. To read them with their numbers, run kedge export ${parent.id}.`,
    );
  const place = !message ? {} : at === undefined ? { before: message.seq } : { after: message.seq };
  const { session, prompt, restored } = await (await assistant.library()).fork(parent.id, place, { restore: values.restore === true });
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ id: session.id, parent: session.state.parent, prompt: prompt?.text, restored })}\n`);
    return EXIT.answered;
  }
  for (const { path, outcome, reason } of restored ?? [])
    process.stderr.write(`${outcome === 'refused' ? '✗' : '●'} ${oneLine(path)}: ${outcome}${reason ? ` (${oneLine(reason)})` : ''}\n`);
  if (values.restore && !restored) process.stderr.write('Kedge has not changed any files since this message.\n');
  process.stdout.write(`${session.id}\n`);
  const was = prompt ? ` The message was: ${oneLine(prompt.text, 80)}` : '';
  process.stderr.write(`To continue: kedge ${prompt?.mode ?? session.state.lastRun?.mode ?? 'ask'} --continue ${session.id} "…"${was}\n`);
  return EXIT.answered;
}
