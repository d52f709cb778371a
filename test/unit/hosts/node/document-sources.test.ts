import assert from 'node:assert/strict';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Source } from '../../../../src/documents/collections.ts';
import { readContent } from '../../../../src/documents/formats/read.ts';
import { type SourceDocument, UPDATE_LIMITS } from '../../../../src/documents/store/sources.ts';
import { documentsAway } from '../../../../src/hosts/node/documents/away.ts';
import { documentsInFiles } from '../../../../src/hosts/node/documents/file-source.ts';
import { documentsOnPages } from '../../../../src/hosts/node/documents/page-source.ts';
import { PageFetcher } from '../../../../src/hosts/node/fetch/fetch.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { readRules } from '../../../../src/policy/rules.ts';
import { pdf } from '../../../support/documents/pdf.ts';
import { shownBlocks } from '../../../support/documents/reading.ts';
import { folderOf, remove } from './folder.ts';

const { signal } = new AbortController();
const rulesOf = (...rules: object[]) => readRules(rules, 'user', 'a test').rules;

/** Makes a folder unreadable. The administrator can read every folder, so another user runs the test then. */
async function unreadable(path: string, act: () => Promise<void>): Promise<void> {
  await chmod(path, 0);
  const isAdministrator = process.getuid?.() === 0;
  if (isAdministrator) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (isAdministrator) process.seteuid?.(0);
    await chmod(path, 0o755);
  }
}

async function collected(documents: AsyncIterable<SourceDocument>): Promise<SourceDocument[]> {
  const all: SourceDocument[] = [];
  for await (const document of documents) all.push(document);
  return all;
}

