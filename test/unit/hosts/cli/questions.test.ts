import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { Question } from '../../../../src/core/session/events.ts';
import type { AskedQuestion } from '../../../../src/core/session/session-state.ts';
import { LineReader } from '../../../../src/hosts/cli/line-reader.ts';
import { parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import { confirmPlan, promptForAnswer } from '../../../../src/hosts/cli/questions.ts';
import { EXIT, runSession } from '../../../../src/hosts/cli/run-session.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { assistantOn, resultTexts } from '../../../support/harness.ts';

const asked = (question: Partial<Question>): AskedQuestion => ({
  type: 'question_asked',
  questionId: 'c:ask',
  callId: 'c',
  runId: 'r',
  seq: 1,
  at: 0,
  question: { id: 'ask', text: 'Which harbour?', options: [{ label: 'North' }, { label: 'South', detail: 'by the lock' }], ...question },
});
const signal = new AbortController().signal;

/** Simulates a person who types the next of these lines at each prompt. The output of the terminal is discarded. */
async function typing<T>(typed: string[], work: (input: PassThrough, lines: LineReader, shown: () => string) => Promise<T>): Promise<T> {
  const { write } = process.stderr;
  let shown = '';
  const input = new PassThrough();
  process.stderr.write = ((text: string) => {
    shown += text;
    if (text.endsWith('> ') && typed.length > 0) setImmediate(() => input.write(`${typed.shift()}\n`));
    return true;
  }) as typeof write;
  try {
    return await work(input, new LineReader(input), () => shown);
  } finally {
    process.stderr.write = write;
  }
}

describe('a question in the terminal', () => {
  it('is answered with the number or the name of an option, or in the user’s own words', async () => {
    for (const [typed, answer] of [
      ['2', { option: 'South' }],
      ['North', { option: 'North' }],
      ['West, by the lock', { words: 'West, by the lock' }],
      ['7', { words: '7' }],
    ] as const) {
      const given = await typing([typed], (_, lines) => promptForAnswer(asked({ freeText: true }), lines, signal));
      assert.deepEqual(given, answer);
    }
  });

  it('shows the options with their numbers, and asks again after an invalid answer', async () => {
    await typing(['West', '', '3', '1'], async (_, lines, shown) => {
      assert.deepEqual(await promptForAnswer(asked({}), lines, signal), { option: 'North' });
      assert.match(shown(), /Which harbour\?\n {2}1 {2}North\n {2}2 {2}South {2}by the lock\n(1-2 > ){4}$/);
    });
  });

  it('runs, discards or keeps a plan with one letter; longer text describes changes', async () => {
    for (const [typed, answer] of [
      [['y'], 'run'],
      [['e'], 'run_and_allow_edits'],
      [['No'], 'discard'],
      [['what', 'k'], 'keep'],
      [['yes, but leave the tests alone'], { change: 'yes, but leave the tests alone' }],
      [['c yes'], { change: 'yes' }],
      [['c', 'c ', 'c k'], { change: 'k' }],
      [['not main.ts please'], { change: 'not main.ts please' }],
    ] as const)
      assert.deepEqual(await typing([...typed], (_, lines) => confirmPlan(signal, lines)), answer);
  });

  it('is dropped at the end of the input, or when the run is stopped', async () => {
    const stopping = new AbortController();
    await typing([], async (input, lines) => {
      const answer = promptForAnswer(asked({}), lines, stopping.signal);
      stopping.abort();
      assert.equal(await answer, undefined);
      const next = promptForAnswer(asked({}), lines, signal);
      input.end();
      assert.equal(await next, undefined);
    });
  });

  it('is answered for the model if nobody is there, and the model continues', async () => {
    await using kedge = await assistantOn({}, [turn(call('ask_user', { question: 'Which harbour?' })), turn(say('I assumed North.'))]);
    const start = () => kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(await runSession(kedge.session, start, parseCommand(['ask', 'go']), signal), EXIT.answered);
    assert.match(
      resultTexts(kedge.session)[0] ?? '',
      /^The user could not be asked because no terminal is connected\. Continue with the most likely option/,
    );
  });
});

describe('a plan at the prompt', () => {
  const plan = call('propose_plan', { goal: 'Tidy up', steps: [{ title: 'Tidy', files: ['a.ts'] }] });

  it('is asked about again if the model did not propose another plan', async () => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
    await using kedge = await assistantOn({}, [turn(plan), turn(say('Why should I?'))]);
    await typing(['leave a.ts alone', 'n'], async (input, _, shown) => {
      Object.defineProperty(process, 'stdin', { value: Object.assign(input, { isTTY: true }), configurable: true });
      try {
        const start = () => kedge.session.prompt({ text: 'Tidy up.', mode: 'plan' });
        assert.equal(await runSession(kedge.session, start, parseCommand(['plan', 'Tidy up.']), signal), EXIT.answered);
        const asked =
          /^(Goal: Tidy up\n\n1\. Tidy\n {3}files: a\.ts\nRun this plan\?[^>]*> ){2}The plan was discarded\. Nothing was changed\.\n$/;
        assert.match(shown(), asked);
      } finally {
        Object.defineProperty(process, 'stdin', stdin);
      }
    });
    assert.deepEqual(
      [...kedge.session.state.plans.values()].map(({ status }) => status),
      ['discarded'],
    );
  });
});

describe('an unfinished plan', () => {
  it('is named at the end, with the command that continues it', async () => {
    const steps = ['a.ts', 'b.ts'].map((file) => ({ title: `Tidy ${file}`, files: [file] }));
    const skipped = call('update_step', { step: 1, status: 'skipped' });
    const script = [turn(call('propose_plan', { goal: 'Tidy up', steps })), turn(skipped), turn(say('That is all.'))];
    await using kedge = await assistantOn({}, script);
    await typing([], async (_input, _lines, shown) => {
      const start = () => kedge.session.prompt({ text: 'Tidy up.', mode: 'plan' });
      assert.equal(await runSession(kedge.session, start, parseCommand(['plan', '--run-plan', 'Tidy up.']), signal), EXIT.answered);
      assert.match(shown(), /^1 of 2 plan steps is not finished\. To continue the plan: kedge --continue \S+\n$/);
    });
  });
});

describe('typed lines', () => {
  it('answer the questions in their order; other lines go to the listener', async () => {
    await typing(['a', 'b'], async (input, lines) => {
      const heard: string[] = [];
      const said = Promise.withResolvers<void>();
      const end = lines.listen((line) => {
        heard.push(line);
        said.resolve();
      });
      const first = lines.ask('one > ', signal);
      const second = lines.ask('two > ', signal);
      assert.equal(await first, 'a');
      assert.equal(await second, 'b');
      input.write('In metres, please.\n');
      await said.promise;
      assert.deepEqual(heard, ['In metres, please.']);
      end();
    });
  });
});
