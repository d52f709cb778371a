import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assistantOn, type Harness } from '../../../support/harness.ts';

const git = ({ root }: Harness, ...args: string[]) =>
  promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root });

async function repository(): Promise<Harness> {
  const kedge = await assistantOn({ 'a.ts': 'one\n', '.env': 'KEY=1\n', 'hidden.ts': 'x\n', '.kedgeignore': 'hidden.ts\n' });
  await git(kedge, 'init', '-q');
  await git(kedge, 'add', '-A');
  await git(kedge, 'commit', '-qm', 'first');
  await kedge.write('a.ts', 'two\n');
  await kedge.write('.env', 'KEY=treasure\n');
  await kedge.write('hidden.ts', 'buried\n');
  await kedge.write('new.ts', 'three\n');
  await kedge.write('.env.local', 'KEY=4\n');
  return kedge;
}

async function changes({ assistant, session }: Harness) {
  const mentions = await assistant.mentions(session);
  const { parts, refused } = await mentions.read([{ kind: 'changes' }], () => true, new AbortController().signal);
  return { text: parts.map((part) => (part.type === 'note' ? part.text : '')).join(''), reason: refused[0]?.reason };
}

describe('the changes of the working tree', () => {
  it('are a diff without the files that may not be read', async () => {
    await using kedge = await repository();
    const { text } = await changes(kedge);
    assert.match(text, /^diff --git a\/a\.ts b\/a\.ts\n[\s\S]*-one\n\+two\n\nUntracked files:\nnew\.ts$/);
    assert.doesNotMatch(text, /treasure|buried|env|hidden/);
  });

  it('of a repository without commits are all files of the index', async () => {
    await using kedge = await assistantOn({ 'a.ts': 'one\n' });
    await git(kedge, 'init', '-q');
    await git(kedge, 'add', '-A');
    assert.match((await changes(kedge)).text, /\+one/);
  });

  it('are refused outside a repository', async () => {
    await using kedge = await assistantOn({ 'a.ts': 'one\n' });
    assert.match((await changes(kedge)).reason ?? '', /not in a Git repository/);
  });

  it('that are staged are a diff of their own, for a commit message', async () => {
    await using kedge = await repository();
    const staged = () => kedge.assistant.stagedChanges(kedge.session, { folder: 0, path: '' }, new AbortController().signal);
    await assert.rejects(staged, /No staged change can be sent to the model/);
    await git(kedge, 'add', '.env', 'hidden.ts');
    await assert.rejects(staged, /No staged change can be sent to the model/);
    await git(kedge, 'add', 'a.ts');
    await kedge.write('a.ts', 'four\n');
    const text = await staged();
    assert.match(text, /^diff --git a\/a\.ts b\/a\.ts\n[\s\S]*-one\n\+two$/);
    assert.doesNotMatch(text, /treasure|buried|four|env|hidden/);
    kedge.session.note({ type: 'session_permission_set', about: { action: 'read' }, effect: 'deny' });
    await assert.rejects(staged, /No staged change can be sent to the model/);
  });

  for (const [key, attribute] of [
    ['core.fsmonitor'],
    ['diff.external'],
    ['diff.tide.textconv', 'diff=tide'],
    ['diff.tide.command', 'diff=tide'],
    ['filter.tide.clean', 'filter=tide'],
    ['filter.tide.process', 'filter=tide'],
  ] as const) {
    it(`are refused if the configuration names a program: ${key}`, async () => {
      await using kedge = await repository();
      const trace = join(kedge.parent, 'trace');
      await git(kedge, 'config', key, `touch ${trace}; cat`);
      if (attribute) await kedge.write('.gitattributes', `* ${attribute}\n`);
      const { text, reason } = await changes(kedge);
      assert.equal(text, '');
      assert.match(reason ?? '', /names a program/);
      assert.equal(existsSync(trace), false);
    });
  }

  it('run no hook', async () => {
    await using kedge = await repository();
    const trace = join(kedge.parent, 'trace');
    await kedge.write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${trace}\n`);
    await promisify(execFile)('chmod', ['+x', join(kedge.root, '.git/hooks/post-index-change')]);
    assert.match((await changes(kedge)).text, /\+two/);
    assert.equal(existsSync(trace), false);
  });
});