describe('the files of a collection', () => {
  let folder: string;
  let outside: string;
  beforeEach(async () => {
    outside = await folderOf({
      'manual/a.md': '# A\n',
      'manual/.env': 'KEY=1\n',
      'manual/secrets.yml': 'key: 1\n',
      'secret.md': '# Secret\n',
    });
    folder = await folderOf({
      ...{ 'docs/guide.md': '# Guide\n', 'docs/data.csv': 'a,b\n', 'docs/photo.png': 'x', 'docs/README': 'Read me.\n' },
      ...{ 'docs/.env': 'KEY=1\n', 'docs/credentials.csv': 'a,b\n', 'docs/ignored.md': '# Ignored\n', 'docs/hidden.md': '# Hidden\n' },
      ...{ 'docs/private/a.md': '# Private\n', 'docs/main.ts': '// Code\n', 'docs/node_modules/x/README.md': '# X\n' },
      ...{ '.git/HEAD': '', '.gitignore': 'ignored.md\n', '.kedgeignore': 'hidden.md\n' },
    });
    await symlink(join(outside, 'secret.md'), join(folder, 'docs/link.md'));
    await symlink(join(outside, 'manual'), join(folder, 'docs/linked'));
  });
  afterEach(() => Promise.all([remove(folder), remove(outside)]));

  const list = (source: Exclude<Source, { kind: 'url' }>, ...rules: object[]) =>
    collected(documentsInFiles(source, { workspace: new NodeFileSystem([folder]), rules: rulesOf(...rules) }, signal));
  const keysOf = async (...given: Parameters<typeof list>) => (await list(...given)).map(({ key }) => key).sort();

  it('are the documents that Kedge may read without asking', async () => {
    assert.deepEqual(await keysOf({ kind: 'folder', path: join(folder, 'docs') }, { effect: 'ask', path: 'docs/private/**' }), [
      ...['docs/README', 'docs/data.csv', 'docs/guide.md'],
    ]);
  });

  it('can be source code, if the user wants it', async () => {
    const keys = await keysOf({ kind: 'folder', path: join(folder, 'docs'), code: true });
    assert.ok(keys.includes('docs/main.ts'));
  });

  it('can be selected by a glob, or be outside the workspace', async () => {
    assert.deepEqual(await keysOf({ kind: 'glob', path: folder, glob: 'docs/**/*.csv' }), ['docs/data.csv']);
    assert.deepEqual(await keysOf({ kind: 'folder', path: join(outside, 'manual') }), ['manual/a.md']);
  });

  it('are none if a rule denies all reading', async () => {
    assert.deepEqual(await keysOf({ kind: 'folder', path: folder }, { effect: 'deny', action: 'read' }), []);
  });

  it('that the user names may not contain secrets either', async () => {
    for (const path of ['docs/.env', 'docs/credentials.csv', 'docs/hidden.md'])
      await assert.rejects(list({ kind: 'file', path: join(folder, path) }), /was left out: it may contain secrets/, path);
    assert.deepEqual(await keysOf({ kind: 'file', path: join(folder, 'docs/guide.md') }), ['docs/guide.md']);
    await assert.rejects(list({ kind: 'file', path: join(folder, 'docs/link.md') }, { effect: 'deny', action: 'read' }), /was left out/);
    await assert.rejects(list({ kind: 'folder', path: join(folder, 'none') }), /does not exist/);
  });

  it('outside the workspace are hidden by the ignore files of the folders above them', async () => {
    await writeFile(join(outside, '.kedgeignore'), 'manual/private\n');
    await mkdir(join(outside, 'manual/private'));
    await writeFile(join(outside, 'manual/private/b.md'), '# B\n');
    assert.deepEqual(await keysOf({ kind: 'folder', path: join(outside, 'manual') }), ['manual/a.md']);
  });

  it('are not those of a link in the workspace that leads outside', async () => {
    const path = join(folder, 'docs/linked');
    await assert.rejects(list({ kind: 'folder', path }), { name: 'SourceDenied', message: /linked was left out: it leads outside/ });
    await assert.rejects(list({ kind: 'glob', path, glob: '*.md' }), { name: 'SourceDenied' });
    // The packages of some package managers are links.
    await symlink(join(outside, 'manual'), join(folder, 'docs/node_modules/manual'));
    assert.deepEqual(await keysOf({ kind: 'folder', path: join(folder, 'docs/node_modules/manual') }), ['manual/a.md']);
  });

  it('are kept while the folder is empty, as on a drive that is not connected', async () => {
    await mkdir(join(folder, 'drive'));
    await assert.rejects(list({ kind: 'folder', path: join(folder, 'drive') }), { name: 'SourceError', message: /drive is empty/ });
    await writeFile(join(folder, 'drive/photo.png'), '');
    assert.deepEqual(await keysOf({ kind: 'folder', path: join(folder, 'drive') }), []);
  });

  it('are away, and not gone, if their folder cannot be read', async function () {
    // Windows has no such permissions.
    if (process.platform === 'win32') this.skip();
    const docs = join(folder, 'docs');
    const source: Source = { kind: 'folder', path: docs };
    await chmod(folder, 0o755);
    // The other user must be able to pass through the folder for temporary files.
    const { mode } = await stat(dirname(folder));
    if ((mode & 0o001) === 0) await chmod(dirname(folder), mode | 0o011);
    await mkdir(join(docs, 'closed/deep'), { recursive: true });
    const keys = ['docs/closed/a.md', 'docs/closed/deep/b.md', 'docs/guide.md', 'docs/gone.md', 'docs/gone/c.md', 'docs/private/d.md'];
    const away = (...rules: object[]) => documentsAway(source, keys, { workspace: new NodeFileSystem([folder]), rules: rulesOf(...rules) });
    assert.deepEqual(await away(), []);
    await unreadable(join(docs, 'closed'), async () => {
      assert.deepEqual(await away(), ['docs/closed/a.md', 'docs/closed/deep/b.md']);
      assert.deepEqual(await away({ effect: 'deny', path: 'docs/closed/deep/**' }), ['docs/closed/a.md']);
    });
  });

  it('have the same keys in every workspace if the collection is global', async () => {
    const source: Source = { kind: 'folder', path: join(folder, 'docs/private') };
    const keysIn = async (workspace: string, scope: 'workspace' | 'global') =>
      (await collected(documentsInFiles(source, { workspace: new NodeFileSystem([workspace]), rules: [], scope }, signal))).map(
        ({ key }) => key,
      );
    assert.deepEqual(await keysIn(folder, 'workspace'), ['docs/private/a.md']);
    for (const workspace of [folder, join(folder, 'docs'), outside])
      assert.deepEqual(await keysIn(workspace, 'global'), ['private/a.md'], workspace);
  });

  it('are not read when they have become links', async () => {
    const [document] = (await list({ kind: 'folder', path: join(folder, 'docs') })).filter(({ key }) => key === 'docs/guide.md');
    assert.equal(Buffer.from((await document?.bytes(signal)) as Uint8Array).toString(), '# Guide\n');
    await remove(join(folder, 'docs/guide.md'));
    await symlink(join(outside, 'secret.md'), join(folder, 'docs/guide.md'));
    await assert.rejects(async () => document?.bytes(signal), /is now a link|outside/);
    await remove(join(folder, 'docs/guide.md'));
    await writeFile(join(folder, 'docs/guide.md'), '');
    await symlink(join(folder, 'docs/.env'), join(folder, 'docs/env.md'));
    assert.ok(!(await keysOf({ kind: 'folder', path: join(folder, 'docs') })).includes('docs/env.md'));
  });
});

