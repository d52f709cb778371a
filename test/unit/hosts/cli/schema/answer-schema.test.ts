import assert from 'node:assert/strict';
import { UsageError } from '../../../../../src/hosts/cli/options/arguments.ts';
import { answerFormat, jsonOf } from '../../../../../src/hosts/cli/schema/answer-schema.ts';

const format = (schema: unknown) => answerFormat(JSON.stringify(schema), 's.json');
const PORT = { type: 'object', properties: { port: { type: 'integer', minimum: 1 } }, required: ['port'], additionalProperties: false };

describe('the schema of answers', () => {
  const UNUSABLE: Record<string, [schema: unknown, reason: RegExp]> = {
    'is not an object': [[1], /it is not a JSON object/],
    'names an unknown type': [{ properties: { a: { type: 'int' } } }, /#\/properties\/a\/type/],
    'has a keyword of the wrong form': [{ required: 'port' }, /#\/required/],
    'has a pattern that is no regular expression': [{ items: { pattern: '(' } }, /#\/items\/pattern/],
    'refers to nothing': [{ properties: { a: { $ref: '#/$defs/missing' } } }, /"#\/\$defs\/missing" leads to no schema in this file/],
    'refers to another file': [{ $ref: 'https://example.com/s.json' }, /leads to no schema in this file/],
    'refers only to itself': [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, /leads back to itself/],
    'defines an id twice': [{ $defs: { a: { $id: 'https://a/b' }, b: { $id: 'https://a/b' } } }, /Duplicate schema URI/],
    'is too long': [{ description: 'x'.repeat(200_000) }, /longer than 200,000 characters/],
  };
  for (const [title, [schema, reason]] of Object.entries(UNUSABLE))
    it(`is refused if it ${title}`, () => {
      assert.throws(
        () => format(schema),
        (error) => error instanceof UsageError && reason.test(error.message),
      );
    });

  it('is refused if it is not JSON', () => {
    assert.throws(() => answerFormat('{', 's.json'), /The schema s\.json cannot be used: it is not a JSON object\./);
  });

  it('accepts the answers that match it', () => {
    const { problemWith } = format(PORT);
    for (const answer of ['{"port": 8080}', ' \n{"port":1}\n', '```json\n{"port":1}\n```', '```\n{"port":1}\n```'])
      assert.equal(problemWith(answer), undefined, answer);
    assert.equal(jsonOf('```json\n{"port":1}\n```\n'), '{"port":1}');
  });

  it('says where an answer is not valid', () => {
    const { problemWith } = format(PORT);
    assert.match(problemWith('The port is 1.') ?? '', /^It is not JSON: /);
    assert.match(problemWith('{"port": 0}') ?? '', /^It does not match the JSON Schema: #\/port: /);
    assert.match(problemWith('{"port": 1, "more": 2}') ?? '', /more/);
    assert.match(problemWith('{}') ?? '', /the value: .*port/);
  });

  it('describes only some of many errors', () => {
    const problem = format({ items: { type: 'integer' } }).problemWith(JSON.stringify(Array(10_000).fill('x'.repeat(1_000))));
    assert.match(problem ?? '', /There are 9992 more errors\.$/);
    assert.ok((problem ?? '').length < 5_000);
  });

  it('survives an answer that is nested deeply', () => {
    const { problemWith } = format({ $ref: '#/$defs/list', $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } });
    assert.equal(problemWith('[[[]]]'), undefined);
    assert.equal(problemWith('['.repeat(50_000) + ']'.repeat(50_000)), 'It is nested too deeply.');
  });

  it('follows the draft that it names', () => {
    const items = [{ type: 'string' }, { type: 'number' }];
    const answer = '["a", "b"]';
    assert.ok(format({ $schema: 'http://json-schema.org/draft-07/schema#', items }).problemWith(answer));
    assert.ok(format({ prefixItems: items }).problemWith(answer));
  });

  it('is not changed', () => {
    const schema = { $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' };
    assert.deepEqual(answerFormat(JSON.stringify(schema), 's.json').schema, schema);
  });
});
