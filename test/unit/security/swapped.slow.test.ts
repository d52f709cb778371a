/** Another program or a background command replaces a directory by a link while the user reads a question. */
import assert from 'node:assert/strict';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';
import { wordServices } from '../../support/languages.ts';

const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const LONG = 'treasure '.repeat(1_000_000);
const inside = {
  'deep/a.txt': 'mine\n',
  'deep/a.png': PICTURE,
  'deep/a.ipynb': '{"cells": []}',
  'run.sh': 'echo mine\n',
};
const outside = {
  'deep/a.txt': 'treasure\n',
  'deep/a.png': PICTURE,
  'deep/a.ipynb': '{"cells": [{"cell_type": "raw", "source": "treasure"}]}',
  'run.sh': 'echo treasure\n',
  'treasure.txt': '',
};
/** Writing it takes longer than all else, so only the call that reads it has it. */
const longFile = (content: string) => ({ 'deep/long.txt': content });
const below = (folder: string, files: Record<string, string | Buffer>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

const CALLS: [what: string, name: string, input: unknown][] = [
  ['a file', 'read_file', { path: 'sub/deep/a.txt' }],
  ['a long file', 'read_file', { path: 'sub/deep/long.txt' }],
  ['an image', 'read_file', { path: 'sub/deep/a.png' }],
  ['a notebook', 'read_file', { path: 'sub/deep/a.ipynb' }],
  ['a file that is only there outside', 'read_file', { path: 'sub/treasure.txt' }],
  ['a directory', 'list_directory', { path: 'sub' }],
  ['errors', 'get_diagnostics', { path: 'sub/deep/a.txt' }],
  ['an outline', 'document_symbols', { path: 'sub/deep/a.txt' }],
  ['references', 'find_references', { path: 'sub/deep/a.txt', line: 1, symbol: 'mine' }],
  ['an edit', 'replace_in_file', { path: 'sub/deep/a.txt', edits: [{ old_text: 'mine', new_text: 'yours' }] }],
  ['a new file', 'create_file', { path: 'sub/deep/new.txt', content: 'x' }],
  ['a deletion', 'delete_file', { path: 'sub/deep/a.txt' }],
  ['a command', 'run_command', { command: 'sh run.sh; echo x > written', cwd: 'sub' }],
  ['a command in the background', 'run_command', { command: 'sh run.sh; echo x > written', cwd: 'sub/deep', background: true }],
];

describe('a directory that a link replaces while an approval is pending', () => {
  for (const place of ['outside', 'inside'] as const)
    for (const [what, name, input] of CALLS)
      it(`does not redirect the change: ${what}, to ${place} of the workspace`, async () => {
        const target = place === 'outside' ? 'beside' : 'workspace/other';
        const isLong = what === 'a long file';
        await using kedge = await assistantOn(
          below('sub', { ...inside, ...(isLong && longFile(LONG.replaceAll('treasure', 'nothing!'))) }),
          [turn(call(name, input)), turn(say('Done.'))],
          {
            beside: below(target, { ...outside, ...(isLong && longFile(LONG)) }),
            policy: () => ({ rules: [{ effect: 'ask', path: 'sub', from: 'user' }], problems: [] }),
            languages: wordServices,
            commands: true,
          },
        );
        kedge.session.subscribe((event) => {
          if (event.type !== 'approval_requested') return;
          void (async () => {
            await rename(join(kedge.root, 'sub'), join(kedge.root, 'was'));
            await symlink(join(kedge.parent, target), join(kedge.root, 'sub'));
            await kedge.session.answerApproval(event.approvalId, { approve: true });
          })();
        });
        const before = Object.entries(await kedge.snapshot()).filter(([path]) => path.startsWith(target));
        await kedge.session.prompt({ text: 'go', mode: 'agent' });
        assert.equal(eventsOf(kedge.events, 'approval_requested').length, 1);
        const [result = ''] = resultTexts(kedge.session);
        assert.match(result, /^ERROR sub\S* no longer leads to the same place/);
        assert.doesNotMatch(JSON.stringify(kedge.adapter.requests), /treasure(?!\.txt)|iVBOR/);
        const after = Object.entries(await kedge.snapshot()).filter(([path]) => path.startsWith(target));
        assert.deepEqual(after, before);
      });

  it('does not redirect the change if it is the workspace itself', async () => {
    const calls = [
      call('run_command', { command: 'sh run.sh' }),
      call('search_text', { pattern: 'e' }),
      call('find_files', { glob: '**' }),
      call('list_directory', {}),
      call('read_file', { path: 'deep/a.txt' }),
    ];
    await using kedge = await assistantOn(inside, [turn(...calls), turn(say('Done.'))], {
      beside: below('beside', outside),
      commands: true,
    });
    kedge.session.subscribe((event) => {
      if (event.type !== 'approval_requested') return;
      void (async () => {
        await rename(kedge.root, `${kedge.root}-was`);
        await symlink(join(kedge.parent, 'beside'), kedge.root);
        await kedge.session.answerApproval(event.approvalId, { approve: true });
      })();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.doesNotMatch(JSON.stringify(kedge.adapter.requests), /treasure/);
    for (const result of resultTexts(kedge.session)) assert.match(result, /^ERROR/);
  });
});
