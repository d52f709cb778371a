import assert from 'node:assert/strict';
import { findChrome, runAxe } from '../../support/panel-gallery.ts';

describe('the panel for everybody', () => {
  it('has nothing that axe calls serious, in any state and theme', async function () {
    this.timeout(1_800_000);
    try {
      findChrome();
    } catch {
      this.skip();
    }
    assert.deepEqual(await runAxe(), []);
  });
});
