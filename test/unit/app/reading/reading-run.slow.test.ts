import assert from 'node:assert/strict';
import { templateText } from '../../../../src/app/reading/templates.ts';
import { tokensOfText } from '../../../../src/core/context/tokens.ts';
import { callsOf, textOf } from '../../../../src/core/model/messages.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../../../../src/core/model/model.ts';
import { say } from '../../../../src/providers/scripted/index.ts';
import { indexed, temporaryStore } from '../../../support/collections.ts';
import { assistantOn, eventsOf, type Harness, lastOf, nextEvent } from '../../../support/harness.ts';

const WINDOW = 8_192;
const PAGES = 100;
const page = (number: number) =>
  [
    `## Page ${number}`,
    '',
    `The valve of page ${number} opens at ${number * 7} bar.`,
    ...Array.from(
      { length: 24 },
      (_, line) => `Line ${line} of page ${number} describes how the pump is oiled, cleaned and stored in winter.`,
    ),
  ].join('\n');
const MANUAL = ['# Manual', '', ...Array.from({ length: PAGES }, (_, index) => `${page(index + 1)}\n`)].join('\n');
const FACT = /The valve of page (\d+) opens/g;

type Kind = 'note' | 'combine' | 'task';
const contentOf = ({ messages }: ModelRequest) => messages.map(textOf).join('');
const kindOf = (request: ModelRequest): Kind => {
  const content = contentOf(request);
  return content.includes('Combine these notes') ? 'combine' : content.includes('Do not carry it out yet') ? 'note' : 'task';
};

/** Notes the facts in the passages with their places, and one place that was never read. */
function factsIn(text: string): string {
  const facts: string[] = [];
  let place = '';
  for (const line of text.split('\n')) {
    place = /^\[docs\/[^\t]*\]/.exec(line)?.[0] ?? place;
    for (const [, number] of line.matchAll(FACT)) facts.push(`- valve ${number} ${place} ${'It is said in many words. '.repeat(5)}`);
  }
  return facts.join('\n');
}

/** A model that answers by rules. `fail` can throw instead. */
function reader(fail: (request: ModelRequest, index: number, signal: AbortSignal) => void | Promise<void> = () => undefined) {
  const requests: ModelRequest[] = [];
  const adapter: ModelAdapter = {
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      requests.push(request);
      await fail(request, requests.length - 1, signal);
      const content = contentOf(request);
      const notes = content.match(/^- valve \d+ \[.*$/gm) ?? [];
      const text = [...(kindOf(request) === 'combine' ? notes.filter((_, index) => index % 2 === 0) : notes), factsIn(content)].filter(
        Boolean,
      );
      const wrong = kindOf(request) === 'note' ? ' and [docs/other.md:1-3]' : '';
      yield* say(`${text.join('\n') || 'Nothing.'}${wrong}`);
      yield { type: 'stop', reason: 'end_turn' };
    },
  };
  return { adapter, requests };
}

