import assert from 'node:assert/strict';
import type { EditorView } from '../../../../src/app/mentions/finder.ts';
import type { MentionChoice } from '../../../../src/core/model/mentions.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
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

/** Returns all lists that a query yields, as the texts that the choices insert. */
async function lists({ assistant, session }: Harness, query: string, view: EditorView = { open: [] }): Promise<string[][]> {
  const all: MentionChoice[][] = [];
  for await (const list of (await assistant.mentions(session)).find(query, view)) all.push(list);
  return all.map((list) => list.map(({ insert }) => insert));
}
const last = async (...args: Parameters<typeof lists>) => (await lists(...args)).at(-1) ?? [];

/** Calls `onFind` before each search for files. */
function counted(roots: string[], onFind: () => void): NodeFileSystem {
  const fs = new NodeFileSystem(roots);
  const find = fs.find.bind(fs);
  fs.find = async (...args) => {
    onFind();
    return find(...args);
  };
  return fs;
}

describe('mentions are completed', () => {
  it('with files and folders, but not with those that are hidden, denied or ignored', async () => {
    await using kedge = await assistantOn(FILES, [], { policy: deny });
    assert.deepEqual(await last(kedge, 'tide'), ['@src/tide.ts']);
    assert.deepEqual(await last(kedge, 'src'), ['@src/', '@src/deep/', '@src/tide.ts', '@src/deep/table.ts']);
    assert.deepEqual(await last(kedge, 'file'), ['@"my file.txt"']);
    assert.deepEqual(await last(kedge, 'denied'), []);
    assert.deepEqual(await last(kedge, 'hidden'), []);
  });

  it('with the current rules and .kedgeignore files', async () => {
    let rules: ReturnType<typeof deny>['rules'] = [];
    await using kedge = await assistantOn(FILES, [], { policy: () => ({ rules, problems: [] }) });
    assert.deepEqual(await last(kedge, 'tide.ts'), ['@src/tide.ts', '@denied/tide.ts']);
    rules = deny().rules;
    assert.deepEqual(await last(kedge, 'tide.ts'), ['@src/tide.ts']);
    await kedge.write('.kedgeignore', 'src/\n');
    assert.deepEqual(await last(kedge, 'tide.ts'), []);
  });

  it('immediately with open files, and again when the list has been read', async () => {
    await using kedge = await assistantOn(FILES);
    const view = { open: ['src/deep/table.ts'] };
    const [early, late = []] = await lists(kedge, 't', view);
    assert.deepEqual(early, ['@src/deep/table.ts']);
    assert.deepEqual(late.slice(0, 2), ['@src/deep/table.ts', '@src/tide.ts']);
    assert.deepEqual(await last(kedge, '', view), ['@changes', '@src/deep/table.ts']);
  });

  it('from the same list until files change', async () => {
    let now = 1_000_000;
    await using kedge = await assistantOn(FILES, [], { now: () => now });
    await lists(kedge, 'tide');
    await kedge.write('src/tide-new.ts', '');
    now += 60_000;
    assert.equal((await lists(kedge, 'tide-new')).length, 1);
    (await kedge.assistant.mentions(kedge.session)).filesChanged();
    assert.deepEqual(await lists(kedge, 'tide-new'), [[], ['@src/tide-new.ts']]);
  });

  it('from a list that is read by one search at a time, and not more often than every few seconds', async () => {
    let now = 1_000_000;
    let scans = 0;
    await using kedge = await assistantOn(FILES, [], { now: () => now, fileSystem: (roots) => counted(roots, () => scans++) });
    const mentions = await kedge.assistant.mentions(kedge.session);
    await Promise.all(['t', 'ti', 'tid'].map((query) => lists(kedge, query)));
    assert.equal(scans, 1);
    for (const query of ['t', 'ti', 'tid']) {
      mentions.filesChanged();
      await lists(kedge, query);
    }
    assert.equal(scans, 1);
    now += 60_000;
    await Promise.all(['t', 'ti', 'tid'].map((query) => lists(kedge, query)));
    assert.equal(scans, 2);
  });

  it('from a list that is read again after a failure', async () => {
    let isBroken = true;
    const read = () => {
      if (isBroken) throw new Error('The folder cannot be read.');
    };
    await using kedge = await assistantOn(FILES, [], { fileSystem: (roots) => counted(roots, read) });
    await assert.rejects(lists(kedge, 'tide'), /cannot be read/);
    isBroken = false;
    assert.deepEqual(await last(kedge, 'table'), ['@src/deep/table.ts']);
  });

  it('with the kinds that the host supports, a selection, addresses, and symbols after three letters', async () => {
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

  it('without anything that needs a trusted workspace', async () => {
    const fetcher = { isPrivate: () => false, get: () => Promise.reject(new Error('Nothing is fetched.')) };
    await using kedge = await assistantOn(FILES, [], { fetcher, trusted: false });
    assert.deepEqual(await last(kedge, ''), []);
    assert.deepEqual(await last(kedge, 'https://tides.example'), []);
  });
});
