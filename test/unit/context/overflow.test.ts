/** Tests a service that refuses a request because of its size: how its error is read, and how the run continues. */
import assert from 'node:assert/strict';
import { sentMessages } from '../../../src/core/session/reduce.ts';
import { createAdapter } from '../../../src/providers/openai-chat/index.ts';
import { overflowIn } from '../../../src/providers/overflow.ts';
import { assistantOn, eventsOf, lastOf } from '../../support/harness.ts';
import { type Reply, startWindowServer, textOfWire, type WindowRequest } from '../../support/window-server.ts';

/** Errors of services and local servers, from their documentation or recorded. */
const ERRORS: [message: string, window: number | undefined, requested: number | undefined][] = [
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 10021 tokens.", 8192, 10021],
  [
    "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (4360 in your prompt; 1000 for the completion).",
    4097,
    4360,
  ],
  [
    "This model's maximum context length is 98304 tokens. However, you requested 130000 tokens (98400 in the messages, 31600 in the completion).",
    98304,
    98400,
  ],
  [
    "This model's maximum context length is 100000 tokens. However, you requested 130000 tokens (98000 in the messages, 32000 in the completion).",
    100000,
    undefined,
  ],
  ['prompt is too long: 210412 tokens > 200000 maximum', 200000, 210412],
  ['input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens`', 200000, undefined],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1048576, 1200000],
  ['the request exceeds the available context size (4096 tokens), try increasing it', 4096, undefined],
  ['request (5021 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096, 5021],
  [
    'Trying to keep the first 6101 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    4096,
    6101,
  ],
  ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4096, 5000],
  ['Prompt contains 40021 tokens and 0 draft tokens, too large for model with 32768 maximum context length', 32768, 40021],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812],
  ["This endpoint's maximum context length is 131072 tokens. However, you requested about 200021 tokens.", 131072, 200021],
  ['The input length 5000 exceeds the context length 4096.', 4096, undefined],
  ['The input size 210000 tokens exceeds the model limit 200000.', 200000, undefined],
  ['prompt length 9000 > context length 8192', 8192, undefined],
  ['Your model size 405 GB deployment has a context window of 8192 tokens', 8192, undefined],
  ['Your model size 405 GB deployment cannot read so much.', undefined, undefined],
  ['Please reduce the length of the messages or completion.', undefined, undefined],
  ['The prompt is too long.', undefined, undefined],
];

describe('an error about the context window', () => {
  for (const [message, window, requested] of ERRORS)
    it(`is read: ${message.slice(0, 60)}`, () => {
      assert.deepEqual(overflowIn(message), { ...(window && { window }), ...(requested && { requested }) });
    });

  it('is read in linear time', () => {
    const started = process.cpuUsage().user;
    overflowIn('context length is '.repeat(100_000));
    overflowIn('1'.repeat(1_000_000));
    assert.ok(process.cpuUsage().user - started < 1_000_000);
  });
});

const lines = (count: number, word: string) => Array.from({ length: count }, (_, line) => `${word} ${line}`).join('\n');
const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`f${index}.txt`, lines(300, `the sail of ship ${index} in line`)]),
);

/** Reads all files one after another, then answers. */
function reader(): (request: WindowRequest) => Reply {
  let next = 0;
  return ({ messages }) => {
    if (/is about to be compacted/.test(textOfWire(messages.at(-1) ?? { role: '' }))) return 'Goal: read.';
    return next < 12 ? [{ name: 'read_file', input: { path: `f${next++}.txt` } }] : 'All read.';
  };
}

async function run(
  server: { window: number; mute?: boolean; reports?: boolean },
  work: (kedge: Awaited<ReturnType<typeof assistantOn>>, requests: WindowRequest[]) => Promise<void>,
): Promise<void> {
  const served = await startWindowServer(server, reader());
  try {
    const adapter = createAdapter({ apiKey: 'key', baseUrl: `${served.url}/v1` });
    await using kedge = await assistantOn(files, [], { adapter });
    await kedge.session.prompt({ text: 'Read everything.', mode: 'ask' });
    await work(kedge, served.requests);
  } finally {
    await served.close();
  }
}

describe('a model with an unknown window', () => {
  for (const mute of [false, true])
    it(`receives a smaller request ${mute ? 'although its error contains no number' : 'that fits the window in its error'}`, () =>
      run({ window: 12_000, mute }, async (kedge, requests) => {
        assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
        const refused = requests.filter((request) => request.refused).length;
        assert.ok(refused >= 1 && refused <= (mute ? 3 : 1), `${refused} requests were refused`);
        assert.ok(eventsOf(kedge.events, 'context_compacted').some(({ reason }) => reason === 'overflow'));
      }));

  it('is stored with its window, also for the next session', () =>
    run({ window: 12_000 }, async (kedge, requests) => {
      const before = requests.length;
      const next = await kedge.assistant.newSession();
      await next.prompt({ text: 'Read everything again.', mode: 'ask' });
      assert.equal(next.state.lastRun?.outcome, 'answered');
      assert.equal(requests.slice(before).filter((request) => request.refused).length, 0);
      const [first] = eventsOf(next.events, 'turn_started');
      assert.equal(first?.context?.window, 12_000);
    }));

  it('is handled even if it reports no token counts', () =>
    run({ window: 12_000, reports: false }, async (kedge) => {
      assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    }));
});

describe('a request that no compaction makes small enough', () => {
  it('fails with a remedy, and is not repeated forever', async () => {
    const served = await startWindowServer({ window: 300 }, reader());
    try {
      const adapter = createAdapter({ apiKey: 'key', baseUrl: `${served.url}/v1` });
      await using kedge = await assistantOn(files, [], { adapter });
      await kedge.session.prompt({ text: 'Read everything.', mode: 'ask' });
      const { outcome, error } = lastOf(kedge.events, 'run_finished');
      assert.deepEqual([outcome, error?.kind], ['failed', 'context_overflow']);
      assert.match(error?.message ?? '', /choose a model with a larger context/);
      assert.ok(served.requests.length <= 3);
    } finally {
      await served.close();
    }
  });
});

describe('a compaction that the user requests', () => {
  it('happens immediately between runs, keeps what the user names, and survives a reload', async () => {
    const asked: string[] = [];
    const served = await startWindowServer({ window: 1_000_000 }, (request) => {
      const last = textOfWire(request.messages.at(-1) ?? { role: '' });
      if (!/is about to be compacted/.test(last)) return 'Well.';
      asked.push(last);
      return 'Decisions: the sail is red.';
    });
    try {
      const adapter = createAdapter({ apiKey: 'key', baseUrl: `${served.url}/v1` });
      await using kedge = await assistantOn(files, [], { adapter });
      const { session } = kedge;
      await assert.rejects(session.compact(), /no conversation to compact yet/);
      for (const text of ['The sail is red.', `Long: ${'words '.repeat(3_000)}`, 'What is next?'])
        await session.prompt({ text, mode: 'ask' });
      await session.compact('the colour of the sail');
      assert.match(asked[0] ?? '', /keep this above all: the colour of the sail/);
      const compacted = lastOf(kedge.events, 'context_compacted');
      assert.deepEqual([compacted.reason, compacted.by], ['user', 'model']);
      assert.match(compacted.summary, /the sail is red/);
      await session.prompt({ text: 'Go on.', mode: 'ask' });
      assert.match(served.requests.at(-1)?.text ?? '', /Decisions: the sail is red/);
      const reloaded = await kedge.reload();
      assert.deepEqual(sentMessages(reloaded.session.state), sentMessages(session.state));
    } finally {
      await served.close();
    }
  });
});
