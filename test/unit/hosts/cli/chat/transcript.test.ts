import assert from 'node:assert/strict';
import { Screen } from '../../../../../src/hosts/cli/chat/output/screen.ts';
import { unstyled } from '../../../../../src/hosts/cli/chat/output/styled.ts';
import { Transcript } from '../../../../../src/hosts/cli/chat/output/transcript.ts';
import { diffText } from '../../../../../src/hosts/cli/output/diff-text.ts';
import { paintFor } from '../../../../../src/hosts/cli/output/terminal.ts';

/** Returns the lines that a text fills on a terminal. */
function printed(text: string, columns: number): string[] {
  let written = '';
  const output = { write: (part: string) => (written += part), columns, rows: 24 };
  const screen = new Screen(output, () => ({ lines: [], row: 0, column: 0 }), true);
  new Transcript(screen, paintFor({ write: () => true, isTTY: true }, {}), []).block(text);
  screen.close();
  return unstyled(written).split('\n');
}

describe('a long line in the transcript', () => {
  it('has no part in the first column, where the lines of Kedge begin', () => {
    for (const columns of [12, 40, 80, 200])
      for (const command of [
        'x'.repeat(500),
        `  ${'x'.repeat(columns - 6)}  MCP server: trusted`,
        `${'word '.repeat(100)}MCP server: trusted`,
      ]) {
        const [, ...rest] = printed(`  ${command}`, columns).filter(Boolean);
        assert.deepEqual(
          rest.filter((line) => !line.startsWith('  ')),
          [],
        );
      }
  });

  it('shows its sign in each of its lines if it is part of a diff', () => {
    const paint = paintFor({ write: () => true, isTTY: true }, {});
    const diff = `@@ -1 +1 @@\n-${'old '.repeat(40)}\n+${'new '.repeat(40)}`;
    const lines = printed(diffText([{ path: 'a.ts', kind: 'edit', added: 1, removed: 1, diff }], paint), 40);
    assert.deepEqual(
      lines.filter((line) => /old|new/.test(line) && !/^(?:-.*old|\+.*new)/.test(line)),
      [],
    );
  });
});
