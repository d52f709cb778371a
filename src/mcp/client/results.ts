import type { ImagePart, TextPart } from '../../core/messages.ts';

const MAX_TEXT = 100_000;

type Block = { type: string; text?: string; data?: string; mimeType?: string; uri?: string; name?: string; resource?: Resource };
type Resource = { uri: string; mimeType?: string; text?: string };

/** What a tool gave, as models take it: texts, images, and a word for what is neither. */
export function resultParts(content: unknown, structuredContent: unknown): (TextPart | ImagePart)[] {
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  const parts = blocks.map(partOf);
  if (parts.length === 0 && structuredContent !== undefined) parts.push(text(JSON.stringify(structuredContent)));
  return parts.length > 0 ? parts : [text('[no result]')];
}

function partOf(block: Block): TextPart | ImagePart {
  switch (block.type) {
    case 'text':
      return text(block.text ?? '');
    case 'image':
      return { type: 'image', mediaType: block.mimeType ?? 'image/png', data: block.data ?? '' };
    case 'resource':
      return text(block.resource?.text ?? `[${block.resource?.mimeType ?? 'data'} at ${block.resource?.uri}]`);
    case 'resource_link':
      return text(`[${block.name ?? 'resource'}: ${block.uri}]`);
    default:
      return text(`[${block.type}${block.mimeType ? ` ${block.mimeType}` : ''}]`);
  }
}

function text(content: string): TextPart {
  const cut = content.length > MAX_TEXT ? `${content.slice(0, MAX_TEXT)}\n[${content.length - MAX_TEXT} more characters]` : content;
  return { type: 'text', text: cut };
}
