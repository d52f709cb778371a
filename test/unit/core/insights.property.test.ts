/** Tests that insights agree with the state of the session, do not depend on the pieces in which a log is read, and count no copies. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addEvent, type Cell, type Digest, emptyDigest } from '../../../src/core/insights/fold.ts';
import { csvOf, insightsOf } from '../../../src/core/insights/insights.ts';
import { type Numbers, sumOf, totalIn } from '../../../src/core/insights/numbers.ts';
import { cellText, tablesOf } from '../../../src/core/insights/tables.ts';
import { type AgentEvent, type EventBody, isDurable } from '../../../src/core/session/events.ts';
import { copiedEvents, fromOutside, withCopiedMark } from '../../../src/core/session/fork.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { randomLog } from '../../support/random-logs.ts';

const logs = fc.array(fc.nat(9_999), { maxLength: 400, size: 'max' }).map((choices) => randomLog(choices).filter(isDurable));
const ALL = { to: '9999-12-31' };

function digestOf(events: readonly AgentEvent[], digest: Digest = emptyDigest()): Digest {
  for (const event of events) addEvent(digest, event);
  return digest;
}

const stored = (digest: Digest): Digest => JSON.parse(JSON.stringify(digest));
const totalOf = (cells: readonly Cell[]): Numbers => sumOf(cells.map(({ numbers }) => numbers));
const isAbout = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6, `${a} and ${b}`);

describe('insights', () => {
  it('are the same when a log is read in pieces, and digests are stored between them', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(), { maxLength: 5 }), (log, cuts) => {
        const at = cuts.map((cut) => cut % (log.length + 1)).toSorted((a, b) => a - b);
        let digest = emptyDigest();
        // An event that is read twice counts once.
        for (const [index, end] of [...at, log.length].entries())
          digest = stored(digestOf(log.slice(Math.max(0, (at[index - 1] ?? 0) - 1), end), digest));
        assert.deepEqual(digest, stored(digestOf(log)));
      }),
    );
  });

  it('agree with the state of the session', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const state = foldSession(log);
        const runs = [...state.runs.values()];
        const { cells } = digestOf(log);
        const total = totalOf(cells);
        const ends = Object.groupBy(runs, ({ status, outcome }) => (status === 'finished' ? (outcome ?? 'open') : 'open'));
        assert.deepEqual({ ...total.runs }, Object.fromEntries(Object.entries(ends).map(([end, some]) => [end, some?.length])));
        assert.equal(
          total.events?.turns ?? 0,
          runs.reduce((sum, { used }) => sum + used.turns, 0),
        );
        assert.equal(
          totalIn(total.calls),
          runs.reduce((sum, { used }) => sum + used.calls, 0),
        );
        const { fresh = 0, cached = 0, output = 0 } = total.tokens ?? {};
        assert.equal(fresh + cached, state.usage.input ?? 0);
        assert.equal(output, state.usage.output ?? 0);
        isAbout(total.money?.usd ?? 0, state.cost.usd ?? 0);
        isAbout(
          (total.waitMs?.model ?? 0) + (total.waitMs?.tools ?? 0),
          runs.reduce((sum, { used }) => sum + used.ms, 0),
        );
        assert.ok(totalIn(total.failedCalls) + totalIn(total.refusedCalls) <= totalIn(total.calls));
        assert.ok(totalIn(total.approved) + totalIn(total.rejected) <= totalIn(total.asked));
        assert.equal(totalIn(total.approved) + totalIn(total.rejected), totalIn(total.answeredBy));
        for (const { numbers } of cells)
          for (const counts of Object.values(numbers))
            for (const value of Object.values(counts)) assert.ok(value > 0, JSON.stringify(cells));
      }),
    );
  });

  it('count nothing of a copy, and what happens in the copy afterwards', () => {
    fc.assert(
      fc.property(logs, logs, fc.nat(), fc.boolean(), (log, later, cut, isMarked) => {
        const until = (log[cut % Math.max(1, log.length)]?.seq ?? 0) as number;
        const at = (log.at(-1)?.at ?? 0) + 1;
        const copy = copiedEvents(log, { until, opening: { type: 'session_forked', parent: { sessionId: 's', seq: until }, at } });
        const forked = isMarked ? withCopiedMark(copy) : copy;
        assert.deepEqual(digestOf(forked).cells, []);
        const imported = copiedEvents(log.flatMap(fromOutside));
        const seq = (imported.at(-1)?.seq ?? 0) + 1;
        assert.deepEqual(digestOf([...imported, { type: 'session_imported', runId: '', seq, at }]).cells, []);
        // The runs of `later` have ids of their own.
        const last = forked.at(-1)?.seq ?? 0;
        const more = later.map((event) => ({
          ...event,
          runId: event.runId && `later ${event.runId}`,
          seq: event.seq + last,
          at: event.at + at,
        }));
        const renamed = more.map((event) =>
          event.type === 'changes_undone' ? { ...event, undoneRunId: `later ${event.undoneRunId}` } : event,
        );
        const expected = totalOf(digestOf(renamed.map((event) => ({ ...event, seq: event.seq - last }))).cells);
        assert.deepEqual(totalOf(digestOf([...forked, ...renamed]).cells), expected);
      }),
    );
  });

  it('count no time for a rating, whenever it is given', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (log, cut, which) => {
        const before = log.slice(0, 1 + (cut % Math.max(1, log.length)));
        const runs = [...foldSession(before).runs.keys()];
        const runId = runs[which % Math.max(1, runs.length)];
        const at = (before.at(-1)?.at ?? 0) + 300;
        if (runId === undefined) return;
        const rating = { type: 'answer_rated', rating: 'up', runId, seq: 0, at } as const;
        const rated = log.toSpliced(before.length, 0, rating).map((event, index) => ({ ...event, seq: index + 1 }));
        const times = (events: readonly AgentEvent[]) => [...foldSession(events).runs.values()].map(({ used }) => used.ms);
        assert.deepEqual(times(rated), times(log));
        assert.deepEqual(totalOf(digestOf(rated).cells).waitMs, totalOf(digestOf(log).cells).waitMs);
      }),
    );
  });

  it('grow with runs and days, and not with events', () => {
    const started = { type: 'run_started', mode: 'agent', prompt: 'p', model: { provider: 'p', model: 'm' } } as const;
    const digest = emptyDigest();
    let seq = 0;
    const add = (body: EventBody, runId: string) =>
      addEvent(digest, { ...body, runId, seq: ++seq, at: 1_795_000_000_000 + seq } as AgentEvent);
    const size = () => JSON.stringify(digest).length;
    const work = (runId: string, turns: number) => {
      add({ ...started, limits: { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 } }, runId);
      for (let turn = 1; turn <= turns; turn++) {
        const id = `${runId}-${turn}`;
        add({ type: 'turn_started', turn }, runId);
        const content = [{ type: 'tool_call' as const, id, name: 'read_file', input: {} }];
        const message = { role: 'assistant' as const, content, from: started.model, stop: 'tool_use' as const };
        add({ type: 'message_added', message }, runId);
        const result = {
          type: 'tool_result' as const,
          callId: id,
          name: 'read_file',
          content: [{ type: 'text' as const, text: 'x'.repeat(1_000) }],
        };
        add({ type: 'tool_finished', callId: id, result, durationMs: 1 }, runId);
      }
      add({ type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 }, runId);
    };
    work('first', 10);
    const small = size();
    work('second', 10_000);
    assert.ok(size() < small + 200, `${size()} characters after 30,000 events, ${small} after 32`);
    for (let run = 0; run < 100; run++) work(`run ${run}`, 1);
    assert.ok(size() < small + 102 * 120, `${size()} characters for 102 runs`);
  });

  it('can be added in any order, and become tables and CSV', () => {
    fc.assert(
      fc.property(logs, logs, (one, two) => {
        const sessions = [one, two].map((log) => digestOf(log).cells);
        const insights = insightsOf(sessions, ALL);
        const sums = (numbers: Numbers) => Object.entries(numbers).map(([group, counts]) => [group, totalIn(counts).toFixed(6)]);
        assert.deepEqual(new Map(sums(insightsOf(sessions.toReversed(), ALL).total) as []), new Map(sums(insights.total) as []));
        for (const { columns, rows } of tablesOf(insights))
          for (const row of rows) {
            assert.equal(row.length, columns.length);
            for (const [index, value] of row.entries()) assert.match(cellText(value, columns[index]?.unit), /./);
          }
        const lines = csvOf(sessions.flat()).trimEnd().split('\n');
        assert.ok(lines.every((line) => line.split(',').length === 6));
      }),
    );
  });
});
