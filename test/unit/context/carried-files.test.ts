import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { carriedState } from '../../../src/core/compaction/carried-state.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn } from '../../support/harness.ts';

const read = (path: string) => call('read_file', { path });
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

describe('the files that a compaction carries over', () => {
  it('have the digest that was read, or are said to have changed, from the log alone', async () => {
    const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'd.txt': 'four\n', 'e.txt': 'five\n' };
    await using kedge = await assistantOn(files, [
      turn(...Object.keys(files).map((path) => read(`./${path}`)), read('gone.txt')),
      turn(call('replace_in_file', { path: 'b.txt', old_text: 'two', new_text: 'dos' }), call('delete_file', { path: 'c.txt' })),
      turn(call('replace_in_file', { path: 'd.txt', old_text: 'four', new_text: 'cuatro' }), read('d.txt')),
      turn(say('Done.')),
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    const { events, state } = kedge.session;
    const listed = () => {
      const text = carriedState(foldSession(events), state.messages.length, 0);
      return (/Files that were read[^\n]*:\n((?:- .*\n?)*)/.exec(text)?.[1] ?? '').trim().split('\n');
    };
    const lines = [
      `- a.txt #3.1: ${digest('one\n')}`,
      `- b.txt #3.2: changed since then, now ${digest('dos\n')}`,
      '- c.txt #3.3: deleted since then',
      `- e.txt #3.5: ${digest('five\n')}`,
      `- d.txt #7.2: ${digest('cuatro\n')}`,
    ];
    assert.deepEqual(listed(), lines);
    await kedge.write('a.txt', 'changed by somebody else\n');
    assert.deepEqual(listed(), lines, 'only the log counts');
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    assert.deepEqual(listed().slice(1), [
      `- b.txt #3.2: ${digest('two\n')}`,
      `- c.txt #3.3: ${digest('three\n')}`,
      `- e.txt #3.5: ${digest('five\n')}`,
      `- d.txt #7.2: changed since then, now ${digest('four\n')}`,
    ]);
  });

  it('of an older log are listed without a digest', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\n' }, [turn(read('a.txt')), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'Go.', mode: 'ask' });
    const older = kedge.session.events.map((event) => {
      if (event.type !== 'tool_finished') return event;
      const { read: _, ...rest } = event;
      return rest;
    });
    assert.match(carriedState(foldSession(older), kedge.session.state.messages.length, 0), /digest:\n- a\.txt #3\.1\n/);
  });
});
