import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../../../src/sessions/directory.ts';

describe('a directory of Kedge’s own', () => {
  it('is created with its parents, and may already exist', () => {
    const root = mkdtempSync(join(tmpdir(), 'kedge-directory-'));
    try {
      makeDirectory(join(root, 'a/b/c'));
      makeDirectory(join(root, 'a/b/c'));
      assert.ok(statSync(join(root, 'a/b/c')).isDirectory());
      writeFileSync(join(root, 'file'), '');
      assert.throws(() => makeDirectory(join(root, 'file')), { code: 'EEXIST' });
      assert.throws(() => makeDirectory(join(root, 'file/inner')), { code: 'ENOTDIR' });
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('fails, and does not wait forever, if a file system reports it as missing', function () {
    if (!existsSync('/proc/self')) this.skip();
    assert.throws(() => makeDirectory('/proc/kedge/workspaces/sessions'), { code: 'ENOENT', syscall: 'mkdir' });
  });
});
