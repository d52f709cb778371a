// Runs the program itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('kedge docs', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf({
      'docs/guide.md': '# Guide\n\n## Retries\n\nSet retryDelay to the milliseconds between two attempts.\n',
      'docs/tides.csv': 'port,level\nBremen,4\n',
      'docs/broken.pdf': 'no pdf',
      'docs/.env': 'KEY=1\n',
      'node_modules/tide/README.md': '# tide\n\nReads sluices.\n',
    });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  async function docs(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^KEDGE_/.test(name)));
    const child = spawn(process.execPath, [PROGRAM, 'docs', ...args], { cwd: folder, env: { ...clean, KEDGE_HOME: home } });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text.out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (text.err += more));
    child.stdin.on('error', () => undefined).end();
    const [code] = await once(child, 'close');
    return { code, ...text };
  }
  const json = ({ out }: { out: string }) =>
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('indexes a folder, shows what is in it, finds passages, and removes it', async () => {
    const added = await docs('add', 'handbook', 'docs');
    assert.equal(added.code, 0, added.err);
    assert.match(added.err, /^docs\/broken\.pdf: .+\nhandbook: 2 indexed, 1 could not be read\.\n/);
    assert.match((await docs('list')).out, /^handbook +3 documents, 1 could not be read\n$/);
    const shown = await docs('show', 'handbook');
    assert.deepEqual(
      shown.out.split('\n').map((line) => line.split('  ')[0]),
      ['docs/broken.pdf', 'docs/guide.md', 'docs/tides.csv', ''],
    );
    const found = await docs('search', 'handbook', 'how long between two attempts');
    assert.equal(found.code, 0);
    assert.match(found.out, /^handbook: docs\/guide\.md {2}line 1 {2}Guide/);
    const [passage] = json(await docs('search', '--json', 'retry_delay'));
    assert.deepEqual([passage.collection, passage.document, passage.place.line], ['handbook', 'docs/guide.md', 1]);
    assert.equal((await docs('search', 'zeppelin')).code, 1);
    assert.equal((await docs('remove', 'handbook')).code, 0);
    assert.equal((await docs('list')).out, '');
  });

  it('updates only what has changed, and reports it as JSON', async () => {
    await docs('add', 'handbook', 'docs/*.md', '--package', 'tide', '--global');
    await writeFile(join(folder, 'docs/new.md'), '# New\n');
    const events = json(await docs('update', '--json'));
    assert.deepEqual(events.at(-1), {
      ...{ type: 'updated', collection: 'handbook', indexed: 1, unchanged: 2, failed: 0, removed: 0, read: 1, problems: [] },
    });
    const [collection] = json(await docs('list', '--json'));
    assert.deepEqual([collection.name, collection.scope, collection.documents], ['handbook', 'global', 3]);
    assert.match((await docs('search', 'sluices')).out, /handbook: tide\/README\.md/);
  });

  it('says how to correct a command line', async () => {
    for (const [args, message] of [
      [['add', 'handbook'], /Name the collection and what belongs to it/],
      [['add', 'handbook', 'none'], /none does not exist/],
      [['add', 'Hand book', 'docs'], /cannot be the name of a collection/],
      [['add', 'handbook', 'https://user:pass@example.com'], /user name or a password/],
      [['add', 'handbook', '--package', '../x'], /not the name of an npm package/],
      [['add', 'handbook', 'https://example.com', '--depth', '99'], /--depth must be a whole number/],
      [['show', 'handbook'], /There is no collection "handbook"/],
      [['update'], /There are no collections yet/],
      [['dig'], /has no command dig/],
    ] as const) {
      const { code, err } = await docs(...args);
      assert.equal(code, 2, `${args.join(' ')}: ${err}`);
      assert.match(err, message);
    }
    assert.match((await docs('--help')).out, /kedge docs add NAME SOURCE/);
  });
});
