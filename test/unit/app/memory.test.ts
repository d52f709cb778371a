import assert from 'node:assert/strict';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn } from '../../support/harness.ts';

describe('a local model when memory is low', () => {
  const gb = 2 ** 30;
  const shrunk = async (memory: { free: number; total: number } | undefined) => {
    await using kedge = await assistantOn({}, [turn(say('Done.'))], { memory: async () => memory });
    await kedge.session.prompt({ text: 'Go', mode: 'agent' });
    const event = kedge.session.events.find(({ type }) => type === 'limits_shrunk');
    return event?.type === 'limits_shrunk' ? event : undefined;
  };

  it('gets half of its usual turns, and the user learns why', async () => {
    const event = await shrunk({ free: 1 * gb, total: 10 * gb });
    assert.match(event?.reason ?? '', /Memory is low \(1\.0 of 10\.0 GB free\)/);
  });

  it('gets a quarter if memory is critically low', async () => {
    const half = (await shrunk({ free: 1 * gb, total: 10 * gb }))?.limits.turns as number;
    const quarter = (await shrunk({ free: 0.5 * gb, total: 10 * gb }))?.limits.turns as number;
    assert.equal(quarter, Math.floor(half / 2));
  });

  it('keeps its limits with enough memory, and if another computer runs the model', async () => {
    assert.equal(await shrunk({ free: 5 * gb, total: 10 * gb }), undefined);
    assert.equal(await shrunk(undefined), undefined);
  });
});
