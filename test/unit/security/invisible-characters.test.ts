/** A model reads what the user would see, including marks for invisible characters, and can still edit such text exactly. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { restoreMarks, visibleText } from '../../../src/core/words/visible-text.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, type Files, type HarnessOptions, resultTexts } from '../../support/harness.ts';
import { toolsOn } from '../../support/tools.ts';

const TAGS = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[^\P{Cc}\t\n\r]/u;
const EVIL = `evil\u202e${TAGS}\u200b\u001b[8m\u0085\u2066`;
const SHOWN = 'evil⟨U+202E⟩⟨U+E006F⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E0079⟩⟨U+200B⟩⟨U+001B⟩[8m⟨U+0085⟩⟨U+2066⟩';

const done = turn(say('Done.'));
async function told(files: Files, name: string, input: unknown, options: HarnessOptions = {}): Promise<string> {
  await using kedge = await assistantOn(files, [turn(call(name, input)), done], options);
  answerAll(kedge.session, { approve: true });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  assert.ok(!UNSEEN.test(JSON.stringify(kedge.adapter.requests)));
  return resultTexts(kedge.session).join('\n');
}

describe('invisible characters', () => {
  const FILES: Files = {
    'a.txt': `one\n${EVIL}\n`,
    [`${TAGS}.txt`]: '',
    'nb.ipynb': JSON.stringify({ cells: [{ cell_type: 'raw', source: EVIL }] }),
  };
  const READ: [where: string, name: string, input: unknown][] = [
    ['in a file', 'read_file', { path: 'a.txt' }],
    ['in a notebook', 'read_file', { path: 'nb.ipynb' }],
    ['in a line that is found', 'search_text', { pattern: 'evil' }],
    [
      'in an error that shows the nearest passage',
      'replace_in_file',
      { path: 'a.txt', edits: [{ old_text: 'one\nevil passage', new_text: '' }] },
    ],
    ['in the name of a file that is found', 'find_files', { glob: '*.txt' }],
    ['in the name of a file that is listed', 'list_directory', {}],
  ];
  for (const [where, name, input] of READ)
    it(`are marked for the model: ${where}`, async () =>
      assert.match(await told(FILES, name, input), /⟨U\+E006F⟩⟨U\+E0062⟩⟨U\+E0065⟩⟨U\+E0079⟩/));

  it('are marked for the model: in the data of another program', async () => {
    const tool = {
      name: 'other__tell',
      description: 'Tells.',
      inputSchema: { type: 'object' as const },
      effect: 'external' as const,
      source: 'mcp:other',
      prepare: async () => ({ title: 'Tell', targets: [], execute: async () => ({ content: [{ type: 'text' as const, text: EVIL }] }) }),
    };
    const mcp = { toolsFor: async () => [tool], close: async () => {} };
    assert.equal(await told({}, 'other__tell', {}, { mcp }), SHOWN);
  });

  it('are marked for the model: in the output of a command', async () => {
    assert.match(await told(FILES, 'run_command', { command: 'cat a.txt' }, { commands: true }), /evil⟨U\+202E⟩⟨U\+E006F⟩/);
  });

  it('stay outside edits, and an edit that contains marks removes or keeps them', async () => {
    const before = `one ${EVIL} two\nthree\n`;
    for (const model of ['any', 'gpt-5'])
      for (const [old, now, after] of [
        [`one ${SHOWN} two`, `one ${SHOWN} 2`, `one ${EVIL} 2\nthree\n`],
        [`one ${SHOWN} two`, 'one two', 'one two\nthree\n'],
        ['three', '3⟨U+200B⟩', `one ${EVIL} two\n3\u200b\n`],
      ] as const) {
        await using disk = await toolsOn({ 'a.txt': before }, { model });
        const patch = `*** Begin Patch\n*** Update File: a.txt\n@@\n-${old}\n+${now}\n*** End Patch\n`;
        // A hunk always contains whole lines, so `apply_patch` gets the whole line.
        if (model === 'any') await disk.use('replace_in_file', { path: 'a.txt', edits: [{ old_text: old, new_text: now }] });
        else assert.match(await disk.use('apply_patch', { input: patch }), /^Updated/);
        assert.equal(await disk.read('a.txt'), after);
      }
  });

  it('are written as marks if the file has marks or no such character, and the model is told', async () => {
    await using disk = await toolsOn({ 'marks.txt': 'a ⟨U+202E⟩ b \u202e\n', 'plain.txt': 'a\n' });
    const edit = (path: string, old_text: string, new_text: string) =>
      disk.use('replace_in_file', { path, edits: [{ old_text, new_text }] });
    assert.doesNotMatch(await edit('marks.txt', 'a ⟨U+202E⟩', 'c ⟨U+202E⟩'), /plain text/);
    assert.equal(await disk.read('marks.txt'), 'c ⟨U+202E⟩ b \u202e\n');
    assert.match(await edit('plain.txt', 'a', '⟨U+202E⟩'), /⟨U\+202E⟩ was written as plain text/);
    assert.match(await disk.use('create_file', { path: 'new.txt', content: '⟨U+200B⟩⟨U+0041⟩' }), /\. ⟨U\+200B⟩ was written as plain text/);
  });

  it('in a file name do not prevent reading the file by the displayed name', async () => {
    await using disk = await toolsOn({ 'a\u200bb.txt': 'one\n' });
    assert.equal(await disk.use('read_file', { path: 'a⟨U+200B⟩b.txt' }), '1\tone');
    assert.match(await disk.use('read_file', { path: 'a⟨U+202E⟩b.txt' }), /^ERROR The path contains a control character/);
  });

  const GOOD: [what: string, text: string][] = [
    ['a family', '👩‍👧 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 1️⃣'],
    ['flags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇩🇪'],
    ['Persian', 'می‌خواهم'],
    ['Devanagari', 'क्‍ष श्‌र'],
    ['Hebrew and Arabic', 'שלום عليكم'],
    ['accents', 'e\u0301 \u00e9 n\u0303'],
    ['Mongolian', '\u182e\u1823\u180b'],
    ['ends of lines', 'a\tb\r\nc\n'],
  ];
  for (const [what, text] of GOOD) it(`are not found: ${what}`, () => assert.equal(visibleText(text), text));

  it('include text hidden behind a flag or a variation selector', () => {
    assert.equal(visibleText(`🏴${TAGS}`), '🏴⟨U+E006F⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E0079⟩');
    assert.equal(visibleText('a\u{e0110}\u{e0120}\u{e0130}'), 'a\u{e0110}⟨U+E0120⟩⟨U+E0130⟩');
    assert.equal(visibleText('a\u200c\u200d\u200cb'), 'a\u200c⟨U+200D⟩⟨U+200C⟩b');
  });

  it('are restored from their marks in any text', () => {
    const letter = fc.oneof(
      fc.constantFrom(...EVIL, ...TAGS, '\r', '\n', '\ufe0f', '\u200d', '\u00ad', '🏴', '⟨', '⟩'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 30 }), (letters) => {
        const text = letters.join('');
        const shown = visibleText(text);
        assert.equal(restoreMarks(shown, text), text);
        assert.equal(visibleText(shown), shown);
      }),
      { numRuns: 2_000 },
    );
  });
});
