/** The tools that read the user's collections of documents. All of them only read, so every mode has them. */
import type { Tool } from '../../core/run/tool.ts';
import { collectionsIn, type DocumentScope } from './access.ts';
import { listCollectionsTool, listDocumentsTool } from './list-tools.ts';
import { getDocumentTool, getOutlineTool, getSectionTool } from './read-tools.ts';
import { searchDocumentsTool } from './search-tool.ts';

/** Returns no tools if there are no collections, so that a run without documents does not pay for their descriptions. */
export async function documentTools(scope: DocumentScope): Promise<Tool[]> {
  const names = (await collectionsIn(scope)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    listCollectionsTool(scope),
    listDocumentsTool(scope),
    searchDocumentsTool(scope, names),
    getOutlineTool(scope),
    getSectionTool(scope),
    getDocumentTool(scope),
  ];
}
