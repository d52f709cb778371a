import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { type Surroundings, surroundingsNote } from '../../../../src/app/context/surroundings.ts';
import type { Message } from '../../../../src/core/model/messages.ts';
import { isSecret } from '../../../../src/policy/secrets.ts';
import { say, turn } from '../../../../src/providers/scripted/index.ts';
import { assistantOn, type HarnessOptions } from '../../../support/harness.ts';

const at = (path: string) => ({ folder: 0, path });
const all: Surroundings = {
  system: 'Linux, bash',
  date: '2026-11-22',
  folders: true,
  git: { branch: 'main', changed: [at('src/a.ts')] },
  files: [
    { at: at('src/a.ts'), isActive: true, selection: [3, 9], errors: 1, warnings: 2 },
    { at: at('src/b.ts'), errors: 1 },
  ],
  parts: { activeFile: true, openFiles: true, problems: true },
};

const where = { fs: { folders: [{ name: 'harbour' }] }, trusted: true, isWithheld: ({ path }: { path: string }) => isSecret(path) };

function noteOf(now: Surroundings, before: Surroundings[] = [], options = {}): string | undefined {
  const messages: Message[] = [];
  for (const each of before) messages.push({ role: 'user', content: surroundingsNote(each, messages, { ...where, ...options }) });
  return surroundingsNote(now, messages, { ...where, ...options })[0]?.text;
}

describe('the note about the surroundings', () => {
  it('names the computer, the repository and the open files', () => {
    assert.deepEqual(noteOf(all)?.split('\n'), [
      'System: Linux, bash',
      'Date: 2026-11-22',
      'Folders: harbour',
      'Git: branch main, uncommitted changes',
      'Active file: src/a.ts, lines 3-9 selected',
      'Other open files: src/b.ts',
      'Problems in open files: 2 errors, 2 warnings',
    ]);
  });

  it('contains only what changed since the last note, including what no longer exists', () => {
    assert.equal(noteOf(all, [all]), undefined);
    assert.equal(
      noteOf({ ...all, date: '2026-11-23', files: [] }, [all]),
      'Date: 2026-11-23\nActive file: none\nOther open files: none\nProblems in open files: none',
    );
    assert.equal(noteOf(all, [all, { ...all, date: '2026-11-23' }, { ...all, date: '2026-11-24' }]), 'Date: 2026-11-22');
  });

  it('does not mention missing things in the first note', () => {
    assert.equal(noteOf({ files: [], parts: { activeFile: true, openFiles: true, problems: true } }), undefined);
  });

  it('does not depend on hidden, denied and secret files', () => {
    const secret = { at: at('.env'), isActive: true, errors: 5, selection: [1, 2] as [number, number] };
    const withSecret = { ...all, git: { branch: 'main', changed: [at('.env')] }, files: [secret, { at: at('src/b.ts') }] };
    const without = { ...all, git: { branch: 'main', changed: [] }, files: [{ at: at('src/b.ts') }] };
    assert.equal(noteOf(withSecret), noteOf(without));
    assert.match(noteOf(withSecret) ?? '', /no uncommitted changes/);
  });

  it('contains no names of an untrusted workspace', () => {
    assert.equal(noteOf(all, [], { trusted: false }), 'System: Linux, bash\nDate: 2026-11-22');
  });

  it('is short, and marks invisible characters in names', () => {
    const files = Array.from({ length: 40 }, (_, n) => ({ at: at(`packages/component-${n}/src/a-rather-long-name-of-a-file.ts`) }));
    const text = noteOf({ ...all, files }) ?? '';
    assert.ok(countTokens(text) <= 140, `${countTokens(text)} tokens:\n${text}`);
    assert.match(noteOf({ git: { branch: 'a\u202eb' } }) ?? '', /a⟨U\+202E⟩b/);
  });
});

describe('the surroundings of a run', () => {
  it('are at the end of the message, and are sent again only when they change', async () => {
    let date = '2026-11-22';
    const surroundings = async () => ({ date });
    const options: HarnessOptions = { surroundings };
    await using kedge = await assistantOn(
      {},
      [1, 2, 3].map(() => turn(say('Done.'))),
      options,
    );
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    date = '2026-11-23';
    await kedge.session.prompt({ text: 'three', mode: 'ask' });
    const said = kedge.session.state.messages.flatMap((message) => (message.role === 'user' ? [message.content] : []));
    const text = (words: string) => ({ type: 'text', text: words });
    const note = (words: string) => ({ type: 'note', about: 'surroundings', text: words });
    assert.deepEqual(said, [[text('one'), note('Date: 2026-11-22')], [text('two')], [text('three'), note('Date: 2026-11-23')]]);
    assert.deepEqual(
      kedge.session.readView().runs.flatMap((run) => run.said),
      [],
    );
  });
});
