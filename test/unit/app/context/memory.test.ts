import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryNotes } from '../../../../src/app/context/memory.ts';
import type { NotePart } from '../../../../src/core/model/messages.ts';
import { MAX_MEMORY_ENTRY, tooLongEntry } from '../../../../src/core/words/memory-entry.ts';
import { memoryEntries } from '../../../../src/core/words/memory-list.ts';
import { MemoryFiles } from '../../../../src/hosts/node/memory.ts';
import { insertLine, removeEntry } from '../../../../src/hosts/node/memory-edits.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, lastOf, resultTexts } from '../../../support/harness.ts';

describe('the memory', () => {
  let directory: string;
  let remembered: MemoryFiles;
  const file = () => join(directory, 'of', 'workspace.md');

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-memory-'));
    remembered = new MemoryFiles({ workspace: file(), user: join(directory, 'user.md'), lessons: join(directory, 'lessons.md') });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const remember = (input: object) => turn(call('remember', input));
  const memoryOf = (content: readonly object[]) =>
    content.flatMap((part) => ((part as NotePart).about === 'memory' ? [(part as NotePart).text] : []));

  it('lists each line as an entry, and an entry that is deleted can be restored', async () => {
    await remembered.add('workspace', 'one');
    const before = '# Notes\n\n- one\n-two\r\n* one\n';
    await writeFile(file(), before);
    const entries = memoryEntries(before);
    assert.deepEqual(entries, [
      { line: 1, text: '# Notes' },
      { line: 3, text: 'one' },
      { line: 4, text: '-two' },
      { line: 5, text: 'one' },
    ]);
    const removed = removeEntry(file(), { line: 5, text: 'one' });
    assert.deepEqual(removed, { line: 5, raw: '* one' });
    assert.equal(await readFile(file(), 'utf8'), '# Notes\n\n- one\n-two\r\n');
    await writeFile(file(), '- one\n# Notes\n');
    assert.deepEqual(removeEntry(file(), { line: 3, text: 'one' }), { line: 1, raw: '- one' }, 'it has moved');
    assert.equal(removeEntry(file(), { line: 1, text: 'one' }), undefined, 'it is gone');
    insertLine(file(), { line: 1, raw: '- one' });
    insertLine(file(), { line: 9, raw: '* one' });
    assert.equal(await readFile(file(), 'utf8'), '- one\n# Notes\n* one\n');
  });

  it('is written only after an approval that shows exactly the entry, whatever is allowed', async () => {
    const policy = () => ({ rules: [{ effect: 'allow' as const, tool: 'remember', from: 'user' as const }], problems: [] });
    await using kedge = await assistantOn({}, [remember({ text: 'Run the tests\nwith\u202e  make.' }), turn(say('Done.'))], {
      remembered,
      policy,
    });
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { title, covers, reason } = lastOf(kedge.events, 'approval_requested');
    assert.equal(title, 'Remember in this workspace: Run the tests with⟨U+202E⟩ make.');
    assert.equal(covers, undefined);
    assert.equal(reason, 'This is sent to the model in all later sessions.');
    assert.equal(await readFile(file(), 'utf8'), '- Run the tests with\u202e make.\n');
    assert.deepEqual(resultTexts(kedge.session), ['Stored.']);
  });

  it('is not written when the user rejects it, and cannot be written in Ask and Plan mode', async () => {
    await using kedge = await assistantOn(
      {},
      [remember({ text: 'x', all_workspaces: true }), turn(say('Done.')), remember({ text: 'x' }), turn(say('Done.'))],
      {
        remembered,
      },
    );
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(lastOf(kedge.events, 'approval_requested').title, /^Remember in all workspaces: x$/);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(resultTexts(kedge.session).at(-1) ?? '', /There is no tool remember in Ask mode/);
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 1);
    assert.deepEqual([await remembered.read('workspace'), await remembered.read('user')], ['', '']);
  });

  it('is sent to the model once, again when it changes, and is named in the run', async () => {
    await remembered.add('user', 'Be brief.');
    await remembered.add('workspace', 'Use make.');
    await using kedge = await assistantOn(
      {},
      [1, 2, 3, 4].map(() => turn(say('Done.'))),
      { remembered },
    );
    for (const text of ['one', 'two']) await kedge.session.prompt({ text, mode: 'ask' });
    await writeFile(file(), '# Mine\r\nUse just.\n');
    await kedge.session.prompt({ text: 'three', mode: 'ask' });
    await writeFile(file(), '');
    await kedge.session.prompt({ text: 'four', mode: 'ask' });
    const said = kedge.session.state.messages.flatMap((message) => (message.role === 'user' ? [memoryOf(message.content)] : []));
    assert.deepEqual(said, [
      [
        'The user asked Kedge to remember this (memory for this workspace):\n\n- Use make.',
        'The user asked Kedge to remember this (memory for all workspaces):\n\n- Be brief.',
      ],
      [],
      ['The user asked Kedge to remember this (memory for this workspace): It replaces the earlier one.\n\n# Mine\nUse just.'],
      ['The memory for this workspace is empty now.'],
    ]);
    assert.deepEqual(kedge.session.readView().runs[0]?.rules, [
      { path: 'memory for this workspace' },
      { path: 'memory for all workspaces' },
    ]);
  });

  it('does not exceed its budget: the oldest entries are left out', async () => {
    for (let n = 1; n <= 100; n++) await remembered.add('workspace', `Entry number ${n} of the memory.`);
    await remembered.add('user', 'Be brief.');
    const [note, user, ...more] = await memoryNotes(remembered, [], 100);
    assert.deepEqual(more, []);
    assert.match(user?.text ?? '', /\n\n- Be brief\.$/);
    assert.equal(note?.source.remark, 'older entries left out');
    assert.match(note?.text ?? '', /\[Older entries left out\.\]\n- Entry number \d+ .*Entry number 100 of the memory\.$/s);
    assert.ok((note?.text.length ?? 0) < 520);
    assert.deepEqual(await memoryNotes(remembered, [], 0), []);
  });

  it('shares its budget: the unused part of each half can be used by the other', async () => {
    const sizes = async () => (await memoryNotes(remembered, [], 100)).map(({ text }) => text.split('\n- ').slice(1).join('\n').length);
    for (let n = 1; n <= 20; n++) await remembered.add('user', `Entry number ${n} of the memory.`);
    assert.ok((await sizes()).every((size) => size > 350 && size <= 400));
    for (let n = 1; n <= 20; n++) await remembered.add('workspace', `Entry number ${n} of the memory.`);
    const halves = await sizes();
    assert.equal(halves.length, 2);
    assert.ok(
      halves.every((size) => size > 150 && size <= 200),
      String(halves),
    );
  });

  it('cuts off an entry that is longer than the budget, and says so', async () => {
    await remembered.add('workspace', 'word '.repeat(100).trim());
    const [note] = await memoryNotes(remembered, [], 25);
    assert.equal(note?.source.remark, 'entry cut off');
    assert.match(note?.text ?? '', /\n\n\[Entry cut off\.\]\n- (word ){19}wor$/);
    await remembered.add('user', 'Be brief.');
    await remembered.add('user', 'letter '.repeat(100).trim());
    const [, user] = await memoryNotes(remembered, [], 25);
    assert.equal(user?.source.remark, 'newest entry cut off, older entries left out');
  });

  it('is not called empty when it is turned off or has no space left', async () => {
    await remembered.add('user', 'Be brief.');
    const told = (content: NotePart[]) => [{ role: 'user' as const, content }];
    const first = await memoryNotes(remembered, [], 25);
    for (let n = 1; n <= 20; n++) await remembered.add('workspace', `Entry number ${n} of the memory.`);
    const second = await memoryNotes(remembered, told(first), 25);
    assert.deepEqual(
      second.map(({ source }) => source.paths[0]),
      ['memory for this workspace'],
    );
    const off = await memoryNotes(remembered, told([...first, ...second]), 0);
    assert.deepEqual(
      off.map(({ text, source }) => [text, source.digest, source.remark]),
      ['this workspace', 'all workspaces'].map((scope) => [
        `The user turned off the memory for ${scope}. Its content no longer applies.`,
        '',
        'turned off',
      ]),
    );
    assert.deepEqual(await memoryNotes(remembered, told([...first, ...second, ...off]), 0), []);
  });

  it('refuses an entry that is too long, also from the model', async () => {
    const text = 'x'.repeat(MAX_MEMORY_ENTRY + 1);
    assert.equal(tooLongEntry(text.slice(1)), undefined);
    await using kedge = await assistantOn({}, [remember({ text }), turn(say('Done.'))], { remembered });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(
      resultTexts(kedge.session)[0] ?? '',
      /^ERROR [\s\S]*not stored, because it has 1,001 characters\. An entry can have at most 1,000\./,
    );
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 0);
    assert.equal(await remembered.read('workspace'), '');
  });

  it('adds a line break if the user left the last line without one', async () => {
    await remembered.add('workspace', 'one');
    await writeFile(file(), '- one');
    await remembered.add('workspace', 'two');
    assert.equal(await remembered.read('workspace'), '- one\n- two\n');
  });
});
