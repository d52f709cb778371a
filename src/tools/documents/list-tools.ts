import * as z from 'zod';
import type { Tool } from '../../core/run/tool.ts';
import type { DocumentSummary } from '../../documents/collections.ts';
import { countOf, defineTool } from '../define-tool.ts';
import { collectionsIn, type DocumentScope, requestedCollections } from './access.ts';

const MAX_DOCUMENTS = 200;

export function listCollectionsTool(scope: DocumentScope): Tool {
  return defineTool({
    name: 'documents_list_collections',
    description: 'List the user’s collections of documents.',
    effect: 'readonly',
    input: z.object({}),
    async prepare() {
      return {
        title: 'List the collections of documents',
        targets: [],
        async execute() {
          const lines = (await collectionsIn(scope)).map(({ name, documents, failed, todo, isFromNetwork, problem }) =>
            [
              `${name}: ${problem === undefined ? countOf(documents, 'document') : 'cannot be read'}`,
              failed > 0 && `${failed} could not be read`,
              todo > 0 && `${todo} not up to date`,
              isFromNetwork && 'from the network',
            ]
              .filter(Boolean)
              .join(', '),
          );
          return { content: lines.join('\n') || 'There are no collections.' };
        },
      };
    },
  });
}

export function listDocumentsTool(scope: DocumentScope): Tool {
  return defineTool({
    name: 'documents_list_documents',
    description: 'List the documents of a collection.',
    effect: 'readonly',
    input: z.object({ collection: z.string(), path: z.string().optional().describe('a glob, or the beginning of a path') }),
    async prepare({ collection, path }) {
      return {
        title: `List the documents of ${collection}${path ? ` in ${path}` : ''}`,
        targets: [],
        async execute() {
          await requestedCollections(scope, [collection]);
          const { documents, total } = await scope.collections.listDocuments(collection, path ? { path } : {}, MAX_DOCUMENTS);
          const visible = documents.filter(({ key }) => !scope.isWithheld(collection, key));
          const lines = visible.map(documentLine);
          if (total > documents.length) lines.push(`[${total - documents.length} more; use a narrower path]`);
          return { content: lines.join('\n') || 'No document matches.' };
        },
      };
    },
  });
}

function documentLine({ collection, key, title, length, state, message }: DocumentSummary): string {
  const what = state === 'failed' ? `could not be read: ${message ?? ''}` : countOf(length, 'character');
  return `${collection}/${key}${title && title !== key ? ` (${title})` : ''}: ${what}`;
}
