/** The reasons for failed edits are told from messages, so each tool is made to fail, and its real message is judged. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EDIT_TOOLS, type EditFailure, editFailureOf } from '../../../src/core/insights/edit-failures.ts';
import { executeContext } from '../../support/context.ts';
import { toolsOn } from '../../support/tools.ts';

const FILES = { 'a.txt': 'one\ntwo\ntwo\nthree\n', 'b.txt': 'b\n', 'src/c.ts': 'const c = 1;\n' };
const edits = (path: string, old_text: string, new_text: string) => ({ path, edits: [{ old_text, new_text }] });
const patch = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

const CASES: [EditFailure, tool: string, input: unknown][] = [
  ['arguments', 'replace_in_file', { path: 'a.txt', edits: 7 }],
  ['not_found', 'replace_in_file', edits('a.txt', 'a line that is nowhere in this file', 'x')],
  ['ambiguous', 'replace_in_file', edits('a.txt', 'two', 'x')],
  ['no_change', 'replace_in_file', edits('a.txt', 'one', 'one')],
  ['omitted', 'replace_in_file', edits('src/c.ts', 'const c = 1;', '// ... existing code ...\nconst d = 2;')],
  ['no_file', 'replace_in_file', edits('none.txt', 'one', 'x')],
  ['exists', 'create_file', { path: 'a.txt', content: 'x' }],
  ['no_file', 'delete_file', { path: 'none.txt' }],
  ['exists', 'move_file', { from: 'a.txt', to: 'b.txt' }],
  ['no_file', 'move_file', { from: 'none.txt', to: 'c.txt' }],
  ['exists', 'create_directory', { path: 'src' }],
];
const PATCHES: [EditFailure, unknown][] = [
  ['arguments', { patch: 'nothing of the kind\nat all' }],
  ['not_found', patch('*** Update File: a.txt', '@@', '-a line that is nowhere in this file', '+x')],
  ['ambiguous', patch('*** Update File: a.txt', '@@', '-two', '+x')],
  ['no_file', patch('*** Update File: none.txt', '@@', '-two', '+x')],
  ['exists', patch('*** Add File: a.txt', '+x')],
];

describe('the reason for a failed edit', () => {
  it('is told from the messages of the tools', async () => {
    await using disk = await toolsOn(FILES);
    for (const [expected, tool, input] of CASES) {
      assert.ok(EDIT_TOOLS.has(tool));
      const result = await disk.use(tool, input);
      assert.equal(editFailureOf(result.replace(/^ERROR /, '')), expected, `${tool}: ${result}`);
    }
  });

  it('is told from the messages of patches', async () => {
    await using disk = await toolsOn(FILES, { model: 'gpt-6' });
    for (const [expected, input] of PATCHES) {
      const result = await disk.use('apply_patch', input);
      assert.equal(editFailureOf(result.replace(/^ERROR /, '')), expected, result);
    }
  });

  it('is that the file changed, if it did between the proposal and the write', async () => {
    await using disk = await toolsOn(FILES);
    const { signal } = new AbortController();
    const prepared = await disk.tool('replace_in_file').prepare(edits('b.txt', 'b', 'c'), signal);
    await writeFile(join(disk.root, 'b.txt'), 'other\n');
    await assert.rejects(prepared.execute(executeContext(signal)), (error: Error) => editFailureOf(error.message) === 'changed');
  });
});
