import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Span, spansOf } from '../../../../src/core/insights/spans.ts';
import { isDurable } from '../../../../src/core/session/events.ts';
import { createExporter } from '../../../../src/hosts/node/telemetry/exporter.ts';
import { nodeProblem, RunTraces, tracesAddress } from '../../../../src/hosts/node/telemetry/run-traces.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { startCollector } from '../../../support/collector.ts';
import { assistantOn } from '../../../support/harness.ts';
import { randomLog } from '../../../support/random-logs.ts';

const SECRET = 'the words of the user';

describe('runs as traces', () => {
  it('are sent to a collector as spans of the run, its requests and its calls, without what was said', async () => {
    await using collector = await startCollector();
    await using kedge = await assistantOn({ 'a.txt': `${SECRET} in a file\n` }, [
      turn(call('read_file', { path: 'a.txt' })),
      turn(call('read_file', { path: 'none.txt' })),
      turn(say(`${SECRET} in an answer`)),
    ]);
    const traces = new RunTraces(kedge.assistant, () => collector.url, assert.fail);
    await kedge.session.prompt({ text: SECRET, mode: 'ask' });
    await traces.flush();
    traces.dispose();
    assert.deepEqual([...new Set(collector.paths)], ['/v1/traces']);
    const spans = collector.spans();
    const root = spans.find(({ parentSpanId }) => !parentSpanId);
    assert.equal(root?.name, 'invoke_agent Kedge');
    assert.deepEqual(
      spans.filter((span) => span !== root).map(({ name, parentSpanId, traceId }) => [name, parentSpanId, traceId]),
      ['chat', 'execute_tool read_file', 'chat', 'execute_tool read_file', 'chat'].map((name) => [
        name === 'chat' ? spans.find((span) => span.name.startsWith('chat'))?.name : name,
        root?.spanId,
        root?.traceId,
      ]),
    );
    const attribute = (key: string) => root?.attributes.find((each) => each.key === key)?.value.stringValue;
    assert.equal(attribute('gen_ai.operation.name'), 'invoke_agent');
    assert.equal(attribute('gen_ai.conversation.id'), kedge.session.id);
    assert.equal(attribute('kedge.run.outcome'), 'answered');
    assert.equal(spans.filter(({ status }) => status.code === 2).length, 1, 'the call that failed');
    const { startTimeUnixNano = '', endTimeUnixNano = '' } = root ?? {};
    assert.equal(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano), BigInt(lengthOf(kedge.session.events.slice())) * 1_000_000n);
    for (const body of collector.bodies) assert.doesNotMatch(body, /words of the user|a\.txt|none\.txt/);
  });

  it('name only tools that exist, and contain no ids that a model made up', async () => {
    await using kedge = await assistantOn({ 'a.txt': '1\n' }, [
      turn(call('the password is hunter2', {}, 'hunter2 is the id')),
      turn(call('read_file', { path: 'a.txt' }, 'hunter2 again')),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { state, id } = kedge.session;
    const events = kedge.session.events.slice();
    const span = spansOf(events, state.lastRun?.runId ?? '', id) as Span;
    assert.deepEqual(
      span.children.flatMap(({ attributes }) => attributes['gen_ai.tool.name'] ?? []),
      ['unknown tool', 'read_file'],
    );
    assert.doesNotMatch(JSON.stringify(span), /hunter2/);
    const withheld = events.map((event) =>
      event.type === 'tool_finished' ? { ...event, decision: undefined, withheld: true as const } : event,
    ) as typeof events;
    assert.doesNotMatch(JSON.stringify(spansOf(withheld, state.lastRun?.runId ?? '', id)), /hunter2/, 'withheld before it was judged');
  });

  it('carry nothing that the environment names for other collectors', async () => {
    const variables = {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=foreign',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-traces-key=foreign',
      OTEL_RESOURCE_ATTRIBUTES: 'owner=foreign',
      OTEL_SERVICE_NAME: 'foreign',
    };
    Object.assign(process.env, variables);
    try {
      await using collector = await startCollector();
      const root: Span = { name: 'run', kind: 'internal', start: 1, end: 2, attributes: {}, children: [] };
      await createExporter(`${collector.url}/v1/traces`)(root);
      assert.equal(collector.spans().length, 1);
      assert.deepEqual(Object.keys(collector.headers[0] ?? {}).sort(), [
        'connection',
        'content-type',
        'host',
        'transfer-encoding',
        'user-agent',
      ]);
      assert.doesNotMatch(JSON.stringify([collector.headers, collector.bodies]), /foreign/);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it('are not sent without an address, and one that cannot be reached disturbs nothing and is reported once', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Three.')), turn(say('Four.'))]);
    const problems: string[] = [];
    let endpoint: string | undefined;
    const traces = new RunTraces(
      kedge.assistant,
      () => endpoint,
      (text) => problems.push(text),
    );
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    endpoint = 'file:///tmp/traces';
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    // No server listens at the port of a server that has ended.
    const gone = await startCollector();
    await gone[Symbol.asyncDispose]();
    endpoint = gone.url.replace('//', '//me:password@');
    assert.deepEqual(problems, []);
    for (let count = 0; count < 2; count++) {
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      await traces.flush();
    }
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.equal(problems.length, 1);
    assert.match(
      problems[0] ?? '',
      /^The run could not be sent as a trace to http:\/\/127\.0\.0\.1:\d+: .+ Check that the collector is running, and its address\.$/,
    );
    assert.doesNotMatch(problems[0] ?? '', /password/);
  }).timeout(60_000);

  it('need a newer Node than the rest of Kedge', () => {
    for (const version of ['22.15.0', '22.16.1', '23.0.0', '24.1.0']) assert.equal(nodeProblem(version), undefined);
    for (const version of ['20.19.5', '22.14.0'])
      assert.match(nodeProblem(version) ?? '', new RegExp(`Node 22.15 or later, and this is Node ${version}`));
  });

  it('complete the address as OTLP does', () => {
    const cases: [string | undefined, string | undefined][] = [
      ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
      ['https://collector.example/otlp/', 'https://collector.example/otlp/v1/traces'],
      ['http://localhost:4318/v1/traces', 'http://localhost:4318/v1/traces'],
      ['localhost', undefined],
      ['ftp://x', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [given, expected] of cases) assert.equal(tracesAddress(given), expected);
  });

  it('have spans that lie within their run, for any log', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9_999), { maxLength: 300, size: 'max' }).map((choices) => randomLog(choices).filter(isDurable)),
        (log) => {
          for (const runId of new Set(log.flatMap((event) => (event.type === 'run_started' ? [event.runId] : [])))) {
            const run = spansOf(log, runId, 's') as Span;
            for (const { start, end } of [run, ...run.children]) assert.ok(start <= end && start >= run.start && end <= run.end);
            assert.doesNotMatch(JSON.stringify(run), /Some words|Fix it|long long/);
          }
        },
      ),
    );
  });
});

function lengthOf(events: readonly { at: number }[]): number {
  return (events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0);
}
