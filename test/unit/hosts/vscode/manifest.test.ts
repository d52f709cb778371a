import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../../../src/app/limits.ts';

type Property = { default?: unknown; properties?: Record<string, unknown> };
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = manifest.contributes.configuration.properties;

describe('the settings in package.json', () => {
  for (const [mode, limits] of Object.entries(DEFAULT_LIMITS))
    it(`show the limits of the mode ${mode} as they are`, () => {
      const setting = properties[`kedge.limits.${mode}`];
      assert.deepEqual(setting?.default, limits);
      assert.deepEqual(Object.keys(setting?.properties ?? {}).sort(), Object.keys(limits).sort());
    });
});
