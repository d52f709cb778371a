/** Reads the mentions on the command line, such as `@src/a.ts:10-20`. */
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Assistant } from '../../app/assistant.ts';
import type { MentioningSession } from '../../app/mentions/index.ts';
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES, MAX_IMAGES } from '../../core/model/images.ts';
import { mentionLabel, refusalText } from '../../core/model/mentions.ts';
import type { ImagePart, ModelRef, NotePart } from '../../core/model/messages.ts';
import { looksLikePath } from '../../core/words/mention-text.ts';
import { oneLine } from './output/terminal.ts';
import { linesOf, type Prompter } from './questions.ts';

const terminal: Pick<Prompter, 'ask' | 'show'> & { interactive: boolean } = {
  interactive: process.stdin.isTTY === true,
  show: (text) => void process.stderr.write(text),
  ask: (prompt, signal) => linesOf(process.stdin).ask(prompt, signal),
};

/**
 * Reads the mentions in a text that the user typed. It must not contain text from a pipe, which may come from others. Mentions that are not
 * sent are reported on stderr.
 */
export async function readTyped(
  assistant: Assistant,
  session: MentioningSession,
  text: string,
  signal: AbortSignal,
  model: ModelRef,
  prompter = terminal,
): Promise<(NotePart | ImagePart)[]> {
  const say = (line: string) => prompter.show(`kedge: ${oneLine(line, 2_000)}\n`);
  const mentions = await assistant.mentions(session);
  const { refs, unknown } = await mentions.inText(text);
  const images: ImagePart[] = [];
  const outside = await Promise.all(
    unknown.map(async (each) => ({ ...each, image: prompter.interactive ? await imageAt(each.target) : undefined })),
  );
  for (const { target, image } of outside) {
    if (!image || images.length >= MAX_IMAGES) continue;
    if (await isConfirmed(`${target} is outside of the open folders.`, signal, prompter)) {
      images.push(image);
      say(`Sent with the message: ${target}`);
    } else say(`${target} was not sent.`);
  }
  for (const { target, path } of outside.filter((each) => !each.image && looksLikePath(each) && !/^session:/i.test(each.target)))
    say(`There is no file ${path} that can be read, so @${target} was sent as text. To write an @ that is not a mention, write \\@.`);
  for (const { target } of unknown.filter((each) => /^session:/i.test(each.target)))
    say(`No session, or more than one, has this title, so @${target} was sent as text.`);
  if (refs.length === 0) return images;
  const confirm = ({ reason }: { reason: string }) => (prompter.interactive ? isConfirmed(reason, signal, prompter) : false);
  const { parts, refused } = await mentions.read(refs, confirm, signal, model);
  if (refused.length > 0) for (const line of refusalText(refused).split('\n')) say(line);
  const sent = parts.flatMap((part) => (part.type === 'note' && part.ref ? [mentionLabel(part.ref)] : []));
  if (sent.length > 0) say(`Sent with the message: ${sent.join(', ')}`);
  return [...parts, ...images];
}

/** Resolves to the image with an absolute path, which the user named; undefined if it is anything else. */
async function imageAt(path: string): Promise<ImagePart | undefined> {
  if (!isAbsolute(path)) return undefined;
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_IMAGE_BYTES) return undefined;
    const bytes = await readFile(path);
    const type = imageTypeOf(bytes);
    return type && imagePart(type, bytes);
  } catch {
    return undefined;
  }
}

const CHOICES = [
  { key: 'y', label: 'yes' },
  { key: 'n', label: 'no' },
];

async function isConfirmed(reason: string, signal: AbortSignal, prompter: Pick<Prompter, 'ask'>): Promise<boolean> {
  const question = `${oneLine(reason, 1_000)} Send its content to the model? y = yes, n = no > `;
  const answer = await prompter.ask(question, signal, CHOICES);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}
