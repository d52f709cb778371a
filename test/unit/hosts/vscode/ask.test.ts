import assert from 'node:assert/strict';
import { BACK, type Step, walk } from '../../../../src/hosts/vscode/models/prompts.ts';

describe('a guided flow', () => {
  /** Runs a flow of three steps. Each step gives its next answer. */
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

  it('continues to the end', async () => {
    assert.equal(await walked({ a: ['b'], b: ['c'], c: [undefined] }), 'a b c');
  });

  it('goes back through the previous steps', async () => {
    assert.equal(await walked({ a: ['c', 'b'], b: ['c'], c: [BACK, BACK, undefined] }), 'a c a b c b');
  });

  it('forgets the steps after one that it returns to', async () => {
    assert.equal(await walked({ a: ['b', undefined], b: ['c', BACK], c: ['b'] }), 'a b c b a');
  });

  it('ends when the user goes back from the first step', async () => {
    assert.equal(await walked({ a: [BACK] }), 'a');
  });
});
