import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nodeShellParsers } from '../../../../src/hosts/node/shell/shell-parser.ts';

describe('the grammar of shell commands', () => {
  it('still works after many commands were parsed and discarded', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const parser = await nodeShellParsers('bash');
    const texts = [
      'git commit -m "a b" && ls | wc -l',
      'ls',
      `${'( '.repeat(200)}a`,
      'for i in a b c; do echo $i; done',
      'echo $(ls $(cat x)) `a`',
      'if '.repeat(400),
      '$(('.repeat(500),
    ];
    for (let round = 0; round < 20; round++) {
      for (let words = 0; words < 200; words++) parser?.parse(`${texts[round % texts.length]} ${'w '.repeat(words)}`);
      collectGarbage();
      // Finalizers run in a separate task.
      await delay(5);
      for (let more = 0; more < 20; more++) {
        const read = parser?.parse(`ls -la x${'; ls'.repeat(more)}`);
        assert.ok(read && !read.hasError, `not read in round ${round}`);
      }
    }
  });
});
