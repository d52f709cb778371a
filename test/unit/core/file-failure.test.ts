import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileFailure, writeFailure } from '../../../src/core/file-failure.ts';

const failure = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: as the system says it`), { code, syscall, path: '/home/kedge' });

describe('a file of Kedge’s own that cannot be written', () => {
  for (const [code, syscall, words] of [
    ['EACCES', 'mkdir', '/home/kedge cannot be written: permission denied.'],
    ['EROFS', 'open', '/home/kedge cannot be written: the disk is read-only.'],
    // On a read-only disk, Node's recursive mkdir reports that the folder does not exist.
    ['ENOENT', 'mkdir', '/home/kedge cannot be written: its folder cannot be created.'],
    ['ENOSPC', 'mkdir', '/home/kedge cannot be written: the disk is full.'],
  ] as const)
    it(`is described in words: ${code} of ${syscall}`, () => assert.equal(fileFailure(failure(code, syscall)), words));

  it('is described the same for a real error', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kedge-file-'));
    try {
      writeFileSync(join(folder, 'a'), '');
      const path = join(folder, 'a', 'b');
      assert.throws(
        () => mkdirSync(path, { recursive: true }),
        (error) => fileFailure(error) === `${path} cannot be written: a part of the path is a file.`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is distinguished from other failures', () => {
    assert.equal(writeFailure(failure('ENOENT', 'open')), undefined);
    assert.equal(writeFailure(new Error('Another.')), undefined);
    assert.equal(fileFailure(new Error('Another.')), 'Another.');
    assert.equal(fileFailure('words'), 'words');
  });
});
