import assert from 'node:assert/strict';
import { scoresOf } from '../../../src/documents/index/ranking.ts';
import { indexed, temporaryStore } from '../../support/collections.ts';

describe('the ranking of passages', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    setup = await temporaryStore();
    await indexed(setup.store, {
      'codes.md': `# Codes\n\n${'The escape hatch has an escape rope and an escape plan. '.repeat(6)}\n`,
      'terminal.md': '# Terminal\n\nTo print plain text, strip the escape codes and the colors from the string.\n',
      'tide-tables-2/readme.md': '# Readme\n\nThe height of the water for each hour of the day.\n',
      'other/readme.md': '# Readme\n\nThe 2 tables of tide and wind for each hour of the day.\n',
      'agent.md': '# Agent\n\nCall `mockAgent.disableNetConnect()` before the test.\n',
      'crane.md': '# Crane\n\n## Rope\n\nThe winch pulls the rope.\n',
      'vessel.md': `# Vessel\n\n## Anchor\n\n${'The crew paints the anchor before each season. '.repeat(24)}\n\n## Rope\n\nThe winch pulls the rope. It is red, and has a brake and a crank.\n`,
      'net.md': '# Net\n\nDisable the net, then connect the net again, and disable it.\n',
    });
  });
  after(() => setup.remove());
  const first = async (query: string) => (await setup.store.search(query))[0]?.document;

  it('prefers the passage with most of the words to one that repeats a rare word', async () => {
    assert.equal(await first('remove the escape codes and colors of a string'), 'terminal.md');
  });

  it('finds the package in a path by its name', async () => {
    assert.equal(await first('tide-tables-2 for each hour'), 'tide-tables-2/readme.md');
  });

  it('prefers the document that has the other words of the question', async () => {
    const passages = await setup.store.search('winch that pulls the rope of the anchor');
    const ropes = passages.filter(({ text }) => text.includes('winch'));
    assert.deepEqual(
      ropes.map(({ document }) => document),
      ['vessel.md', 'crane.md'],
    );
  });

  it('prefers a text to declarations with the same words', () => {
    const passage = { document: 'a', title: 'a', headings: [], text: 'The width of the lock.', language: 'en', score: 1 } as const;
    const words = [{ terms: ['width'], isPrefix: false, rarity: 1 }];
    const [code = 0, text = 0] = scoresOf(
      [
        { ...passage, document: 'a.d.ts', isCode: true },
        { ...passage, document: 'a.md', isCode: false },
      ],
      words,
    );
    assert.ok(code < text);
  });

  it('finds an identifier inside an expression, and its parts if no text has it', async () => {
    assert.equal(await first('disableNetConnect'), 'agent.md');
    assert.equal(await first('connectNet'), 'net.md');
  });

  it('gives scores from 0 to 1, the best first', async () => {
    const scores = (await setup.store.search('escape codes string hour net')).map(({ score }) => score);
    assert.ok(scores.length > 2);
    assert.ok(scores.every((score) => score > 0 && score <= 1));
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  });
});
