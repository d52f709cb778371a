/** A question about documents runs in the same way on every wire. */
import assert from 'node:assert/strict';
import { answerQuestion } from '../../src/app/answer/answer.ts';
import { documentsSubject } from '../../src/app/answer/documents.ts';
import { type AgentEvent, isDurable } from '../../src/core/session/events.ts';
import { indexed, temporaryStore } from '../support/collections.ts';
import { assistantOn } from '../support/harness.ts';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer } from '../support/wire-server.ts';
import { WIRES, type Wire } from '../support/wires.ts';

const TEXTS = {
  'guide/deploy.md':
    '# Deploy\n\n## Rollback\n\nRun `tide rollback` twice. It takes five minutes.\n\n## Costs\n\nA deployment costs nothing.\n',
  'guide/other.md': '# Other\n\nNothing about it.\n',
};
const QUESTION = { query: 'Does the rollback run twice?', useCase: 'a runbook' };
const PLACE = /\[docs\/guide\/deploy\.md:[\d-]+\]/;

describe('a question about documents', () => {
  let collections: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    collections = await temporaryStore();
    await indexed(collections.store, TEXTS);
  });
  after(() => collections.remove());

  /** Asks a model that searches once, and then gives `answerOf` the place of the best passage. */
  async function ask(wireName: string, answerOf: (place: string) => string) {
    const wire = WIRES[wireName] as Wire;
    const [{ document, place } = assert.fail('nothing was found')] = await collections.store.search(QUESTION.query);
    const cited = `[docs/${document}:${place.line}-${place.endLine}]`;
    const call = { id: 'call_1', name: 'documents_search', args: { query: 'rollback' } };
    const bodies = [CALL_BODIES[wireName]?.([call]) ?? '', TEXT_BODIES[wireName]?.([answerOf(cited)]) ?? ''];
    await using server = {
      ...(await startWireServer(
        bodies.map((body) => ({ body })),
        wire.contentType,
      )),
      [Symbol.asyncDispose]: () => server.close(),
    };
    const config = { apiKey: 'key-of-the-test', baseUrl: server.url + wire.path };
    const documents = async () => ({ collections: collections.store, alone: true });
    await using kedge = await assistantOn({ 'code.ts': 'rollback();\n' }, [], {
      documents,
      connect: async () => (await wire.load()).createAdapter(config),
    });
    const signal = new AbortController().signal;
    const answer = await answerQuestion(kedge.session, QUESTION, documentsSubject(['docs']), { signal, calls: 10 });
    return { answer, events: kedge.events.filter(isDurable).map(shapeOf), requests: server.requests.map(({ raw }) => raw.toString()) };
  }

  it('has the same logged events and the same answer on every wire', async () => {
    const [first, ...others] = await Promise.all(
      Object.keys(WIRES).map((name) => ask(name, (place) => `Twice ${place}.\n\nConfidence: high`)),
    );
    assert.ok(first);
    assert.match(first.answer.answer, PLACE);
    assert.deepEqual(
      first.answer.sources.map(({ collection, document }) => [collection, document]),
      [['docs', 'guide/deploy.md']],
    );
    assert.equal(first.answer.confidence, 'high', first.answer.note);
    assert.ok(first.events.some((text) => text.startsWith('tool_finished')));
    for (const { answer, events } of others) assert.deepEqual({ answer, events }, { answer: first.answer, events: first.events });
  });

  it('offers no tool that reads anything else', async () => {
    const { requests } = await ask('openai-responses', (place) => place);
    const tools = (JSON.parse(requests[0] ?? '{}') as { tools: { name: string }[] }).tools.map(({ name }) => name);
    assert.deepEqual(
      tools.filter((name) => !name.startsWith('documents_')),
      ['ask_user', 'recall'],
    );
  });

  it('drops and names sources that the run did not open, also in answers as JSON', async () => {
    for (const wrap of [
      (text: string) => text,
      (text: string) => JSON.stringify({ answer: text, confidence: 'high' }),
      (text: string) => `\`\`\`json\n${JSON.stringify({ answer: text })}\n\`\`\``,
    ]) {
      const { answer } = await ask('anthropic-messages', (place) => wrap(`Twice ${place}, says [docs/guide/made-up.md:3] too.`));
      assert.match(answer.answer, /too\.$/);
      assert.doesNotMatch(answer.answer, /made-up/);
      assert.match(answer.note ?? '', /1 cited place was removed.*made-up\.md:3/);
      assert.deepEqual([answer.sources.length, answer.confidence], [1, 'medium']);
    }
  });

  it('says when nothing supports the answer', async () => {
    const { answer } = await ask('gemini', () => 'This is not in the documents.');
    assert.deepEqual([answer.sources, answer.confidence], [[], 'low']);
    assert.match(answer.note ?? '', /found nothing in the documents/);
  });
});

/** The parts of an event that do not depend on times, ids or the wire. */
function shapeOf(event: AgentEvent): string {
  switch (event.type) {
    case 'tool_started':
      return `${event.type} ${event.name} ${event.title} ${event.decision.kind}`;
    case 'tool_finished':
      return `${event.type} ${JSON.stringify(event.result.content)}`;
    case 'message_added':
      return `${event.type} ${event.message.role} ${event.message.content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')}`;
    case 'run_finished':
      return `${event.type} ${event.outcome}`;
    default:
      return event.type;
  }
}
