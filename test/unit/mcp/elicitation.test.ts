import assert from 'node:assert/strict';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';
import type { Question, QuestionAnswer } from '../../../src/core/session/events.ts';
import { elicited, visited } from '../../../src/mcp/client/elicitation.ts';

type Form = ElicitRequestFormParams['requestedSchema'];

/** Answers the questions in this order. */
async function answered(properties: Form['properties'], answers: QuestionAnswer[], required: string[] = []) {
  const questions: Question[] = [];
  const ask = async (question: Question) => {
    questions.push(question);
    return answers[questions.length - 1] as QuestionAnswer;
  };
  const result = await elicited('web', { message: 'Who are\u202e you?', requestedSchema: { type: 'object', properties, required } }, ask);
  assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length, 'each question has its own id');
  return { result, questions };
}

describe('a form of an MCP server', () => {
  it('becomes one question for each field, which names the server', async () => {
    const { result, questions } = await answered(
      {
        name: { type: 'string', title: 'Your name', description: 'as in your passport' },
        color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
        sure: { type: 'boolean' },
        count: { type: 'integer', minimum: 1 },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      [{ words: ' Ada ' }, { option: 'Green' }, { option: 'Small' }, { option: 'No' }, { words: '3' }, { words: 'a, b' }],
    );
    assert.deepEqual(result, {
      action: 'accept',
      content: { name: 'Ada', color: 'g', size: 's', sure: false, count: 3, tags: ['a', 'b'] },
    });
    assert.equal(questions[0]?.text, 'The MCP server web asks: Who are you?\n\nYour name: as in your passport');
    assert.deepEqual(
      [questions[0]?.freeText, questions[1]?.freeText, questions[1]?.options.map(({ label }) => label)],
      [true, false, ['Red', 'Green', 'Leave this out', 'Decline the request']],
    );
  });

  it('can be filled in with defaults, left out, declined and cancelled', async () => {
    const field = { name: { type: 'string', default: 'Ada' } } as const;
    assert.deepEqual((await answered(field, [{ option: 'Use the default: Ada' }])).result, { action: 'accept', content: {} });
    assert.deepEqual((await answered({ name: { type: 'string' } }, [{ option: 'Leave this out' }])).result, {
      action: 'accept',
      content: {},
    });
    assert.deepEqual((await answered(field, [{ option: 'Decline the request' }])).result, { action: 'decline' });
    assert.deepEqual((await answered(field, [{ words: 'No user.', by: 'nobody' }])).result, { action: 'cancel' });
    assert.deepEqual((await answered({}, [{ option: 'Accept' }])).result, { action: 'accept', content: {} });
    assert.deepEqual((await answered({}, [{ option: 'Decline the request' }])).result, { action: 'decline' });
  });

  it('asks again if an answer does not fit, and offers no way to leave out a required field', async () => {
    const required = { count: { type: 'integer', minimum: 1, maximum: 9 } } as const;
    const { result, questions } = await answered(required, [{ words: 'many' }, { words: '12' }, { words: '9' }], ['count']);
    assert.deepEqual([result, questions.length], [{ action: 'accept', content: { count: 9 } }, 3]);
    assert.match(questions[1]?.text ?? '', /does not fit/);
    assert.deepEqual(questions[0]?.options, [{ label: 'Decline the request' }]);
    assert.deepEqual((await answered(required, [{ words: 'x' }, { words: 'y' }, { words: '1.5' }], ['count'])).result, {
      action: 'decline',
    });
  });

  it('is declined if no call is in progress, or if it is too long', async () => {
    const form = (properties: Form['properties']): ElicitRequestFormParams => ({
      message: 'x',
      requestedSchema: { type: 'object', properties },
    });
    assert.deepEqual(await elicited('web', form({}), undefined), { action: 'decline' });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, { type: 'string' as const }]));
    assert.deepEqual(await elicited('web', form(many), () => assert.fail('nobody is asked')), { action: 'decline' });
  });
});

describe('an address that an MCP server asks the user to open', () => {
  const URL_TEXT = 'https://pay.example.com/checkout?id=1';
  async function asked(url: string, answer: QuestionAnswer, opens = true) {
    const questions: Question[] = [];
    const opened: string[] = [];
    const ask = async (question: Question) => {
      questions.push(question);
      return answer;
    };
    const open = async ({ href }: URL) => void opened.push(href);
    const result = await visited(
      'shop',
      { mode: 'url', message: 'Pay\u202e here', url, elicitationId: '1' },
      ask,
      opens ? open : undefined,
    );
    return { ...result, questions, opened };
  }

  it('is shown completely, and opened only after the user agrees', async () => {
    const accepted = await asked(URL_TEXT, { option: 'Open the address' });
    assert.deepEqual([accepted.action, accepted.opened], ['accept', [URL_TEXT]]);
    assert.match(
      accepted.questions[0]?.text ?? '',
      /server shop .* at pay\.example\.com .*Pay here\n\nhttps:\/\/pay\.example\.com\/checkout\?id=1\n/,
    );
    const declined = await asked(URL_TEXT, { option: 'Decline the request' });
    assert.deepEqual([declined.action, declined.opened], ['decline', []]);
    assert.equal((await asked(URL_TEXT, { words: 'yes' })).action, 'decline');
    assert.equal((await asked(URL_TEXT, { words: '', by: 'nobody' })).action, 'cancel');
  });

  it('is opened by the user where Kedge cannot open it', async () => {
    assert.equal((await asked(URL_TEXT, { option: 'I have opened it' }, false)).action, 'accept');
  });

  it('is declined without a question if it could mislead', async () => {
    for (const url of [
      'http://example.com/',
      'https://bank.com@evil.example/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'no address',
      `https://a.example/${'x'.repeat(3_000)}`,
    ]) {
      const { action, questions } = await asked(url, { option: 'Open the address' });
      assert.deepEqual([action, questions.length], ['decline', 0], url);
    }
    assert.equal((await asked('http://127.0.0.1:8080/form', { option: 'Open the address' })).action, 'accept');
  });
});
