import assert from 'node:assert/strict';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { Mode, QuestionAnswer } from '../../../src/core/session/events.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const ask = (id = '') => call('ask_user', { question: 'Which harbour?', options: ['North', 'South'] }, id);

describe('the model asks the user', () => {
  for (const mode of ['ask', 'plan', 'agent'] as Mode[]) {
    it(`in ${mode} mode, and receives the chosen option`, async () => {
      await using kedge = await assistantOn({}, [turn(ask()), turn(say('North it is.'))]);
      const ended = kedge.session.prompt({ text: 'go', mode });
      const { questionId, question } = await nextEvent(kedge.session, 'question_asked');
      assert.equal(question.text, 'Which harbour?');
      assert.deepEqual(
        question.options.map(({ label }) => label),
        ['North', 'South'],
      );
      assert.equal(kedge.session.running, true);
      await kedge.session.answerQuestion(questionId, { option: 'North' });
      await ended;
      assert.deepEqual(resultTexts(kedge.session), ['The user chose: North']);
      assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    });
  }

  it('who may answer in their own words, whatever the options', async () => {
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('West then.'))]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId, question } = await nextEvent(kedge.session, 'question_asked');
    assert.equal(question.freeText, true);
    await kedge.session.answerQuestion(questionId, { words: 'West, by the lock' });
    await ended;
    assert.deepEqual(resultTexts(kedge.session), ['The user answered: West, by the lock']);
  });

  it('and continues with the most likely answer if no user is available', async () => {
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('I assumed North.'))]);
    const nobody: QuestionAnswer = { words: 'Nobody can be asked here.', by: 'nobody' };
    kedge.session.subscribe((event) => {
      if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, nobody);
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(resultTexts(kedge.session)[0] ?? '', /^Nobody can be asked here\. Continue with the most likely option/);
  });

  it('several questions at once, which are answered in any order', async () => {
    await using kedge = await assistantOn({}, [turn(ask('one'), ask('two')), turn(say('Both then.'))]);
    const both = new Promise<void>((resolve) => {
      kedge.session.subscribe(() => kedge.session.state.pendingQuestions.size === 2 && resolve());
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await both;
    await kedge.session.answerQuestion('two:ask', { option: 'South' });
    await kedge.session.answerQuestion('one:ask', { option: 'North' });
    await ended;
    assert.deepEqual(resultTexts(kedge.session), ['The user chose: North', 'The user chose: South']);
  });

  it('once: a second answer is refused, and so is an answer after a stop', async () => {
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('North.')), turn(ask())]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    await kedge.session.answerQuestion(questionId, { option: 'North' });
    await assert.rejects(kedge.session.answerQuestion(questionId, { option: 'South' }), /already been answered/);
    await ended;
    const next = kedge.session.prompt({ text: 'again', mode: 'ask' });
    const asked = await nextEvent(kedge.session, 'question_asked');
    await kedge.session.stop();
    await next;
    assert.equal(kedge.session.state.pendingQuestions.size, 0);
    await assert.rejects(kedge.session.answerQuestion(asked.questionId, { option: 'North' }), /already been answered/);
  });
});

describe('an answer to a question after a reload', () => {
  it('continues the run without asking again', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [turn(ask(), call('read_file', { path: 'a.txt' })), turn(say('North it is.'))]);
    void kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    const again = await kedge.reload();
    assert.deepEqual([...again.session.state.pendingQuestions.keys()], [questionId]);
    assert.equal(again.session.state.lastRun?.status, 'live');
    await again.session.answerQuestion(questionId, { option: 'North' });
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(resultTexts(again.session), ['The user chose: North', '1\ta']);
    assert.equal(eventsOf(again.session.events, 'question_asked').length, 1);
  });

  it('counts even if the window was closed right after the answer', async () => {
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('North it is.'))]);
    kedge.session.subscribe(({ type }) => {
      if (type === 'question_answered') kedge.assistant.close();
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    await kedge.session.answerQuestion(questionId, { option: 'North' });
    await ended;
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.pause, 'interrupted');
    await again.session.resume();
    assert.deepEqual(resultTexts(again.session), ['The user chose: North']);
    assert.equal(eventsOf(again.session.events, 'question_asked').length, 1);
  });

  it('continues the run when the last approval and question are answered', async () => {
    const script = [turn(ask('question'), call('create_file', { path: 'new.txt', content: '' }, 'file')), turn(say('Done.'))];
    await using kedge = await assistantOn({}, script);
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    const again = await kedge.reload();
    const asked = nextEvent(again.session, 'approval_requested');
    const ended = again.session.answerQuestion(questionId, { words: 'West' });
    const { approvalId } = await asked;
    await again.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(Object.keys(await again.snapshot()), ['/', 'workspace/', 'workspace/new.txt']);
  });
});

describe('waiting for an answer', () => {
  it('uses no budget and has no time limit', async () => {
    let time = 0;
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('North it is.'))], { limits: { minutes: 1 }, now: () => time });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    time += 30 * 24 * 60 * 60_000;
    await kedge.session.answerQuestion(questionId, { option: 'North' });
    await ended;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.equal(lastOf(kedge.events, 'tool_finished').durationMs, 0);
    assert.equal(kedge.session.state.lastRun?.used.ms, 0);
    assert.equal(kedge.adapter.requests.length, 2);
  });

  it('uses no budget after a reload either', async () => {
    let time = 0;
    await using kedge = await assistantOn({}, [turn(ask()), turn(say('North it is.'))], { limits: { minutes: 1 }, now: () => time });
    void kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    const again = await kedge.reload();
    time += 30 * 24 * 60 * 60_000;
    await again.session.answerQuestion(questionId, { option: 'North' });
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.equal(again.session.state.lastRun?.used.ms, 0);
  });
});

describe('the tool that asks', () => {
  it('has a short description', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const tool = (kedge.adapter.requests[0] as ModelRequest).tools.find(({ name }) => name === 'ask_user');
    assert.ok(JSON.stringify(tool).length < 400, JSON.stringify(tool));
  });

  it('refuses an empty question, and offers the same option once', async () => {
    const script = [
      turn(call('ask_user', { question: '' }), call('ask_user', { question: 'Sure?', options: ['Yes', 'Yes', 'No'] })),
      turn(say('Good.')),
    ];
    await using kedge = await assistantOn({}, script);
    answerAll(kedge.session, { approve: true });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { questionId, question } = await nextEvent(kedge.session, 'question_asked');
    assert.deepEqual(
      question.options.map(({ label }) => label),
      ['Yes', 'No'],
    );
    await kedge.session.answerQuestion(questionId, { option: 'Yes' });
    await ended;
    assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR The arguments of ask_user do not fit/);
  });
});
