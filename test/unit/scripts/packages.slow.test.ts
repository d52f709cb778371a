// Packs, installs and starts what `npm run build` has built. The build itself is not repeated, because other tests read it at the same time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkExtension, checkProgram, PROGRAM, problemsOf } from '../../../scripts/check-packages.ts';
import { root } from '../../../scripts/editor.ts';
import { notices } from '../../../scripts/notices.mjs';
import { packExtension, packProgram, vsix } from '../../../scripts/package.ts';
import { needsProgram } from '../../support/program.ts';
import { folderOf, remove } from '../hosts/node/folder.ts';

describe('the packages', () => {
  needsProgram();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-packages-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('of the extension contains only what runs, its README refers to no picture, and its kedge runs', async () => {
    const packed = existsSync(vsix) ? vsix : join(folder, 'kedge.vsix');
    if (packed !== vsix) await packExtension(packed);
    assert.match(await checkExtension(packed), /its kedge runs/);
  });

  it('of npm contains only what the terminal program loads, and runs after npm install --global', async () => {
    assert.match(await checkProgram(await packProgram(folder)), /its kedge runs/);
  });

  it('contain the license of each package whose code is in the bundles', async () => {
    const text = await readFile(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { ROOMS } = await import('../../../scripts/rooms.ts');
    // Playwright is imported for its types, and loaded from where the user set it up.
    const imported = new Set(Object.values(ROOMS).flat());
    const bundled = Object.keys(manifest.devDependencies).filter((name) => imported.has(name) && name !== 'playwright-core');
    assert.ok(bundled.length > 20);
    for (const name of bundled) assert.match(text, new RegExp(`^${name} \\d[\\w.-]* \\(.+\\)$`, 'm'));
    for (const name of ['esbuild', 'typescript', '@types/node', 'playwright-core'])
      assert.ok(!text.includes(`\n${name} `), `${name} is not bundled`);
    for (const words of [/^Copyright \(c\) .*Colin McDonnell/m, /TERMS AND CONDITIONS FOR USE/, /Permission is hereby granted/])
      assert.match(text, words);
  });

  it('contain only packages whose license was read', async () => {
    const place = await folderOf({
      'node_modules/free/package.json': JSON.stringify({ name: 'free', version: '1.0.0', license: 'MIT', author: 'Ada' }),
      'node_modules/strict/package.json': JSON.stringify({ name: 'strict', version: '1.0.0', license: 'AGPL-3.0' }),
    });
    const noticesOf = async (name: string) => notices([], [`${name}/index.js`], place);
    assert.match(await noticesOf('node_modules/free'), /free 1\.0\.0 \(MIT\)\nCopyright \(c\) Ada\n\nPermission is hereby granted/);
    await assert.rejects(noticesOf('node_modules/strict'), /The license of strict is AGPL-3\.0\. Read it/);
    await remove(place);
  });

  it('may not contain sources, source maps, keys or local paths', async () => {
    const place = await folderOf({
      'package.json': '{}',
      'dist/kedge.js': 'run();',
      'dist/chunk-A.js': `//${'#'} sourceMappingURL=chunk-A.js.map`,
      'dist/chunk-B.js': `const key = 'ghp_${'a1'.repeat(18)}'`,
      'dist/chunk-C.js': `read('${join(root, 'src')}')`,
      'dist/kedge.js.map': '{}',
      'src/main.ts': '',
    });
    const problems = await problemsOf(PROGRAM, place);
    await rm(place, { recursive: true });
    assert.deepEqual(problems.sort(), [
      'dist/chunk-A.js contains a source map.',
      'dist/chunk-B.js contains a key of a service.',
      'dist/chunk-C.js contains a local path.',
      'dist/kedge.js.map does not belong into the package.',
      'src/main.ts does not belong into the package.',
    ]);
  });

  it('are published only if the version is confirmed', async () => {
    const { version } = await import('../../../package.json', { with: { type: 'json' } }).then(({ default: manifest }) => manifest);
    const publish = (confirmed: string) =>
      promisify(execFile)(process.execPath, ['scripts/allow-publish.mjs'], {
        cwd: root,
        env: { ...process.env, KEDGE_PUBLISH: confirmed },
      });
    await publish(version);
    await assert.rejects(publish(''), /Nothing was published/);
    await assert.rejects(publish('0.0.0'), /Nothing was published/);
  });
});
