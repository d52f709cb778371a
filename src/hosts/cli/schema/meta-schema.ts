/** The forms that the keywords of JSON Schema must have, as a schema. It covers the keywords of drafts 4 to 2020-12. */

const self = { $ref: '#' };
const schemas = { type: 'array', minItems: 1, items: self };
const named = { type: 'object', additionalProperties: self };
const texts = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const count = { type: 'integer', minimum: 0 };
const number = { type: 'number' };
const limit = { type: ['number', 'boolean'] };
const text = { type: 'string' };
const typeName = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };

const each = (...names: string[]) => Object.fromEntries(names.map((name) => [name, self]));

export const META_SCHEMA = {
  type: ['object', 'boolean'],
  properties: {
    ...{ $schema: text, $id: text, $ref: text, $anchor: text, $dynamicRef: text, $dynamicAnchor: text, $defs: named, definitions: named },
    ...{ title: text, description: text, format: text, enum: { type: 'array', minItems: 1 } },
    type: { anyOf: [typeName, { type: 'array', minItems: 1, items: typeName, uniqueItems: true }] },
    ...{ minimum: number, maximum: number, exclusiveMinimum: limit, exclusiveMaximum: limit },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, minProperties: count, maxProperties: count },
    ...{ minContains: count, maxContains: count, uniqueItems: { type: 'boolean' }, pattern: { type: 'string', format: 'regex' } },
    ...{ required: texts, properties: named, dependentSchemas: named, dependentRequired: { type: 'object', additionalProperties: texts } },
    patternProperties: { ...named, propertyNames: { format: 'regex' } },
    dependencies: { type: 'object', additionalProperties: { anyOf: [self, texts] } },
    ...{ additionalProperties: self, unevaluatedProperties: self, propertyNames: self, contains: self, unevaluatedItems: self },
    ...{ prefixItems: schemas, additionalItems: self, items: { anyOf: [self, { type: 'array', items: self }] } },
    ...{ allOf: schemas, anyOf: schemas, oneOf: schemas, ...each('not', 'if', 'then', 'else') },
  },
};
