/** Reads the content of a prompt: text, images, and files that the user attached. Files are judged by the same policy as mentions. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk';
import type { Confirm, Confirmation, Pointed, ReadMentions } from '../../app/mentions/index.ts';
import { imageBytes, imagePart, imageTypeOf, MAX_IMAGE_CHARS, MAX_IMAGES } from '../../core/model/images.ts';
import type { RefusedMention } from '../../core/model/mentions.ts';
import type { ImagePart, MentionRef, NotePart } from '../../core/model/messages.ts';
import { isSecret } from '../../policy/secrets.ts';
import { relativePath } from '../../workspace/paths.ts';
import type { Folder } from '../../workspace/types.ts';

/** `refused` lists what is not sent, with the reason for the user. */
export type PromptContent = { text: string; attachments: (NotePart | ImagePart)[]; refused: RefusedMention[] };

/** How mentions are read. @see Mentions */
export type ContentPorts = {
  folders: readonly Folder[];
  check(ref: MentionRef): Promise<{ question?: { key: string; reason: string } }>;
  read(refs: readonly Pointed[], confirm: Confirm): Promise<ReadMentions>;
  confirm: Confirm;
};

export async function readContent(blocks: readonly ContentBlock[], ports: ContentPorts): Promise<PromptContent> {
  let text = '';
  const refs: Pointed[] = [];
  const images: ImagePart[] = [];
  const refused: RefusedMention[] = [];
  const addImage = (name: string, data: string) => {
    const image = images.length < MAX_IMAGES ? imageIn(data) : undefined;
    if (image) images.push(image);
    else refused.push({ ref: { kind: 'attachment', name }, reason: 'It is not a PNG, JPEG, GIF or WebP image, or there are too many.' });
  };
  const mention = (label: string) => {
    text += `${text === '' || /\s$/.test(text) ? '' : ' '}@${label}`;
  };
  for (const [index, block] of blocks.entries()) {
    switch (block.type) {
      case 'text':
        text += blocks[index - 1]?.type === 'text' ? `\n${block.text}` : block.text;
        break;
      case 'image':
        addImage('image', block.data);
        break;
      case 'audio':
        refused.push({ ref: { kind: 'attachment', name: 'audio' }, reason: 'Audio cannot be sent.' });
        break;
      case 'resource_link': {
        const ref = fileRef(block.uri, ports.folders);
        if (ref) refs.push(ref);
        mention(ref?.path ?? linkText(block));
        break;
      }
      case 'resource':
        mention(await addResource(block, ports, { refs, refused, addImage }));
        break;
    }
  }
  const read = refs.length > 0 ? await ports.read(refs, ports.confirm) : { parts: [], refused: [] };
  return { text: text.trim(), attachments: [...read.parts, ...images], refused: [...refused, ...read.refused] };
}

type Found = { refs: Pointed[]; refused: RefusedMention[]; addImage(name: string, data: string): void };

/** Adds a resource whose content the client sent. Returns its name. */
async function addResource({ resource }: EmbeddedResource, { folders, check, confirm }: ContentPorts, found: Found): Promise<string> {
  const ref = fileRef(resource.uri, folders);
  const name = ref ? `${ref.path}${ref.lines ? `:${ref.lines.from}-${ref.lines.to}` : ''}` : nameOf(resource.uri);
  if (!('text' in resource)) found.addImage(name, resource.blob);
  else {
    const attachment: Pointed = { kind: 'attachment', name, text: resource.text };
    const reason = ref && (await refusalOf(ref));
    if (reason === undefined) found.refs.push(attachment);
    else found.refused.push({ ref, reason } as RefusedMention);
  }
  return name;

  /** Returns why the content of a file may not be sent. */
  async function refusalOf(file: MentionRef & { path: string }): Promise<string | undefined> {
    try {
      const { question } = existsSync(pathOf(resource.uri)) ? await check(file) : checkUnsaved(file.path);
      return !question || (await confirm(question, file)) ? undefined : `${question.reason} You have not confirmed it.`;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

/** Checks a new file that was not saved yet, which no tool can read. */
function checkUnsaved(path: string): { question?: Confirmation } {
  return isSecret(path) ? { question: { key: `secret:${path}`, reason: `${path} may contain keys or passwords.` } } : {};
}

function imageIn(data: string): ImagePart | undefined {
  if (data.length > MAX_IMAGE_CHARS) return undefined;
  try {
    const bytes = imageBytes({ data });
    const type = imageTypeOf(bytes);
    return type && imagePart(type, bytes);
  } catch {
    return undefined;
  }
}

/** Returns the mention of a file, such as `file:///src/a.ts#L10-20`, or undefined if the address names no file on this computer. */
function fileRef(uri: string, folders: readonly Folder[]): (MentionRef & { path: string }) | undefined {
  try {
    const path = relativePath(pathOf(uri), folders);
    const [, from, to] = /#L(\d{1,9})(?:[-:]L?(\d{1,9}))?$/.exec(uri) ?? [];
    const lines = from && { lines: { from: Number(from), to: Number(to ?? from) } };
    return { kind: 'file', path, ...lines };
  } catch {
    return undefined;
  }
}

/** Some clients send the path of a file in place of its address. @throws Error if the address names no file on this computer */
function pathOf(uri: string): string {
  const plain = withoutFragment(uri);
  return isAbsolute(plain) ? plain : fileURLToPath(plain);
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, '');
}

function linkText({ name, uri }: ResourceLink): string {
  return `${name} (${uri})`;
}

function nameOf(uri: string): string {
  return withoutFragment(uri).split('/').filter(Boolean).at(-1) ?? uri;
}
