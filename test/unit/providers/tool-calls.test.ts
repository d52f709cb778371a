import assert from 'node:assert/strict';
import { echoInput, parseArguments, parseInput, wireId } from '../../../src/providers/tool-calls.ts';

describe('tool calls', () => {
  it('parses arguments', () => {
    assert.deepEqual(parseInput(''), { input: {} });
    assert.deepEqual(parseInput(' \n'), { input: {} });
    assert.deepEqual(parseInput('{"a":1}'), { input: { a: 1 } });
    assert.deepEqual(parseInput('{"a":'), { malformed: '{"a":' });
    assert.deepEqual(parseArguments('null'), { input: {} });
    assert.deepEqual(parseArguments('[null]'), { input: [null] });
  });

  it('always sends arguments back as an object', () => {
    const call = { type: 'tool_call' as const, id: '1', name: 'f' };
    assert.deepEqual(echoInput({ ...call, input: { a: 1 } }), { a: 1 });
    assert.deepEqual(echoInput(call), {});
    assert.deepEqual(echoInput({ ...call, input: 'x' }), { malformed_arguments: '"x"' });
    assert.deepEqual(echoInput({ ...call, malformed: '{' }), { malformed_arguments: '{' });
    assert.deepEqual(echoInput({ ...call, malformed: '{"a":1}', problem: 'Not executed.' }), { a: 1 });
    assert.deepEqual(echoInput({ ...call, malformed: 'a: 1', problem: 'Not executed.' }), { malformed_arguments: 'a: 1' });
  });

  it('keeps ids that every API accepts, and converts others to distinct ids', () => {
    assert.equal(wireId('call_1-A'), 'call_1-A');
    const long = ['x'.repeat(70), `${'x'.repeat(70)}y`, 'a:b', 'a.b', ''].map(wireId);
    assert.equal(new Set(long).size, long.length);
    for (const id of long) assert.match(id, /^[\w-]{1,64}$/);
  });
});
