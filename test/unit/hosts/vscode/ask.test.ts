import assert from 'node:assert/strict';
import { BACK, type Step, walk } from '../../../../src/hosts/vscode/models/prompts.ts';

describe('a guided flow', () => {
  /** Walks three steps, of which each answers what is written for it, in turn. */
  async function walked(answers: Record<string, (string | typeof BACK | undefined)[]>): Promise<string> {
    const way: string[] = [];
    const steps: Record<string, Step> = {};
    for (const name of Object.keys(answers)) {
      steps[name] = async () => {
        way.push(name);
        const next = answers[name]?.shift();
        return typeof next === 'string' ? steps[next] : next;
      };
    }
    await walk(steps.a as Step);
    return way.join(' ');
  }

  it('goes on to the end', async () => {
    assert.equal(await walked({ a: ['b'], b: ['c'], c: [undefined] }), 'a b c');
  });

  it('goes back by the way it came', async () => {
    assert.equal(await walked({ a: ['c', 'b'], b: ['c'], c: [BACK, BACK, undefined] }), 'a c a b c b');
  });

  it('forgets the way behind a step that it returns to', async () => {
    assert.equal(await walked({ a: ['b', undefined], b: ['c', BACK], c: ['b'] }), 'a b c b a');
  });

  it('ends before its first step', async () => {
    assert.equal(await walked({ a: [BACK] }), 'a');
  });
});
