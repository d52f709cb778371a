import type { ToolSpec } from '../../../src/core/model/model.ts';

const text = { type: 'string' };

function tool(name: string, properties: Record<string, unknown>, required: string[] = []): ToolSpec {
  return { name, description: `${name} does it.`, inputSchema: { type: 'object', properties, required } };
}

/** The default tools of the test cases. */
export const TOOLS: ToolSpec[] = [
  tool('read_file', { path: text, limit: { type: 'integer' }, numbered: { type: 'boolean' } }, ['path']),
  tool('write_file', { path: text, content: text }, ['path', 'content']),
  tool('search_text', { query: text, limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, globs: { type: 'array', items: text } }, [
    'query',
  ]),
  tool('list_directory', { path: text, recursive: { type: 'boolean' } }),
  tool('edit_file', {
    path: text,
    edits: { type: 'array', items: { type: 'object' } },
    options: { type: 'object' },
    ratio: { type: 'number' },
  }),
];
