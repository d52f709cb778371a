/** Images in a conversation: the supported types, and the text for models that cannot see them. */
import type { ImagePart, Message, NotePart, TextPart } from './messages.ts';
import { note } from './notes.ts';

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The maximum size of one image in bytes. */
export const MAX_IMAGE_BYTES = 4_000_000;
export const MAX_IMAGES = 8;
/** `MAX_IMAGE_BYTES` as a number of base64 characters. */
export const MAX_IMAGE_CHARS = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;

/** Returns the image type that the first bytes of a file indicate, regardless of the file name. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF.{4}WEBP/s.test(start) ? 'image/webp' : undefined;
}

export function imagePart(mediaType: ImageType, bytes: Uint8Array): ImagePart {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { type: 'image', mediaType, data: btoa(binary) };
}

export function imageBytes({ data }: Pick<ImagePart, 'data'>): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}

/**
 * Replaces each image with a line of text, for models without image support. The line depends only on the image, so a later request begins
 * with the same text and hits the prompt cache.
 */
export function withoutImages(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    const converted = imageless.get(message) ?? withoutImagesOf(message);
    imageless.set(message, converted);
    return converted;
  });
}

/** The messages without images. A message is converted once, because adapters recognize messages by identity. */
const imageless = new WeakMap<Message, Message>();

function withoutImagesOf(message: Message): Message {
  if (message.role === 'assistant') return message;
  if (message.role === 'user') return { ...message, content: message.content.map(described) };
  return { ...message, content: message.content.map((result) => ({ ...result, content: result.content.map(described) })) };
}

function described(part: TextPart | ImagePart | NotePart): TextPart | NotePart {
  if (part.type !== 'image') return part;
  const kilobytes = Math.max(1, Math.round((part.data.length * 3) / 4000));
  return note('image', `An image (${part.mediaType}, ${kilobytes} KB) was removed here, because this model does not support images.`);
}
