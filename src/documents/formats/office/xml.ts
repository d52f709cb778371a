/**
 * Reads XML as a stream of elements. Only the five entities of XML are known, and a document type, which could declare others, is refused.
 */
import { Parser } from 'htmlparser2';
import { DocumentError } from '../../document.ts';
import { encodingOf } from '../encoding.ts';
import { MAX_XML_DEPTH } from '../limits.ts';
import { checkMemory } from '../memory.ts';

export type Attributes = Readonly<Record<string, string>>;

export type XmlHandler = {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** XML is decoded in pieces, because a decoded entry would need several times the memory of its bytes. */
const PIECE = 64 << 10;

/** @throws DocumentError if the document is nested too deeply or declares a document type */
export function readXml(bytes: Uint8Array, handler: XmlHandler): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        checkMemory();
        if (++depth > MAX_XML_DEPTH)
          throw new DocumentError(
            'damaged',
            `The document is nested more than ${MAX_XML_DEPTH} levels deep. Open it in its program and save it again.`,
          );
        handler.open?.(name, attributes);
      },
      ontext: (text) => handler.text?.(text),
      onclosetag(name) {
        depth--;
        handler.close?.(name);
      },
      onprocessinginstruction(name) {
        if (name.toLowerCase().startsWith('!doctype'))
          throw new DocumentError(
            'damaged',
            'The document declares a document type with entities, which Kedge does not read. Save it again in its program.',
          );
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder(encodingOf(bytes) ?? 'utf-8');
  for (let from = 0; from < bytes.length; from += PIECE) parser.write(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }));
  parser.end();
}

/** Reads the targets of the relationships of a part of an Office document, by their ids. */
export function relationsOf(bytes: Uint8Array | undefined, folder: string): Map<string, { type: string; path: string }> {
  const relations = new Map<string, { type: string; path: string }>();
  if (!bytes) return relations;
  readXml(bytes, {
    open(name, { Id, Type = '', Target = '', TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), path: resolved(folder, Target) });
    },
  });
  return relations;
}

/** Reads the title in docProps/core.xml. */
export function titleIn(bytes: Uint8Array | undefined): string | undefined {
  let title = '';
  let isInTitle = false;
  if (bytes)
    readXml(bytes, {
      open: (name) => (isInTitle = name === 'dc:title'),
      text: (text) => (title += isInTitle ? text : ''),
      close: () => (isInTitle = false),
    });
  return title.trim() || undefined;
}

function resolved(folder: string, target: string): string {
  const parts = target.startsWith('/') ? [] : folder.split('/').filter(Boolean);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
