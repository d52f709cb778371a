import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedBrowser } from '../../../../../src/hosts/node/browser/installed.ts';
import { findLibrary, LIBRARY, libraryPlace } from '../../../../../src/hosts/node/browser/library.ts';
import { setUpBrowser } from '../../../../../src/hosts/node/browser/setup.ts';

const root = join(import.meta.dirname, '../../../../..');
const never = new AbortController().signal;
const sha512 = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

describe('the set-up of the browser tool', function () {
  this.timeout(120_000);
  let directory: string;
  let data: string;
  let registry: Server;
  let env: NodeJS.ProcessEnv;
  let archive: Buffer;
  const library = () => ({ name: 'small-library', version: '1.0.0', integrity: sha512(archive) });

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kedge-test-setup-'));
    const source = join(directory, 'source');
    mkdirSync(source);
    const scripts = { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' };
    writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'small-library', version: '1.0.0', scripts }));
    writeFileSync(join(source, 'index.mjs'), 'export const chromium = {};\n');
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: source, stdio: 'ignore' });
    archive = readFileSync(join(source, 'small-library-1.0.0.tgz'));
    registry = createServer((request, response) => {
      const host = `http://${request.headers.host}`;
      if (request.url === '/small-library.tgz') return response.end(archive);
      const dist = { tarball: `${host}/small-library.tgz`, integrity: sha512(archive) };
      const versions = { '1.0.0': { name: 'small-library', version: '1.0.0', dist } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name: 'small-library', 'dist-tags': { latest: '1.0.0' }, versions }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
      npm_config_cache: join(directory, 'cache'),
      npm_config_update_notifier: 'false',
    };
  });
  after(() => {
    registry.close();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    data = mkdtempSync(join(directory, 'data-'));
  });

  it('puts the package in place whose digest is expected, and runs none of its scripts', async () => {
    assert.equal(await setUpBrowser({ data, library: library(), env }, never), true);
    const place = join(libraryPlace(data, library()), 'node_modules', 'small-library');
    assert.deepEqual(readdirSync(place).sort(), ['index.mjs', 'package.json']);
    assert.deepEqual(readdirSync(join(data, 'browser')), ['small-library-1.0.0']);
    // It can be repeated.
    assert.equal(await setUpBrowser({ data, library: library(), env }, never), true);
    assert.ok(existsSync(join(place, 'index.mjs')));
  });

  it('refuses a package with another digest, and leaves nothing behind', async () => {
    const expected = { ...library(), integrity: sha512(Buffer.from('another')) };
    await assert.rejects(
      setUpBrowser({ data, library: expected, env }, never),
      /not the expected small-library 1\.0\.0: its digest differs/,
    );
    assert.deepEqual(readdirSync(join(data, 'browser')), []);
  });

  it('says what to do without npm, without the package and after a stop', async () => {
    await assert.rejects(
      setUpBrowser({ data, library: library(), env: { ...env, PATH: directory } }, never),
      /npm was not found\. Install Node\.js/,
    );
    const unknown = { ...library(), version: '2.0.0' };
    await assert.rejects(setUpBrowser({ data, library: unknown, env }, never), /npm failed: .*Check your network/);
    await assert.rejects(setUpBrowser({ data, library: library(), env }, AbortSignal.abort()), { name: 'AbortError' });
    assert.deepEqual(readdirSync(join(data, 'browser')), []);
  });

  it('expects the package that the tests use', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const { version, integrity } = lock.packages[`node_modules/${LIBRARY.name}`];
    assert.deepEqual({ version, integrity }, { version: LIBRARY.version, integrity: LIBRARY.integrity });
    assert.equal(findLibrary(data), join(root, 'node_modules', LIBRARY.name));
  });

  it('takes no library from a folder above Kedge, where others may write', () => {
    const home = mkdtempSync(join(tmpdir(), 'kedge-test-above-'));
    const bundle = pathToFileURL(join(home, 'kedge', 'dist', 'chunk.js')).href;
    const put = (folder: string) => {
      const directory = join(folder, 'node_modules', LIBRARY.name);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: LIBRARY.name, version: LIBRARY.version }));
      return directory;
    };
    put(home);
    assert.equal(findLibrary(data, bundle), undefined);
    assert.equal(put(join(home, 'kedge')), findLibrary(data, bundle));
    rmSync(home, { recursive: true, force: true });
  });
});

describe('the installed browser', () => {
  it('is searched for in usual places, and never in a relative one', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kedge-test-path-'));
    const program = join(directory, 'google-chrome-stable');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    assert.equal(installedBrowser({ PATH: `relative:${directory}` }, 'linux'), program);
    assert.notEqual(installedBrowser({ PATH: 'relative:.' }, 'linux'), program);
    assert.equal(installedBrowser({ PATH: directory }, 'win32'), undefined);
    rmSync(directory, { recursive: true, force: true });
  });
});
