/** Models often use other names and types than the schema. These tests show what the tool receives. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { toolsOn } from '../../support/tools.ts';

const Entry = z.object({ old_text: z.string(), all: z.boolean().optional() });
const schema = z.object({ path: z.string(), from_line: z.int().optional(), edits: z.array(Entry).optional() });

async function received(input: unknown): Promise<unknown> {
  let got: unknown;
  const tool = defineTool({
    name: 'look',
    description: '',
    effect: 'readonly',
    input: schema,
    async prepare(parsed) {
      got = parsed;
      return { title: '', targets: [], execute: async () => ({ content: '' }) };
    },
  });
  await tool.prepare(input, new AbortController().signal);
  return got;
}

describe('the input of a tool', () => {
  const CASES: [what: string, input: unknown, expected: unknown][] = [
    ['by the names of other tools', { file_path: 'a', startLine: 2 }, { path: 'a', from_line: 2 }],
    ['by the names of other tools in a list', { path: 'a', edits: [{ old_str: 'x' }] }, { path: 'a', edits: [{ old_text: 'x' }] }],
    ['by its own name before another one', { path: 'a', file_path: 'b' }, { path: 'a' }],
    ['that is null where it may be left out', { path: 'a', from_line: null, edits: null }, { path: 'a' }],
    ['that is null by its own name', { path: null, file: 'a' }, { path: 'a' }],
    ['that is null in a list', { path: 'a', edits: [{ old_text: 'x', all: null }] }, { path: 'a', edits: [{ old_text: 'x' }] }],
    ['with a list as a string', { path: 'a', edits: '[{"search":"x","all":null}]' }, { path: 'a', edits: [{ old_text: 'x' }] }],
    ['with one entry instead of a list', { path: 'a', edits: { search: 'x' } }, { path: 'a', edits: [{ old_text: 'x' }] }],
    ['with one entry as a string', { path: 'a', edits: '{"search":"x"}' }, { path: 'a', edits: [{ old_text: 'x' }] }],
    ['with a number and a boolean as strings', { path: 'a', from_line: '2' }, { path: 'a', from_line: 2 }],
  ];
  for (const [what, input, expected] of CASES)
    it(`is understood ${what}`, async () => {
      assert.deepEqual(await received(input), expected);
    });

  it('that lacks a field which is null says so', async () => {
    await assert.rejects(
      received({ path: null }),
      /^ToolError: The arguments of look do not fit its schema:\n✖ Invalid input: expected string, received undefined/,
    );
    for (const input of [null, 1, 'x', [], [null], { path: 'a', edits: [null] }]) await assert.rejects(received(input), /do not fit/);
  });

  it('of an edit is understood without a list around it', async () => {
    await using disk = await toolsOn({ 'a.txt': 'one\n' });
    const edit = { filePath: 'a.txt', oldString: 'one', newString: 'two', replaceAll: null };
    assert.equal(await disk.use('replace_in_file', edit), 'Replaced 1 passage in a.txt.');
    for (const nothing of [undefined, null, {}, { path: 'a.txt' }])
      assert.match(await disk.use('replace_in_file', nothing), /^ERROR The arguments of replace_in_file do not fit/);
  });
});
