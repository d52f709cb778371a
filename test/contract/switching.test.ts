/** Changing the model during a session works without errors: all pairs of APIs, with the real SDKs, calls, images and reasoning. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRef } from '../../src/core/model/messages.ts';
import { createAdapter as createOffline } from '../../src/offline/index.ts';
import { assistantOn } from '../support/harness.ts';
import { answer, check, count, DOT, FILE, type Served, type Side, serve } from '../support/switching.ts';
import { WIRES } from '../support/wires.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');

/** Uses one model, then another, then the first again. `vision` says whether the second model is known to accept images. */
async function converse(first: string, second: string, vision?: boolean): Promise<Record<Side, Served>> {
  const [one, two] = [await serve(first, 'one', FIXTURES), await serve(second, 'two', FIXTURES)];
  const connect = ({ model }: ModelRef) => (model === two.model.model ? two : one).adapter();
  const facts = ({ model }: ModelRef) => (vision !== undefined && model === two.model.model ? { vision } : {});
  await using kedge = await assistantOn({ [FILE]: Buffer.from(DOT, 'base64') }, [], { connect, facts });
  try {
    await answer(kedge, 'What is this?', one.model);
    await rm(join(kedge.root, FILE));
    await answer(kedge, 'Are you sure?', two.model);
    await answer(kedge, 'And you?', one.model);
    return { one, two };
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
}

for (const first of Object.keys(WIRES)) {
  describe(`a session that began on ${first}`, () => {
    for (const second of Object.keys(WIRES)) {
      it(`continues on ${first === second ? 'another model of the same wire' : second}, and returns`, async () => {
        const { one, two } = await converse(first, second);
        check(one, 4);
        check(two, 2);
        // The image was sent with three prompts and read by one call.
        assert.deepEqual([count(two, DOT), count(one, DOT)], [3, 4]);
        assert.deepEqual([count(one, 'So it is.'), count(two, 'So it is.')], [2, 1]);
        assert.deepEqual([count(one, 'There is no file'), count(two, 'There is no file')], [2, 1]);
      });
    }

    it('continues offline, and returns', async () => {
      const server = await serve(first, 'one', FIXTURES);
      const offline = { provider: 'offline', model: 'offline' };
      const connect = async ({ provider }: ModelRef) => (provider === 'offline' ? createOffline({}) : server.adapter());
      await using kedge = await assistantOn({ [FILE]: 'x\n', 'README.md': '# Title\n' }, [], { connect });
      try {
        await answer(kedge, 'What is this?', server.model);
        await answer(kedge, 'What is in README.md?', offline);
        await answer(kedge, 'And you?', server.model);
        check(server, 4);
        assert.ok(count(server, '# Title') > 0);
      } finally {
        await server.close();
      }
    });
  });
}

describe('a model without support for images', () => {
  for (const name of Object.keys(WIRES)) {
    it(`learns on ${name} that images were left out`, async () => {
      const first = name === 'gemini' ? 'anthropic-messages' : 'gemini';
      const { one, two } = await converse(first, name, false);
      check(two, 2);
      check(one, 4);
      assert.deepEqual([count(two, DOT), count(two, 'was removed here, because this model does not support images')], [0, 3]);
      assert.equal(count(one, DOT), 4);
    });
  }
});
