import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { filesProblem, isInstallable, pathProblem } from '../../../../../src/app/sharing/paths.ts';
import { previewOf } from '../../../../../src/app/sharing/preview.ts';
import { packageText, readPackageText, SharingError } from '../../../../../src/app/sharing/shared-package.ts';
import { gitAddress } from '../../../../../src/hosts/node/sharing/git-package.ts';
import { PackageStore } from '../../../../../src/hosts/node/sharing/package-store.ts';
import { sharingOn } from '../../../../support/sharing.ts';
import { remove } from '../folder.ts';

const SEGMENT = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    'agents',
    'prompts',
    'skills',
    'a.md',
    'A.md',
    's1',
    'SKILL.md',
    'con',
    'nul.md',
    'C:',
    '~',
    '.git',
    'hooks.json',
  ),
  fc.constantFrom('a\u200b.md', '..\\..\\x', 'a.md ', 'x.', 'ａ.md', '\u202e', '-rf', '%2e%2e', 'a:b', 'packages.json', '__proto__'),
  fc.string({ maxLength: 8, unit: 'binary' }),
);
const PATH = fc.oneof(
  fc.constantFrom('agents/a.md', 'prompts/b.md', 'skills/s1/SKILL.md', 'skills/s1/x/y.md'),
  fc.array(SEGMENT, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/')),
  fc.array(SEGMENT, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`),
  fc.array(SEGMENT, { minLength: 1, maxLength: 3 }).map((segments) => `skills/s1/${segments.join('/')}`),
);
const TEXT = fc.oneof(
  fc.constantFrom('Do it.', '---\ndescription: Helps\n---\nDo it.', '---\nmode: agent\n'),
  fc.string({ maxLength: 60, unit: 'binary' }),
);

describe('shared packages of any form', () => {
  it('never write outside their folder, and never before they are accepted', async () => {
    await using kedge = await sharingOn({});
    const packages = join(kedge.userFolder, 'packages');
    const address = join(kedge.parent, 'a.kedge.json');
    const outside = async () =>
      [...Object.keys(await kedge.snapshot()), ...(await readdir(kedge.userFolder))].filter((path) => path !== 'packages').sort();
    await writeFile(address, '');
    const before = await outside();
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(PATH, TEXT), { minLength: 1, maxLength: 5 }), async (files) => {
        await writeFile(address, JSON.stringify({ kedgePackage: 1, name: 'style', files: Object.fromEntries(files) }));
        const offer = await kedge.sharing.offer(address, '/', kedge.signal).catch((error: unknown) => {
          assert.ok(error instanceof SharingError, String(error));
          return undefined;
        });
        assert.deepEqual(await kedge.sharing.store.list(), []);
        const installed = await (offer && kedge.sharing.accept(offer))?.catch((error: unknown) => {
          assert.ok(error instanceof SharingError && offer?.preview.refusals.length, String(error));
          return undefined;
        });
        assert.deepEqual(await outside(), before);
        if (!installed) return;
        stored++;
        // What was stored is exactly what was shown.
        const shown = offer?.preview.files.map(({ path }) => path);
        const all = await readdir(installed.directory, { recursive: true, withFileTypes: true });
        const own = all
          .filter((entry) => entry.isFile())
          .map((entry) =>
            join(entry.parentPath, entry.name)
              .slice(installed.directory.length + 1)
              .replaceAll('\\', '/'),
          );
        assert.deepEqual(own.sort(), [...(shown ?? [])].sort());
        assert.ok(own.every((path) => /^(?:agents|prompts|skills)\//.test(path)));
        assert.ok((await readdir(packages)).every((name) => /^(?:locks|packages\.json|style-[0-9a-f]{8})$/.test(name)));
        await kedge.sharing.store.remove('style');
      }),
      { numRuns: 1_500 },
    );
    assert.ok(stored > 0);
  });

  it('have only paths that stay in their folder on every system', () => {
    fc.assert(
      fc.property(PATH, (path) => {
        if (pathProblem(path) !== undefined) return;
        assert.match(path, /^[\w.-]+(?:\/[\w.-]+)*$/);
        assert.ok(!path.split('/').some((segment) => segment === '..' || segment === '.' || segment.endsWith('.')));
        if (isInstallable(path)) assert.match(path, /^(?:agents|prompts|skills)\/\w/);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(filesProblem(['a/b', 'A/c']));
  });

  it('are the same after they were written and read again', async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/);
    const versions = fc.stringMatching(/^[\w.+-]{0,40}$/);
    const text = fc.string({ unit: 'binary', maxLength: 200 }).filter((each) => each.isWellFormed() && !each.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, text, { minKeys: 1, maxKeys: 5 }), versions, async (texts, version) => {
        const files = Object.entries(texts).map(([each, content]) => ({ path: `prompts/a${each}.md`, text: content }));
        const pack = await readPackageText(packageText({ name: 'style', version, description: '', files }));
        assert.deepEqual(
          pack.files,
          files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
        );
        assert.equal((await readPackageText(packageText(pack))).digest, pack.digest);
        const shown = (await previewOf(pack, [])).files.flatMap(({ lines }) => lines).join('\n');
        assert.doesNotMatch(shown, /[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
      }),
      { numRuns: 500 },
    );
  });

  it('come only from addresses that give Git no option and no other protocol', () => {
    const part = fc.constantFrom(
      'https://',
      'ssh://',
      'git@',
      'ext::',
      'file://',
      'http://',
      '-o',
      '--upload-pack=x',
      'host',
      ':',
      '/',
      'a.git',
      '#',
      '..',
      '@',
      ' ',
      '\n',
      'main',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        let address: ReturnType<typeof gitAddress>;
        try {
          address = gitAddress(parts.join(''));
        } catch (error) {
          return assert.ok(error instanceof SharingError);
        }
        if (!address) return;
        const { url, ref, path } = address;
        assert.match(url, /^(?:(?:https:\/\/|ssh:\/\/|git@)[^-\s]|file:\/\/\/)/);
        // Git would take the first for the name of a program, and ssh the others for options.
        assert.doesNotMatch(url, /^[\w+.-]+::|\s|^[^/]*@-|^\w+:\/\/[^/]*@-/);
        assert.ok(!ref.startsWith('-') && !path.startsWith('-') && !path.split('/').includes('..'));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('a program that is killed while it stores packages', () => {
  it('leaves the old package or the new one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kedge-user-'));
    const child = join(import.meta.dirname, '../../../../support/sharing-child.ts');
    await mkdir(join(folder, 'packages'));
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const running = spawn(process.execPath, [child, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(running.stdout, 'data');
      // The number of installed packages that are awaited varies, so that the kill comes at another point of the work.
      for (let count = 0; count <= round % 4; count++) await changeIn(join(folder, 'packages'));
      running.kill('SIGKILL');
      await once(running, 'exit');
      const [installed] = await new PackageStore(folder).list();
      if (!installed) continue;
      assert.deepEqual(installed.changedByHand, []);
      const texts = await Promise.all(installed.paths.map((path) => readFile(join(installed.directory, path), 'utf8')));
      assert.deepEqual([...new Set(texts)], [`${installed.version}\n`]);
      seen.add(installed.version);
    }
    assert.ok(seen.size > 0);
    const store = new PackageStore(folder);
    const pack = await readPackageText(JSON.stringify({ kedgePackage: 1, name: 'other', files: { 'prompts/a.md': 'Do it.' } }));
    await store.install(pack, { kind: 'file', address: '/a' }, undefined);
    // Nothing is left of the killed programs.
    const names = (await readdir(join(folder, 'packages'))).filter((name) => /-[0-9a-f]{8}$/.test(name));
    assert.equal(names.length, (await store.list()).length);
    await remove(folder);
  });
});

async function changeIn(folder: string): Promise<void> {
  for await (const _ of watch(folder)) return;
}
