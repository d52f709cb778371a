/** The memory of a session must not grow with the length of its log by more than a tenth of it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn } from '../../support/harness.ts';
import { eventsOf, heapNow } from '../../support/long-log.ts';

const SHARE = 0.1;

describe('the memory of a long session', () => {
  for (const runs of [200, 2])
    it(`of ${runs} runs is at most a tenth of its log, before and after a run`, async () => {
      const log = eventsOf(runs, 4_000, 20_000_000)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join('');
      const most = (log.length / 1e6) * SHARE;
      // The conversation is compacted before the run asks the model.
      await using kedge = await assistantOn({}, [turn(say('Hello.')), turn(say('Summary.')), turn(say('Done.'))], {
        facts: () => ({ contextWindow: 100_000 }),
      });
      mkdirSync(join(kedge.storage, 'sessions'), { recursive: true });
      writeFileSync(join(kedge.storage, 'sessions', 'long.jsonl'), log);
      // The code of a run stays in memory, too.
      await kedge.session.prompt({ text: 'hello', mode: 'ask' });
      const before = await heapNow();
      const session = await kedge.assistant.session('long');
      assert.ok(session);
      const opened = (await heapNow()) - before;
      assert.ok(opened < most, `${opened} MB after opening ${log.length / 1e6} MB`);
      await session.prompt({ text: 'go on', mode: 'ask' });
      assert.equal(session.state.lastRun?.outcome, 'answered');
      const after = (await heapNow()) - before;
      assert.ok(after < most + 1, `${after} MB after a run in ${log.length / 1e6} MB`);
    });
});
