import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleaned } from '../../../../../src/app/sharing/clean.ts';
import { manifestText, packageText, SharingError } from '../../../../../src/app/sharing/shared-package.ts';
import { call, say, turn } from '../../../../../src/providers/scripted/index.ts';
import { eventsOf } from '../../../../support/harness.ts';
import { packageFile, sharingOn } from '../../../../support/sharing.ts';

const STYLE =
  '---\ndescription: Checks the style\nmode: ask\ntools: [read]\nprompts: [style-check]\nskills: [style-guide]\nversion: 1.2.0\n---\nLook.\n';
const OWN = {
  'agents/style.md': STYLE,
  'prompts/style-check.md': '---\nmode: ask\n---\nCheck the file.\n',
  'skills/style-guide/SKILL.md': '---\ndescription: The style guide\n---\nRead rules.md.\n',
  'skills/style-guide/rules.md': 'Be brief.\r\nNo tabs.\r\n',
};

describe('texts of packages that leave this computer', () => {
  it('name no home folder, however a system writes it', () => {
    const places = [
      '/mnt/c/Users/anna/x',
      '/c/Users/anna/x',
      '/var/home/anna/x',
      'C:\\Users\\Jürgen\\x',
      '/home/müller/x',
      'file:///home/anna/x',
    ];
    const { text, removed } = cleaned('a.md', places.join('\n'), { homes: [], folders: [] });
    assert.equal(text, ['~/x', '~/x', '~/x', '~\\x', '~/x', 'file://~/x'].join('\n'));
    assert.deepEqual(removed, ['a.md: home folders were left out, 6 times.']);
    assert.equal(cleaned('a.md', 'see example.com/home/page', { homes: [], folders: [] }).text, 'see example.com/home/page');
  });
});

describe('sharing', () => {
  it('exports an agent with its prompts and skills, and imports exactly that elsewhere, from a file and from a folder', async () => {
    await using own = await sharingOn({}, OWN);
    const { pack, removed } = await own.sharing.export('style', {});
    assert.deepEqual(removed, []);
    assert.deepEqual(
      pack.files,
      Object.entries(OWN).map(([path, text]) => ({ path, text })),
    );
    assert.deepEqual([pack.name, pack.version, pack.description], ['style', '1.2.0', 'Checks the style']);
    const file = join(own.parent, 'style.kedge.json');
    await writeFile(file, packageText(pack));
    const folder = join(own.userFolder);
    await writeFile(join(folder, 'kedge-package.json'), manifestText(pack));
    for (const address of [file, folder]) {
      await using other = await sharingOn({});
      const offer = await other.sharing.offer(address, '/', other.signal);
      assert.deepEqual(offer.preview.refusals, []);
      assert.deepEqual(await other.sharing.store.list(), []);
      const installed = await other.sharing.accept(offer);
      assert.deepEqual([installed.digest, installed.paths, installed.changedByHand], [pack.digest, Object.keys(OWN).sort(), []]);
      for (const [path, text] of Object.entries(OWN)) assert.equal(await readFile(join(installed.directory, path), 'utf8'), text);
      assert.deepEqual((await other.sharing.export('style', {})).pack, pack);
    }
  });

  it('lets installed agents, prompts and skills be used like those of the user', async () => {
    await using kedge = await sharingOn({});
    const path = await packageFile(kedge.parent, { files: OWN });
    await kedge.sharing.accept(await kedge.sharing.offer(path, '/', kedge.signal));
    const { agents } = await (await kedge.assistant.agents()).list();
    assert.deepEqual(agents.at(-1)?.name, 'style');
    assert.deepEqual(agents.at(-1)?.problems, []);
    const all = await (await kedge.assistant.customizations(kedge.session)).list();
    assert.deepEqual(
      all.map(({ kind, name, source }) => [kind, name, source]),
      [
        ['prompt', 'style-check', 'user'],
        ['skill', 'style-guide', 'user'],
      ],
    );
  });

  it('lets a model read an installed skill beside one of the user', async () => {
    const script = [turn(call('skill', { name: 'own' }), call('skill', { name: 'style-guide', file: 'rules.md' })), turn(say('Done.'))];
    await using kedge = await sharingOn({}, { 'skills/own/SKILL.md': '---\ndescription: Mine\n---\nOwn words.\n' }, {}, script);
    const path = await packageFile(kedge.parent, { files: OWN });
    await kedge.sharing.accept(await kedge.sharing.offer(path, '/', kedge.signal));
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const results = JSON.stringify(eventsOf(kedge.events, 'tool_finished'));
    for (const words of [/Own words\./, /Be brief\./]) assert.match(results, words);
  });

  it('shows the diff of an update, and which files were changed by hand', async () => {
    await using kedge = await sharingOn({});
    const path = await packageFile(kedge.parent, { files: OWN });
    const first = await kedge.sharing.accept(await kedge.sharing.offer(path, '/', kedge.signal));
    await writeFile(join(first.directory, 'agents/style.md'), `${STYLE}Mine.\n`);
    await writeFile(join(first.directory, 'skills/style-guide/mine.md'), 'Mine.\n');
    await writeFile(join(first.directory, '.DS_Store'), '');
    const { 'skills/style-guide/rules.md': _, ...rest } = OWN;
    const next = {
      ...rest,
      'agents/style.md': STYLE.replace('mode: ask', 'mode: agent').replace('[read]', '[read, commands]'),
      'prompts/more.md': 'More.',
    };
    await writeFile(path, await readFile(await packageFile(kedge.parent, { version: '2', files: next })));
    const [installed] = await kedge.sharing.store.list();
    assert.deepEqual(installed?.changedByHand, ['agents/style.md', 'skills/style-guide/mine.md']);
    const offer = await kedge.sharing.offerUpdate(installed ?? assert.fail(), kedge.signal);
    assert.deepEqual(offer.preview.overwritten, ['agents/style.md', 'skills/style-guide/mine.md']);
    assert.deepEqual(
      offer.preview.files.map(({ path, change }) => `${change} ${path}`),
      [
        'changed agents/style.md',
        'added prompts/more.md',
        'same prompts/style-check.md',
        'same skills/style-guide/SKILL.md',
        'removed skills/style-guide/rules.md',
      ],
    );
    const lines = offer.preview.files[0]?.lines ?? [];
    for (const line of ['-mode: ask', '+mode: agent', '-Mine.']) assert.ok(lines.includes(line), line);
    assert.ok(offer.preview.newAsks.some((ask) => /can ask to run commands/.test(ask)));
    await kedge.sharing.accept(offer);
    assert.equal((await kedge.sharing.store.find('style'))?.version, '2');
    assert.deepEqual((await readdir(join(kedge.userFolder, 'packages'))).length, 3);
    // The other package has been stored meanwhile, so what was shown is not what would be replaced.
    await assert.rejects(kedge.sharing.accept(offer), SharingError);
    await kedge.sharing.store.remove('style');
    assert.deepEqual(await kedge.sharing.store.list(), []);
  });
});
