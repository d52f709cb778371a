import assert from 'node:assert/strict';
import { answerFormat } from '../../../../../src/hosts/cli/schema/answer-schema.ts';

describe('an answer that is checked by a pattern', () => {
  it('is rejected if the check would take years', function () {
    this.timeout(120_000);
    const { problemWith } = answerFormat(JSON.stringify({ type: 'string', pattern: '^(a+)+$' }), 's.json');
    assert.match(problemWith(JSON.stringify(`${'a'.repeat(60)}!`)) ?? '', /^It could not be validated .* takes too long/);
    assert.equal(problemWith('"aaa"'), undefined);
  });
});
