import assert from 'node:assert/strict';
import { findChrome, runAxe } from '../../support/panel-gallery.ts';

describe('the accessibility of the panel', () => {
  it('has no serious axe findings in any state and theme, and nothing that only the mouse reaches', async function () {
    this.timeout(1_800_000);
    try {
      findChrome();
    } catch {
      this.skip();
    }
    assert.deepEqual(await runAxe(), []);
  });
});
