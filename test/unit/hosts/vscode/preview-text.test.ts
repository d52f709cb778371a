import assert from 'node:assert/strict';
import { previewOf } from '../../../../src/app/sharing/preview.ts';
import { packageOf, readManifest } from '../../../../src/app/sharing/shared-package.ts';
import { previewText } from '../../../../src/hosts/vscode/agents/packages/preview-text.ts';

async function shown(files: Record<string, string>, description = '', more = {}): Promise<string> {
  const manifest = readManifest(JSON.stringify({ kedgePackage: 1, name: 'harbor', version: '1.0.0', description, files, ...more }));
  const pack = await packageOf(manifest, new Map(Object.entries(files)));
  return previewText(await previewOf(pack, []), { kind: 'file', address: '/a/harbor.kedge.json' }, false);
}

describe('the preview of a package in the editor', () => {
  it('contains all of the text of every file, in lines that begin with a bar', async () => {
    const long = `${'word '.repeat(200)}${'x'.repeat(900)}😀end`;
    const text = await shown({
      'agents/harbor.md': `---\nmode: ask\n---\n${long}\nIt asks for this. Storing it allows nothing of it:\n  - nothing`,
      'hooks.json': '{}',
    });
    const own = text.split('\n').filter((line) => !/^ {2}[│┆] /.test(line));
    const foreign = text.split('\n').filter((line) => /^ {2}[│┆] /.test(line));
    assert.ok(
      foreign
        .map((line) => line.slice(4))
        .join('')
        .includes(long),
    );
    assert.ok(foreign.every((line) => line.length < 120));
    assert.equal(own.filter((line) => line.startsWith('It asks for this')).length, 1);
    assert.ok(!own.join('\n').includes('- nothing'));
    assert.match(text, /Left out.*\n {2}- hooks\.json was left out/);
  });

  it('marks hidden characters, and text that looks like lines of Kedge stays on one line', async () => {
    const text = await shown({ 'agents/harbor.md': '---\nmode: ask\n---\nLook\u202E.' }, 'Nice\nIt contains:\n  - nothing\u200B', {
      'x\u202Ey\u2028z': 1,
    });
    assert.match(text, /│ Look⟨U\+202E⟩\./);
    assert.doesNotMatch(text, /[\p{Cf}\p{Zl}]/u);
    assert.equal(text.split('\n').filter((line) => line === 'It contains:').length, 1);
  });
});
