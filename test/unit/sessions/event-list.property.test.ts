/** Tests that a session reads the same events from its log that were logged. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Message } from '../../../src/core/model/messages.ts';
import { type AgentEvent, isDurable } from '../../../src/core/session/events.ts';
import { MessageList } from '../../../src/core/session/lists.ts';
import { LOG_FORMAT } from '../../../src/core/session/log-format.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { readLastRun, readRun, readView, runIn } from '../../../src/core/view/session-view.ts';
import { LoggedEvents } from '../../../src/sessions/event-list.ts';
import { SessionStore } from '../../../src/sessions/store.ts';
import { wholeState } from '../../support/compared.ts';
import { randomLog } from '../../support/random-logs.ts';

const durable = (choices: readonly number[]) => randomLog(choices).filter(isDurable);
const logs = fc.array(fc.nat(9_999), { maxLength: 500, size: 'max' }).map(durable);
const renamed = (title: string, seq: number): AgentEvent => ({ type: 'session_renamed', title, runId: '', seq, at: 0 });

/** Where the log names its format, where it has a line that is no event, and the length of the title in its last line. */
const shapes = fc.record({ formatAt: fc.nat(60), damagedAt: fc.nat(60), length: fc.constantFrom(1, 100, 40_000, 200_000) });

function textOf(events: readonly AgentEvent[], { formatAt, damagedAt, length }: { formatAt: number; damagedAt: number; length: number }) {
  const all = [...events, renamed('ä€😀'.repeat(length), (events.at(-1)?.seq ?? 0) + 1)];
  return all
    .flatMap((event, index) => [
      ...(index === damagedAt ? ['{"type":"message_added","wörds":'] : []),
      JSON.stringify(index === formatAt ? { ...event, format: LOG_FORMAT } : event),
    ])
    .join('\n');
}

describe('a session that is read from its log', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'kedge-events-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** Opens a log as a session does. */
  async function opened(text: string) {
    writeFileSync(join(directory, 's.jsonl'), text);
    const log = new SessionStore(directory).log('s');
    const events = new LoggedEvents(log);
    const logged: AgentEvent[] = [];
    await log.readAll((event, offset) => {
      logged.push(event);
      events.add(event, offset);
    });
    return { logged, log, events };
  }

  it('has the same events, wherever they are looked for', async () => {
    await fc.assert(
      fc.asyncProperty(logs, shapes, fc.nat(600), fc.nat(600), async (written, shape, from, to) => {
        const { logged, events } = await opened(textOf(written, shape));
        assert.equal(logged.length, written.length + 1);
        assert.deepEqual([...events], logged);
        assert.deepEqual(events.slice(from, to), logged.slice(from, to));
        assert.deepEqual(events.slice(-from), logged.slice(-from));
        assert.deepEqual([events.at(from), events.at(-to)], [logged.at(from), logged.at(-to)]);
        const isCall = ({ type }: AgentEvent) => type === 'tool_finished';
        assert.deepEqual(events.findLast(isCall), logged.findLast(isCall));
        assert.equal(events.findIndex(isCall), logged.findIndex(isCall));
        assert.equal(
          events.lastIndex(({ type }) => type === 'tool_finished'),
          logged.findLastIndex(isCall),
        );
        assert.deepEqual(
          events.facts(),
          logged.map(({ type, seq, runId }) => ({ seq, type, runId })),
        );
        assert.deepEqual(events.ofType('tool_finished'), logged.filter(isCall));
        const isOdd = ({ seq }: { seq: number }) => seq % 2 === 1;
        assert.deepEqual(events.select(isOdd, from), logged.slice(from).filter(isOdd));
      }),
      { numRuns: 60 },
    );
  });

  it('has the same state and conversation as one that keeps everything', async () => {
    await fc.assert(
      fc.asyncProperty(logs, shapes, fc.nat(300), fc.nat(300), async (written, shape, from, to) => {
        const { logged, events } = await opened(textOf(written, shape));
        const state = foldSession(logged, emptySession(new MessageList((seqs) => events.withSeqs(seqs))));
        const kept = foldSession(logged);
        assert.deepEqual(wholeState(state), wholeState(kept));
        const messages: Message[] = [...kept.messages];
        assert.deepEqual(state.messages.slice(from, to), messages.slice(from, to));
        assert.deepEqual(state.messages.at(from), messages.at(from));
        assert.deepEqual(state.messages.telling(), kept.messages.telling());
        assert.deepEqual(
          messages.map((_, index) => state.messages.roleAt(index)),
          messages.map(({ role }) => role),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('has the same view of each run as the view of the whole session', async () => {
    await fc.assert(
      fc.asyncProperty(logs, async (written) => {
        const { logged, events } = await opened(textOf(written, { formatAt: 0, damagedAt: -1, length: 1 }));
        const view = readView(logged);
        for (const { id } of view.runs) assert.deepEqual(readRun(events, id), runIn(view, id));
        assert.deepEqual(readLastRun(events), view.runs.at(-1));
      }),
      { numRuns: 60 },
    );
  });

  it('has what was appended, what could not be logged, and what a repair wrote again', async () => {
    const { log, events } = await opened(`${JSON.stringify(renamed('one', 1))}\nno event\n${JSON.stringify(renamed('zwölf', 2))}`);
    events.add(renamed('not logged', 3));
    events.pop();
    const three = renamed('three', 3);
    log.lock();
    events.relocate(log.mend(events).offsets ?? new Map());
    events.add(three, log.append(three));
    const four = renamed('four', 4);
    events.add(four);
    events.moveToLog(3, log.append(four));
    events.add(renamed('in memory only', 5));
    log.close();
    log.unlock();
    const titles = [1, 2, 3, 4, 5].map((seq) => [seq, ['one', 'zwölf', 'three', 'four', 'in memory only'][seq - 1]]);
    assert.deepEqual(
      events.ofType('session_renamed').map(({ seq, title }) => [seq, title]),
      titles,
    );
  });

  it('reads only the newest events to find one of them', async () => {
    const written = Array.from({ length: 100 }, (_, index) => renamed(`title ${index}`, index + 1));
    const { events, logged } = await opened(textOf(written, { formatAt: 0, damagedAt: -1, length: 1 }));
    const file = join(directory, 's.jsonl');
    const text = readFileSync(file, 'utf8');
    const half = text.indexOf('\n', text.length / 2);
    writeFileSync(file, text.slice(0, half).replace(/./g, ' ') + text.slice(half));
    assert.deepEqual(
      events.findLast(({ seq }) => seq <= 98),
      logged[97],
    );
    assert.equal(
      events.findLastIndex(() => true),
      100,
    );
    assert.throws(() => events.findLast(({ seq }) => seq === 1), /was changed by another program/);
  });

  it('says so if another program has changed the log', async () => {
    const { events } = await opened(`${JSON.stringify(renamed('one', 1))}\n${JSON.stringify(renamed('two', 2))}\n`);
    writeFileSync(join(directory, 's.jsonl'), `${JSON.stringify(renamed('another', 7))}\n`);
    assert.throws(() => [...events], /was changed by another program/);
  });
});
