import { IMAGE_TYPES, MAX_IMAGE_CHARS, MAX_IMAGES } from '../../core/model/images.ts';
import type { ImagePart, TextPart } from '../../core/model/messages.ts';

const MAX_TEXT = 100_000;
const MAX_PARTS = 50;

type Block = { type: string; text?: string; data?: string; mimeType?: string; uri?: string; name?: string; resource?: Resource };
type Resource = { uri: string; mimeType?: string; text?: string; blob?: string };

/** Converts a tool result to texts and images. Other content is replaced with a short description. */
export function resultParts(content: unknown, structuredContent: unknown): (TextPart | ImagePart)[] {
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  const parts = blocks.map(partOf);
  if (parts.length === 0 && structuredContent !== undefined) parts.push(text(JSON.stringify(structuredContent)));
  return parts.length > 0 ? bounded(parts) : [text('[no result]')];
}

/** Converts the contents of a resource in the same way. */
export function resourceParts(contents: readonly Resource[]): (TextPart | ImagePart)[] {
  const blocks = contents.map((resource): Block => {
    const { mimeType, blob } = resource;
    const isImage = blob !== undefined && mimeType?.startsWith('image/');
    return isImage ? { type: 'image', data: blob, mimeType } : { type: 'resource', resource };
  });
  return resultParts(blocks, undefined);
}

/** Limits the total size of texts and the number of images and parts. A text at the end counts the omitted parts. */
function bounded(parts: (TextPart | ImagePart)[]): (TextPart | ImagePart)[] {
  let [remainingChars, images] = [MAX_TEXT, 0];
  const includedParts = parts.filter((part, index) => {
    if (index >= MAX_PARTS || remainingChars <= 0 || (part.type === 'image' && ++images > MAX_IMAGES)) return false;
    remainingChars -= part.type === 'text' ? part.text.length : 0;
    return true;
  });
  return includedParts.length < parts.length
    ? [...includedParts, text(`[${parts.length - includedParts.length} more parts were omitted]`)]
    : includedParts;
}

function partOf(block: Block): TextPart | ImagePart {
  switch (block.type) {
    case 'text':
      return text(block.text ?? '');
    case 'image':
      return image(block);
    case 'resource':
      return text(block.resource?.text ?? `[${block.resource?.mimeType ?? 'data'} at ${block.resource?.uri}]`);
    case 'resource_link':
      return text(`[${block.name ?? 'resource'}: ${block.uri}]`);
    default:
      return text(`[${block.type}${block.mimeType ? ` ${block.mimeType}` : ''}]`);
  }
}

/** Replaces an image with text if model services would reject it. A rejected image would make all later requests of the session fail. */
function image({ mimeType = 'image/png', data = '' }: Block): TextPart | ImagePart {
  const isShown = data.length <= MAX_IMAGE_CHARS && IMAGE_TYPES.some((type) => type === mimeType);
  return isShown && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
    ? { type: 'image', mediaType: mimeType, data }
    : text(`[an image with an unsupported type or size: ${mimeType}]`);
}

function text(content: string): TextPart {
  const cut =
    content.length > MAX_TEXT ? `${content.slice(0, MAX_TEXT)}\n[${content.length - MAX_TEXT} more characters were omitted]` : content;
  return { type: 'text', text: cut };
}
