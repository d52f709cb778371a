import assert from 'node:assert/strict';
import { closed } from '../../../src/providers/answer-schema.ts';

const object = (more: object) => ({ type: 'object', ...more });

describe('a schema for a service', () => {
  it('closes each object with named properties', () => {
    const inner = object({ properties: { properties: { type: 'string' } } });
    const schema = { $schema: 'x', ...object({ properties: { a: inner, list: { items: inner } }, $defs: { d: inner } }) };
    const innerClosed = { ...inner, additionalProperties: false };
    assert.deepEqual(closed(schema), {
      ...object({ properties: { a: innerClosed, list: { items: innerClosed } }, $defs: { d: innerClosed } }),
      additionalProperties: false,
    });
  });

  it('keeps an object open if it would allow nothing or more', () => {
    const named = object({ properties: { a: {} } });
    for (const schema of [
      object({}),
      object({ additionalProperties: { type: 'string' } }),
      object({ properties: { a: {} }, additionalProperties: true }),
      { not: named },
      { allOf: [named, named] },
      { ...named, anyOf: [named] },
      { const: named, enum: [named], default: named },
    ])
      assert.deepEqual(closed(schema), schema);
  });
});
