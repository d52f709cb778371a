// Files of a client on real folders. The documents of the client are a map, which a client could also be.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientFileSystem } from '../../../../src/hosts/acp/files/client-files.ts';
import { ClientWriter } from '../../../../src/hosts/acp/files/writer.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../../../src/hosts/node/files/writer.ts';
import { type FileChange, NothingWritten } from '../../../../src/workspace/types.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('files of a client', () => {
  let folder: string;
  let storage: string;
  let disk: NodeFileSystem;
  let documents: Map<string, string>;
  let fs: ClientFileSystem;
  beforeEach(async () => {
    folder = await folderOf({
      'a.txt': 'one\ntwo\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'bom.txt': '\uFEFFone\n',
      'binary.bin': Buffer.from([0, 1, 2]),
    });
    storage = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    disk = new NodeFileSystem([folder]);
    documents = new Map();
    fs = new ClientFileSystem(disk, { read: async (path) => documents.get(path) });
  });
  afterEach(() => Promise.all([remove(folder), rm(storage, { recursive: true, force: true })]));

  const at = (path: string) => ({ folder: 0, path });
  const open = (path: string, text: string) => documents.set(join(folder, path), text);
  const textOf = async (path: string) => {
    const { bytes, unsaved } = await fs.read(at(path));
    return [Buffer.from(bytes).toString(), unsaved];
  };
  const edit = (path: string, before: string, after: string): FileChange => ({
    path,
    at: at(path),
    before: Buffer.from(before),
    after: Buffer.from(after),
  });
  function writer(write?: (path: string, text: string) => Promise<void>): ClientWriter {
    return new ClientWriter(fs, disk, new NodeWriter(disk, { journal: storage }), write && { write });
  }

  it('are as on disk if the text is the same, whatever its line endings, its mark and its last line break', async () => {
    for (const text of ['one\ntwo\n', 'one\r\ntwo\r\n', 'one\ntwo']) {
      open('a.txt', text);
      open('crlf.txt', text);
      assert.deepEqual(await textOf('a.txt'), ['one\ntwo\n', false]);
      assert.deepEqual(await textOf('crlf.txt'), ['one\r\ntwo\r\n', false]);
    }
    open('bom.txt', 'one\n');
    assert.deepEqual(await textOf('bom.txt'), ['\uFEFFone\n', false]);
    open('binary.bin', 'text');
    assert.deepEqual((await fs.read(at('binary.bin'))).unsaved, false);
  });

  it('have the unsaved text of a document in the form of the file', async () => {
    open('a.txt', 'one\nthree\n');
    open('crlf.txt', 'one\nthree\n');
    open('bom.txt', 'two\n');
    assert.deepEqual(await textOf('a.txt'), ['one\nthree\n', true]);
    assert.deepEqual(await textOf('crlf.txt'), ['one\r\nthree\r\n', true]);
    assert.deepEqual(await textOf('bom.txt'), ['\uFEFFtwo\n', true]);
    assert.equal(await fs.readRange(at('a.txt'), 0, 1), undefined);
  });

  it('are edited by the client, and created and deleted on disk', async () => {
    const written: string[] = [];
    const client = writer(async (path, text) => {
      written.push(path);
      documents.set(path, text);
    });
    open('a.txt', 'one\ntwo\n');
    await client.commit([
      edit('a.txt', 'one\ntwo\n', 'one\n2\n'),
      { path: 'new.txt', at: at('new.txt'), before: undefined, after: Buffer.from('new') },
      { path: 'bom.txt', at: at('bom.txt'), before: Buffer.from('\uFEFFone\n'), after: undefined },
    ]);
    assert.deepEqual(written, [join(folder, 'a.txt')]);
    assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'new');
    await assert.rejects(readFile(join(folder, 'bom.txt')));
  });

  it('are not written if the document was changed, or if only the client could write it', async () => {
    open('a.txt', 'typed\n');
    const refused = (change: FileChange, by: ClientWriter) =>
      assert.rejects(by.commit([change]), (error) => error instanceof NothingWritten);
    await refused(
      edit('a.txt', 'one\ntwo\n', 'x\n'),
      writer(async () => assert.fail('written')),
    );
    await refused(edit('a.txt', 'typed\n', 'x\n'), writer());
    assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
  });
});
