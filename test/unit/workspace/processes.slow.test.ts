/** Several Kedge processes edit one workspace: the writes of each can be undone, and nothing of the others is lost. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writesOfRun } from '../../../src/app/session/checkpoints.ts';
import type { AgentEvent, EventBody } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { gateOn } from '../../support/workspace.ts';

const CHILD = join(import.meta.dirname, '../../support/gate-child.ts');
const PROCESSES = 6;
const TIMES = 10;

describe('six processes that edit one file', () => {
  it('lose nothing, and each can be undone', async function () {
    this.timeout(120_000);
    const initial = Array.from({ length: PROCESSES * 4 }, (_, index) => `line ${index}\n`).join('');
    await using disk = await gateOn({ 'shared.txt': initial });
    const storage = join(disk.root, '..');
    const start = (_: unknown, index: number) =>
      promisify(execFile)(process.execPath, [CHILD, disk.root, storage, String(index * 4), String(TIMES)]);
    const ended = await Promise.all(Array.from({ length: PROCESSES }, start));

    const lines = (await readFile(join(disk.root, 'shared.txt'), 'utf8')).split('\n');
    const edits = lines.map((line) => line.replace(/^line \d+/, '').length);
    assert.deepEqual(
      edits,
      lines.map((line, index) => (line && index % 4 === 0 ? TIMES : 0)),
    );
    for (const [index, { stdout }] of ended.entries()) {
      const { recorded, said } = JSON.parse(stdout) as { recorded: EventBody[]; said: string[] };
      assert.deepEqual(
        said.filter((text) => !/Nothing was changed|was written/.test(text)),
        [],
        'nobody is told that a file was lost that was not touched',
      );
      const state = foldSession(recorded.map((body, seq) => ({ ...body, runId: 'r', seq: seq + 1, at: seq }) as AgentEvent));
      assert.ok(state.staged.every(({ landed }) => landed));
      const results = await disk.gate.undo(writesOfRun(state, 'r'), () => undefined);
      assert.ok(
        results.every(({ outcome }) => outcome === 'merged' || outcome === 'restored'),
        `${index}: ${JSON.stringify(results)}`,
      );
    }
    assert.equal(await disk.read('shared.txt'), initial);
  });
});
