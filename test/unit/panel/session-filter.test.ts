import assert from 'node:assert/strict';
import type { SessionEntry } from '../../../src/protocol/sessions-page.ts';
import { filtered, rowsInSight } from '../../../webview-ui/pages/session-filter.ts';

const entry = (id: string, more: Partial<SessionEntry> = {}): SessionEntry => ({ id, title: id, status: 'done', changedAt: 0, ...more });
const all = { words: '', show: 'all', mode: 'all' } as const;
const ids = (sessions: readonly SessionEntry[]) => sessions.map(({ id }) => id);

describe('the list of sessions', () => {
  const sessions = [
    entry('Tide levels', { isPinned: true, mode: 'ask' }),
    entry('Harbour', { status: 'waiting', mode: 'agent' }),
    entry('Tide of the harbour', { status: 'failed', mode: 'agent' }),
  ];

  it('is filtered by state, pin, mode and all words of a title', () => {
    assert.deepEqual(ids(filtered(sessions, all)), ids(sessions));
    assert.deepEqual(ids(filtered(sessions, { ...all, show: 'waiting' })), ['Harbour']);
    assert.deepEqual(ids(filtered(sessions, { ...all, show: 'pinned' })), ['Tide levels']);
    assert.deepEqual(ids(filtered(sessions, { ...all, mode: 'agent', words: ' TIDE har ' })), ['Tide of the harbour']);
    assert.deepEqual(ids(filtered(sessions, { ...all, words: 'nowhere' })), []);
  });

  it('contains what was found in texts, unless it was found for other words', () => {
    const found = { words: 'quay', ids: ['Harbour'], lines: [], isComplete: true };
    assert.deepEqual(ids(filtered(sessions, { ...all, words: 'quay ' }, found)), ['Harbour']);
    assert.deepEqual(ids(filtered(sessions, { ...all, words: 'quays' }, found)), []);
  });

  it('draws the rows in sight and a few beyond', () => {
    assert.deepEqual(rowsInSight(3, 0, 600), [0, 3]);
    const [from, to] = rowsInSight(1_000, 46 * 500, 460);
    assert.ok(from < 500 && from > 480 && to > 510 && to < 530);
    assert.deepEqual(rowsInSight(1_000, 46 * 1_000, 460)[1], 1_000);
    assert.deepEqual(rowsInSight(5, 46 * 900, 460), [5, 5]);
  });
});