describe('the pages of a collection', () => {
  let server: Server;
  let site: string;
  let requests: string[];
  const FILES: Record<string, { type: string; bytes: Uint8Array }> = {};
  const busy = new Set<string>();
  const PAGES: Record<string, string> = {
    '/guide/':
      '<h1>Guide</h1><a href="a">A</a> <a href="/other">Other</a> <a href="http://example.com/">E</a> <a href="x.zip">Zip</a> <a href="#top">T</a>',
    '/guide/a': '<h1>A</h1><a href="b">B</a><a href="./">Up</a>',
    '/guide/b': '<h1>B</h1><a href="c">C</a>',
    '/guide/c': '<h1>C</h1>',
    '/other': '<h1>Other</h1>',
    '/llms.txt': '# Site\n\n- [Guide](/guide/)\n- [Other](/other)\n- [Elsewhere](https://example.com/)\n',
  };
  before(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const file = FILES[request.url ?? ''];
      if (file) return void response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
      if (busy.has(request.url ?? '')) return void response.writeHead(503).end();
      const page = PAGES[request.url ?? ''];
      response
        .writeHead(page !== undefined ? 200 : request.url?.endsWith('busy') ? 503 : 404, {
          'content-type': page?.startsWith('<') ? 'text/html' : 'text/plain',
        })
        .end(page ?? 'none');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    requests = [];
  });
  after(() => server.close());

  const list = (path: string, depth: number, pages = 100, ...rules: object[]) =>
    collected(
      documentsOnPages({ kind: 'url', url: site + path, depth, pages }, { fetcher: new PageFetcher(), rules: rulesOf(...rules) }, signal),
    );
  const paths = async (...given: Parameters<typeof list>) => (await list(...given)).map(({ key }) => key.slice(site.length));

  it('are one page, or those below it up to a depth and a number', async () => {
    assert.deepEqual(await paths('/guide/', 0), ['/guide/']);
    assert.deepEqual(await paths('/guide/', 2), ['/guide/', '/guide/a', '/guide/b']);
    requests = [];
    assert.deepEqual(await paths('/guide/', 9, 2), ['/guide/', '/guide/a']);
    assert.deepEqual(requests, ['/guide/', '/robots.txt', '/guide/a']);
  });

  it('are those that the robots.txt of the site allows, and the one that the user names', async () => {
    PAGES['/robots.txt'] = 'User-agent: *\nDisallow: /guide/';
    try {
      requests = [];
      const [first, ...excluded] = await list('/guide/', 2);
      assert.equal(
        Buffer.from((await first?.bytes(signal)) as Uint8Array)
          .toString()
          .slice(0, 7),
        '# Guide',
      );
      assert.deepEqual(requests, ['/guide/', '/robots.txt']);
      assert.deepEqual(
        excluded.map(({ key }) => key.slice(site.length)),
        ['/guide/a'],
      );
      await assert.rejects(async () => excluded[0]?.bytes(signal), /^Error: The robots\.txt of the site does not allow/);
      requests = [];
      assert.deepEqual(await paths('/guide/a', 0), ['/guide/a']);
      assert.deepEqual(requests, ['/guide/a']);
    } finally {
      delete PAGES['/robots.txt'];
    }
  });

  it('are only the named one while robots.txt is not available', async () => {
    busy.add('/robots.txt');
    const keys: string[] = [];
    const listing = async () => {
      const source: Source = { kind: 'url', url: `${site}/guide/`, depth: 2, pages: 9 };
      for await (const { key } of documentsOnPages(source, { fetcher: new PageFetcher(), rules: [] }, signal)) keys.push(key);
    };
    try {
      await assert.rejects(listing, { name: 'SourceError', message: /^Only .*robots\.txt is not available for the moment: .*HTTP 503/ });
    } finally {
      busy.clear();
    }
    assert.deepEqual(keys, [`${site}/guide/`]);
  });

  it('can be documents such as PDF, which are read like files', async () => {
    const bytes = pdf([[{ text: 'On the tides', y: 700 }]]);
    FILES['/manual'] = { type: 'application/pdf', bytes };
    FILES['/manuals/a.pdf'] = { type: 'application/octet-stream', bytes: Buffer.concat([bytes, Buffer.alloc(3_000_000)]) };
    PAGES['/manuals/'] = '<h1>Manuals</h1><a href="a.pdf">A</a> <a href="photo">Photo</a>';
    FILES['/manuals/photo'] = { type: 'image/png', bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]) };
    const [manual] = await list('/manual', 0);
    assert.equal(manual?.name, 'document.pdf');
    const { blocks } = await readContent(manual.name, (await manual.bytes(signal)) as Uint8Array);
    assert.deepEqual(shownBlocks(blocks), ['On the tides']);
    const [, large, photo] = await list('/manuals/', 1);
    // A page has a lower limit.
    assert.equal((await large?.bytes(signal))?.length, bytes.length + 3_000_000);
    await assert.rejects(async () => photo?.bytes(signal), /image\/png, which is not text/);
    FILES['/manual'] = { type: 'application/pdf', bytes: Buffer.concat([bytes, Buffer.alloc(UPDATE_LIMITS.bytes)]) };
    assert.equal((await manual.bytes(signal)).length, UPDATE_LIMITS.bytes + 1, 'more than the limit is not fetched');
  });

  it('are those of a list for language models, on the same site', async () => {
    assert.deepEqual(await paths('/llms.txt', 0), ['/llms.txt', '/guide/', '/other']);
  });

  it('are Markdown', async () => {
    const [page] = await list('/guide/a', 0);
    assert.equal(page?.name, 'page.md');
    assert.match(Buffer.from((await page?.bytes(signal)) as Uint8Array).toString(), /^# A/);
  });

  it('that are missing are named, and a missing first page is a problem', async () => {
    await assert.rejects(list('/none', 0), /could not be fetched: the server answered with HTTP 404/);
  });

  it('that cannot be fetched for the moment are left as they were', async () => {
    PAGES['/away/'] = '<h1>Away</h1><a href="a">A</a><a href="gone">Gone</a><a href="busy">Busy</a>';
    PAGES['/away/a'] = '<h1>A</h1>';
    const keys: string[] = [];
    const listing = async () => {
      const source: Source = { kind: 'url', url: `${site}/away/`, depth: 1, pages: 9 };
      for await (const { key } of documentsOnPages(source, { fetcher: new PageFetcher(), rules: [] }, signal))
        keys.push(key.slice(site.length));
    };
    await assert.rejects(listing, { name: 'SourceError', message: /^1 of the pages .*\/busy: the server answered with HTTP 503/ });
    assert.deepEqual(keys, ['/away/', '/away/a', '/away/gone']);
  });

  it('are not fetched from a host that a rule denies', async () => {
    await assert.rejects(list('/guide/', 0, 1, { effect: 'deny', host: '127.0.0.1' }), /A rule denies fetching/);
    assert.deepEqual(requests, []);
  });
});