describe('reading a document of 100 pages with a window of 8,192 tokens', () => {
  let kept: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    kept = await temporaryStore();
    await indexed(kept.store, { 'manual.md': MANUAL, 'short.md': '# Short\n\nThe valve of page 900 opens by hand.\n' });
  });
  after(() => kept.remove());

  const open = (adapter: ModelAdapter, window = WINDOW) =>
    assistantOn({}, [], { adapter, facts: () => ({ contextWindow: window }), documents: async () => ({ collections: kept.store }) });
  const SUMMARIZE = templateText('summarize', { collection: 'docs', documents: ['docs/manual.md'] });
  const answerOf = ({ session }: Harness) => textOf(session.state.messages.at(-1) ?? assert.fail());
  /** The places at which the calls read, in order. */
  const startsOf = ({ session }: Harness) =>
    session.state.messages.flatMap(callsOf).map(({ input }) => (input as { start?: number }).start ?? 0);

  it('asks about one part after another, and each request fits the window', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const kinds = requests.map(kindOf);
    assert.ok(kinds.filter((kind) => kind === 'note').length >= 10, `${kinds}`);
    assert.ok(kinds.filter((kind) => kind === 'combine').length >= 2, `${kinds}`);
    assert.deepEqual(kinds.indexOf('task'), kinds.length - 1);
    for (const request of requests) {
      const tokens = tokensOfText(request.system) + tokensOfText(contentOf(request));
      assert.ok(tokens + (request.maxOutputTokens ?? 0) < WINDOW, `${kindOf(request)}: ${tokens} tokens`);
      assert.deepEqual(request.tools, []);
    }
    const seen = requests.flatMap((request) =>
      kindOf(request) === 'combine' ? [] : [...contentOf(request).matchAll(FACT)].map(([, each]) => Number(each)),
    );
    assert.deepEqual(
      seen,
      Array.from({ length: PAGES }, (_, index) => index + 1),
      'each page was asked about once, in order',
    );
    assert.deepEqual(
      startsOf(kedge),
      startsOf(kedge).toSorted((a, b) => a - b),
    );
    assert.equal(eventsOf(kedge.events, 'context_compacted').length, 0);
  });

  it('is refused with the offline model, which says what to do', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask', model: { provider: 'offline', model: 'offline' } });
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, requests.length], ['failed', 0]);
    assert.match(error?.message ?? '', /^The offline model cannot read whole documents\. Choose another model, or ask/);
  });

  it('keeps the places of all parts, and removes those that were not read', async () => {
    const { adapter } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    const answer = answerOf(kedge);
    const places = [...answer.matchAll(/\[docs\/manual\.md:(\d+)-\d+\]/g)].map(([, line]) => Number(line));
    assert.ok(places.length >= 5, answer);
    assert.ok((places[0] as number) < 200 && (places.at(-1) as number) > 2_000, 'places of the first and the last part');
    const said = kedge.session.state.messages.filter(({ role }) => role === 'assistant').map(textOf);
    assert.doesNotMatch(said.join(''), /other\.md/);
    assert.match(said.join(''), /\*\*Part 2\*\* \(docs\/manual\.md, \d+ % read\)\n\n/);
    assert.match(said[0] ?? '', /^Reading 1 document with \d{3},\d{3} characters in about 1\d parts\./);
  });

  it('reads everything at once with a large window', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter, 400_000);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.deepEqual(requests.map(kindOf), ['task']);
    assert.equal([...contentOf(requests[0] as ModelRequest).matchAll(FACT)].length, PAGES);
  });

  it('reads all documents of a collection, and does what the user wrote', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: '/read docs\nList the valves, in French.', mode: 'ask' });
    assert.ok(requests.every((request) => contentOf(request).includes('List the valves, in French.')));
    assert.match(requests.map(contentOf).join(''), /valve of page 900/);
  });

  it('goes on where it was stopped if the message is sent again', async () => {
    let stop: (() => void) | undefined;
    const { adapter, requests } = reader((_, index, signal) => {
      if (index !== 4 || !stop) return;
      stop();
      stop = undefined;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    });
    await using kedge = await open(adapter);
    stop = () => void kedge.session.stop();
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const [stopped] = requests.splice(4, 1);
    assert.ok(stopped && kindOf(stopped) === 'note');
    const seen = requests.flatMap((request) =>
      kindOf(request) === 'combine' ? [] : [...contentOf(request).matchAll(FACT)].map(([, each]) => Number(each)),
    );
    assert.deepEqual(
      seen,
      Array.from({ length: PAGES }, (_, index) => index + 1),
      'nothing was asked twice',
    );
  });

  it('goes on after the program was killed', async () => {
    const { adapter, requests } = reader((_, index) => (index === 5 ? new Promise(() => undefined) : undefined));
    const kedge = await open(adapter);
    const asked = new Promise<void>((resolve) => {
      kedge.session.subscribe((event) => {
        if (event.type === 'turn_started' && requests.length >= 5) resolve();
      });
    });
    void kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    await asked;
    const again = reader();
    await using restarted = await kedge.reload({ adapter: again.adapter });
    await restarted.session.resume();
    assert.equal(lastOf(restarted.events, 'run_finished').outcome, 'answered');
    const first = [...contentOf(again.requests[0] as ModelRequest).matchAll(FACT)].map(([, each]) => Number(each))[0] as number;
    assert.ok(first > 20, `the first request after the restart is about page ${first}`);
    assert.match(answerOf(restarted), /valve 1 \[/, 'the notes from before are used');
  });

  it('says which part failed, and goes on with the next one', async () => {
    const { adapter } = reader((request) => {
      if (kindOf(request) === 'note' && /valve of page 30 /.test(contentOf(request)))
        throw new ModelError('bad_stream', 'The answer ended early.');
    });
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.match(answerOf(kedge), /\n> Kedge: Part \d+ \(docs\/manual\.md\) has no notes: The answer ended early\.$/);
  });

  it('ends with the name of the part if the service cannot be used', async () => {
    const { adapter } = reader((_, index) => {
      if (index === 3) throw new ModelError('auth', 'The key was not accepted.');
    });
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.match(lastOf(kedge.events, 'run_finished').error?.message ?? '', /^Part 4 \(docs\/manual\.md\): The key was not accepted\./);
  });

  it('divides a part that the service refuses because of its size', async () => {
    const { adapter, requests } = reader((request) => {
      const size = tokensOfText(contentOf(request));
      if (size > 2_500) throw new ModelError('context_overflow', 'The request is too long.', { window: 3_000 });
    });
    await using kedge = await open(adapter, 32_000);
    await kedge.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const accepted = requests.filter((request) => tokensOfText(contentOf(request)) <= 2_500);
    const seen = accepted.flatMap((request) =>
      kindOf(request) === 'combine' ? [] : [...contentOf(request).matchAll(FACT)].map(([, each]) => Number(each)),
    );
    assert.deepEqual(new Set(seen).size, PAGES);
  });

  it('fits the window with a language that needs more tokens', async () => {
    const line = '阀门在冬天必须每天检查两次，否则水泵会冻坏。';
    await indexed(kept.store, { 'manual.md': `# 手册\n\n${`${line.repeat(10)}\n\n`.repeat(150)}` }, 'zh');
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: '/read zh/manual.md\nSummarize.', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.ok(requests.length > 5);
    for (const request of requests)
      assert.ok(tokensOfText(request.system) + tokensOfText(contentOf(request)) + (request.maxOutputTokens ?? 0) < WINDOW);
  });

  it('leaves no trace of a document of a collection that may not be read', async () => {
    await indexed(
      kept.store,
      { 'open.md': '# Open\n\nThe valve of page 1 opens.\n', 'private/plan.md': '# Plan\n\nThe valve of page 2 opens.\n' },
      'mixed',
    );
    const { adapter, requests } = reader();
    await using kedge = await assistantOn({ '.kedgeignore': 'private/\n' }, [], {
      adapter,
      documents: async () => ({ collections: kept.store }),
    });
    await kedge.session.prompt({ text: '/read mixed\nSummarize.', mode: 'ask' });
    assert.match(answerOf(kedge), /valve 1/);
    assert.doesNotMatch(JSON.stringify([...kedge.session.events]) + requests.map(contentOf).join(''), /private|valve of page 2/);
  });

  it('names a document that does not exist, and pauses at the limits of the run', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: '/read docs/missing.md docs/short.md\nSummarize.', mode: 'ask' });
    assert.match(answerOf(kedge), /valve 900 \[docs\/short\.md:1-3\][^[]*\n\n> Kedge: There is no document docs\/missing\.md\.$/);
    requests.length = 0;
    await using limited = await assistantOn({}, [], {
      ...{ adapter, limits: { turns: 4 }, facts: () => ({ contextWindow: WINDOW }) },
      documents: async () => ({ collections: kept.store }),
    });
    const paused = nextEvent(limited.session, 'run_paused');
    await limited.session.prompt({ text: SUMMARIZE, mode: 'ask' });
    assert.equal((await paused).reason, 'limit');
    while (limited.session.state.lastRun?.status === 'paused') await limited.session.resume();
    assert.match(answerOf(limited), /valve 100 \[/);
  });

  it('leaves other messages to the model', async () => {
    const { adapter, requests } = reader();
    await using kedge = await open(adapter);
    await kedge.session.prompt({ text: '/read src/main.ts and explain it', mode: 'ask' });
    assert.equal(requests.length, 1);
    assert.ok((requests[0]?.tools.length ?? 0) > 0);
  });
});
