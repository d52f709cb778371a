import assert from 'node:assert/strict';
import type { EditorView } from '../../../../src/app/mentions/finder.ts';
import type { MentionChoice } from '../../../../src/core/model/mentions.ts';
import { assistantOn, type Harness } from '../../../support/harness.ts';
import { wordServices } from '../../../support/languages.ts';

const FILES = {
  'src/tide.ts': '',
  'src/deep/table.ts': '',
  '.github/ci.yml': '',
  'my file.txt': '',
  'hidden/tide.ts': '',
  'denied/tide.ts': '',
  'ignored/tide.ts': '',
  '.kedgeignore': 'hidden/\n',
  '.gitignore': 'ignored/\n',
  '.git/HEAD': '',
};
const deny = () => ({ rules: [{ effect: 'deny' as const, path: 'denied/**', from: 'user' as const }], problems: [] });

/** All lists that a query yields, by the texts that a choice inserts. */
async function lists({ assistant }: Harness, query: string, view: EditorView = { open: [] }): Promise<string[][]> {
  const all: MentionChoice[][] = [];
  for await (const list of (await assistant.mentions()).find(query, view)) all.push(list);
  return all.map((list) => list.map(({ insert }) => insert));
}
const last = async (...args: Parameters<typeof lists>) => (await lists(...args)).at(-1) ?? [];

describe('mentions are completed', () => {
  it('with files and folders, but not with those that are hidden, denied or ignored', async () => {
    await using kedge = await assistantOn(FILES, [], { policy: deny });
    assert.deepEqual(await last(kedge, 'tide'), ['@src/tide.ts']);
    assert.deepEqual(await last(kedge, 'src'), ['@src/', '@src/deep/', '@src/tide.ts', '@src/deep/table.ts']);
    assert.deepEqual(await last(kedge, 'file'), ['@"my file.txt"']);
    assert.deepEqual(await last(kedge, 'denied'), []);
    assert.deepEqual(await last(kedge, 'hidden'), []);
  });

  it('with what .kedgeignore and the rules say now', async () => {
    let rules: ReturnType<typeof deny>['rules'] = [];
    await using kedge = await assistantOn(FILES, [], { policy: () => ({ rules, problems: [] }) });
    assert.deepEqual(await last(kedge, 'tide.ts'), ['@src/tide.ts', '@denied/tide.ts']);
    rules = deny().rules;
    assert.deepEqual(await last(kedge, 'tide.ts'), ['@src/tide.ts']);
    await kedge.write('.kedgeignore', 'src/\n');
    assert.deepEqual(await last(kedge, 'tide.ts'), []);
  });

  it('at once with open files, and again when the list has been read', async () => {
    await using kedge = await assistantOn(FILES);
    const view = { open: ['src/deep/table.ts'] };
    const [early, late = []] = await lists(kedge, 't', view);
    assert.deepEqual(early, ['@src/deep/table.ts']);
    assert.deepEqual(late.slice(0, 2), ['@src/deep/table.ts', '@src/tide.ts']);
    assert.deepEqual(await last(kedge, '', view), ['@changes', '@src/deep/table.ts']);
  });

  it('from the same list until files change', async () => {
    await using kedge = await assistantOn(FILES);
    await lists(kedge, 'tide');
    await kedge.write('src/tide-new.ts', '');
    assert.equal((await lists(kedge, 'tide-new')).length, 1);
    (await kedge.assistant.mentions()).filesChanged();
    assert.deepEqual(await lists(kedge, 'tide-new'), [[], ['@src/tide-new.ts']]);
  });

  it('with kinds that the host knows, a selection, addresses, and symbols after three letters', async () => {
    const fetcher = { isPrivate: () => false, get: () => Promise.reject(new Error('Nothing is fetched.')) };
    await using kedge = await assistantOn({ ...FILES, 'a.word': '' }, [], { fetcher, languages: (fs) => wordServices(fs) });
    const selection = { kind: 'selection', path: 'src/tide.ts', lines: { from: 3, to: 9 } } as const;
    assert.deepEqual(await last(kedge, '', { open: [], selection }), ['@selection', '@problems', '@changes', '@https://']);
    assert.equal((await last(kedge, 'sel', { open: [], selection }))[0], '@selection');
    assert.ok(!(await last(kedge, 'sel')).includes('@selection'));
    assert.deepEqual(await last(kedge, 'https://tides.example/a'), ['@https://tides.example/a']);
    assert.ok((await last(kedge, 'Harbor')).includes('@Harbor'));
    assert.ok(!(await last(kedge, 'Ha')).includes('@Ha'));
  });

  it('with nothing that needs trust in an untrusted workspace', async () => {
    const fetcher = { isPrivate: () => false, get: () => Promise.reject(new Error('Nothing is fetched.')) };
    await using kedge = await assistantOn(FILES, [], { fetcher, trusted: false });
    assert.deepEqual(await last(kedge, ''), []);
    assert.deepEqual(await last(kedge, 'https://tides.example'), []);
  });
});
