import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exclusiveIn } from '../../../../src/hosts/node/exclusive.ts';

const MODULE = join(import.meta.dirname, '../../../../src/hosts/node/exclusive.ts');

describe('work that one process may do at a time', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-exclusive-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [how, end] of [
    ['has done it', (child: ReturnType<typeof spawn>) => child.stdin?.end()],
    ['was killed', (child: ReturnType<typeof spawn>) => child.kill('SIGKILL')],
  ] as const)
    it(`waits until another process ${how}`, async () => {
      const code = `import { exclusiveIn } from ${JSON.stringify(MODULE)};
        await exclusiveIn(process.argv[1])('key', async () => {
          process.stdout.write('working');
          for await (const _ of process.stdin);
        });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      const order: string[] = [];
      const exclusively = exclusiveIn(folder);
      await exclusively('other', async () => void order.push('other key'));
      const own = exclusively('key', async () => void order.push('own work'));
      order.push('the other ends');
      end(child);
      await Promise.all([own, exited]);
      assert.deepEqual(order, ['other key', 'the other ends', 'own work']);
    });

  it('is done in order in one process, and a failure does not stop the next', async () => {
    const exclusively = exclusiveIn(folder);
    const order: number[] = [];
    const first = exclusively('key', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(1);
      throw new Error('It failed.');
    });
    const second = exclusively('key', async () => void order.push(2));
    await assert.rejects(first, /It failed/);
    await second;
    assert.deepEqual(order, [1, 2]);
  });
});
