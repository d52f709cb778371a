import assert from 'node:assert/strict';
import { callText } from '../../../src/core/words/call-text.ts';

describe('the text of a call that has not been prepared', () => {
  for (const [name, input, expected] of [
    ['replace_in_file', { path: 'src/a.ts', edits: [] }, 'Edit src/a.ts'],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch' }, 'Edit a.ts, b.ts'],
    ['apply_patch', { input: '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b' }, 'Edit x.ts'],
    ['move_file', { from: 'a.ts', to: 'b.ts' }, 'Move a.ts to b.ts'],
    ['run_command', { command: 'npm test\nrm -r x' }, 'Run npm test⟨U+000A⟩rm -r x'],
    ['update_step', { step: 2, status: 'done' }, 'update_step 2 done'],
    ['github__create_issue', { title: 'x' }, 'github__create_issue'],
    ['constructor', undefined, 'constructor'],
    ['list_directory', {}, 'List'],
    ['read_file', { path: 7 }, 'Read'],
    ['search_text', { pattern: 'x'.repeat(200) }, `Search ${'x'.repeat(120)}…`],
  ] as const)
    it(`of ${name} is ${expected.slice(0, 40)}`, () => assert.equal(callText(name, input), expected));
});
