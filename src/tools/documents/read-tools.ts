import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import { citation, citedText, placeText } from '../../documents/citations.ts';
import { type ContentRange, type DocumentContent, NotInCollection, type OutlineEntry } from '../../documents/collections.ts';
import { defineTool } from '../define-tool.ts';
import { type DocumentScope, requestedDocument } from './access.ts';

const MAX_CHARACTERS = 30_000;
const MAX_ENTRIES = 400;
const Document = z.string().describe('collection/document');

export function getOutlineTool(scope: DocumentScope): Tool {
  return defineTool({
    name: 'documents_get_outline',
    description: 'List the headings of a document, with places and sizes.',
    effect: 'readonly',
    input: z.object({ document: Document }),
    async prepare({ document: name }) {
      return {
        title: `Outline of ${name}`,
        targets: [],
        async execute() {
          const { collection, document } = await requestedDocument(scope, name);
          const entries = await inCollection(() => scope.collections.outline(collection, document));
          const lines = entries.slice(0, MAX_ENTRIES).map(({ level, title, place, length }) => {
            const at = placeText(place);
            return `${'  '.repeat(level - 1)}- ${title} (${at && `${at}, `}${length} characters)`;
          });
          if (entries.length > MAX_ENTRIES) lines.push(`[${entries.length - MAX_ENTRIES} more headings]`);
          return { content: lines.join('\n') || 'The document has no headings. Use documents_get_document.' };
        },
      };
    },
  });
}

export function getSectionTool(scope: DocumentScope): Tool {
  return defineTool({
    name: 'documents_get_section',
    description: 'Read a section of a document, by its heading.',
    effect: 'readonly',
    input: z.object({ document: Document, heading: z.string().min(1).describe('a title, or several joined by " > "') }),
    async prepare({ document: name, heading }) {
      return {
        title: `Read ${heading} in ${name}`,
        targets: [],
        async execute({ mostCharacters }) {
          const { collection, document } = await requestedDocument(scope, name);
          const content = await inCollection(() => scope.collections.section(collection, document, heading));
          return { content: await report(scope, { collection, document }, content, mostCharacters) };
        },
      };
    },
  });
}

export function getDocumentTool(scope: DocumentScope): Tool {
  return defineTool({
    name: 'documents_get_document',
    description: 'Read a document, or a part of it by pages or from a character.',
    effect: 'readonly',
    input: z.object({
      document: Document,
      pages: z.string().optional().describe('such as 3-5; also slides and sheets'),
      start: z.int().min(0).optional(),
    }),
    async prepare({ document: name, pages, start }) {
      const range = rangeOf(pages, start);
      return {
        title: `Read ${name}${pages ? `, pages ${pages}` : ''}${start ? `, from character ${start}` : ''}`,
        targets: [],
        async execute({ mostCharacters }) {
          const { collection, document } = await requestedDocument(scope, name);
          const content = await inCollection(() => scope.collections.content(collection, document, range));
          return { content: await report(scope, { collection, document }, content, mostCharacters) };
        },
      };
    },
  });
}

/** @throws ToolError if the pages are not a range */
function rangeOf(pages: string | undefined, start: number | undefined): ContentRange {
  if (pages === undefined) return start === undefined ? {} : { start };
  const [, from, to = from] = /^\s*p?(\d{1,6})(?:\s*[-–]\s*p?(\d{1,6}))?\s*$/.exec(pages) ?? [];
  if (from === undefined) throw new ToolError(`${pages} is not a range of pages. Write for example 3 or 3-5.`);
  return { pages: { from: Number(from), to: Number(to) } };
}

async function inCollection<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotInCollection) throw new ToolError(error.message);
    throw error;
  }
}

type Named = { collection: string; document: string };

/** The room for the note that says where to read on. */
const ROOM_FOR_NOTE = 100;

/** Returns a part of a document, with the place of each of its passages. It ends between two passages if it is too long. */
async function report(
  scope: DocumentScope,
  { collection, document }: Named,
  content: DocumentContent,
  most = MAX_CHARACTERS,
): Promise<string> {
  const { text, start, end, length, title, place, passages } = content;
  if (text.trim() === '') return 'This part of the document contains no text.';
  const room = Math.min(most, MAX_CHARACTERS) - ROOM_FOR_NOTE;
  const outline = await scope.collections.outline(collection, document);
  const above = (at: number) => outline.findLast((entry) => entry.start <= at)?.titlePath ?? [title];
  const beginnings = new Map([[start, { titlePath: above(start), place: place ?? {} }]]);
  for (const each of passages) if (each.start > start) beginnings.set(each.start, { titlePath: above(each.start), place: each.place });
  for (const each of outline) if (each.start > start) beginnings.set(each.start, each);
  const whole = start + text.length;
  const starts = [...beginnings.keys()].filter((at) => at < whole).sort((first, second) => first - second);
  const parts: string[] = [];
  let size = 0;
  let last = start;
  for (const [index, at] of starts.entries()) {
    const next = starts[index + 1] ?? whole;
    const { titlePath, place: where } = beginnings.get(at) as Pick<OutlineEntry, 'titlePath' | 'place'>;
    const part = text.slice(at - start, next - start).trim();
    const cited = citedText(citation(collection, document, where), titlePath, part);
    size += cited.length + 2;
    if (size > room) {
      if (parts.length > 0) break;
      const beginning = beginningOf(text.slice(at - start, next - start), room);
      last = at + beginning.length;
      // Only the first line of the place is certain to be shown.
      const { endLine: _, endRow: __, ...first } = where;
      parts.push(citedText(citation(collection, document, first), titlePath, beginning.trim()));
      break;
    }
    if (part !== '') parts.push(cited);
    last = next;
  }
  const notes = [
    (start > 0 || last < length) && `characters ${start}-${last} of ${length}`,
    last < Math.max(end, length) && `read on with start ${last}`,
  ].filter(Boolean);
  return [...parts, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join('\n\n');
}

/** Returns the first lines of a passage that is too long. Half of the room is left for its heading and the indentation. */
function beginningOf(text: string, room: number): string {
  const most = Math.max(1, Math.floor(room / 2));
  const end = text.lastIndexOf('\n', most);
  // A pair of surrogates is not divided.
  return text.slice(0, end > 0 ? end + 1 : /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most + 1 : most);
}
