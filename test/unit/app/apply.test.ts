import assert from 'node:assert/strict';
import { SessionError } from '../../../src/app/session/session-error.ts';
import type { AppliedCode } from '../../../src/core/session/effects.ts';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { hashOf } from '../../../src/workspace/content.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const FILE = 'one\ntwo\nthree\n';

async function second(text = FILE, code = 'deux'): Promise<AppliedCode> {
  return { path: 'a.txt', code, at: { line: 2, removes: 1, before: await hashOf(Buffer.from(text)) } };
}

const answered = [turn(say('Use ```deux```.')), turn(say('Then that.'))];

/** Asks in Ask mode, and applies the code. Resolves when the approval is requested. */
async function untilAsked(kedge: Harness, code: AppliedCode) {
  const asked = nextEvent(kedge.session, 'approval_requested');
  const ended = kedge.session.apply(code);
  return { ...(await asked), ended };
}

describe('code of an answer that the user applies', () => {
  it('is shown as a diff, asked for whatever is allowed, and written as it was shown', async () => {
    const policy = () => ({ problems: [], rules: [{ effect: 'allow' as const, path: '**', from: 'user' as const }] });
    await using kedge = await assistantOn({ 'a.txt': FILE }, answered, { policy, requirePlan: true });
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'How?', mode: 'ask' });
    const { approvalId, ended, changes, title, covers, reason } = await untilAsked(kedge, await second());
    assert.deepEqual([title, covers], ['Apply code to a.txt', undefined]);
    assert.match(reason, /You are applying code from an answer/);
    assert.equal(changes[0]?.diff, '@@ -1,3 +1,3 @@\n one\n-two\n+deux\n three');
    assert.equal(await kedge.read('a.txt'), FILE);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a.txt'), 'one\ndeux\nthree\n');
    assert.equal(lastOf(kedge.events, 'run_finished').receipt?.changedCount, 1);

    // The model was asked once: the run of the code has none. The next request tells it what the user did.
    assert.equal(kedge.adapter.requests.length, 1);
    await kedge.session.prompt({ text: 'And now?', mode: 'ask' });
    assert.match(JSON.stringify(kedge.adapter.requests[1]?.messages), /The code was applied to a\.txt\./);
  });

  it('is undone like an edit of an agent', async () => {
    await using kedge = await assistantOn({ 'a.txt': FILE });
    answerAll(kedge.session, { approve: true });
    await kedge.session.apply({ path: 'new/b.txt', code: 'x' });
    await kedge.session.apply(await second());
    assert.equal(await kedge.read('new/b.txt'), 'x\n');
    for (const runId of kedge.session.state.runs.keys()) await kedge.session.changes.undo(runId);
    assert.deepEqual(
      Object.keys(await kedge.snapshot()).filter((path) => path.endsWith('.txt')),
      ['workspace/a.txt'],
    );
    assert.equal(await kedge.read('a.txt'), FILE);
  });

  it('is not written when it is rejected, denied, or the file has changed', async () => {
    const policy = () => ({ problems: [], rules: [{ effect: 'deny' as const, path: 'secret/**', from: 'user' as const }] });
    await using kedge = await assistantOn({ 'a.txt': FILE, 'secret/c.txt': FILE }, [], { policy });
    answerAll(kedge.session, { approve: false });
    await kedge.session.apply(await second());
    await kedge.session.apply(await second('other'));
    await kedge.session.apply({ ...(await second()), path: 'secret/c.txt' });
    await kedge.session.apply({ path: '../out.txt', code: 'x' });
    const results = resultTexts(kedge.session);
    assert.match(results[0] ?? '', /rejected/);
    assert.match(results[1] ?? '', /a\.txt has changed/);
    assert.match(results[2] ?? '', /Denied/);
    assert.match(results[3] ?? '', /outside the workspace/);
    assert.equal(await kedge.read('a.txt'), FILE);
    assert.deepEqual(eventsOf(kedge.events, 'changes_staged'), []);
  });

  it('leaves no trace of a file that may not be read when a diff of it is applied', async () => {
    const policy = () => ({ problems: [], rules: [{ effect: 'deny' as const, path: 'secret/**', from: 'user' as const }] });
    await using kedge = await assistantOn({ 'secret/c.txt': FILE, 'a.txt': FILE }, [], { policy });
    answerAll(kedge.session, { approve: true });
    const diff = '--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-one\n+un';
    const at = { line: 1, removes: 3, before: await hashOf(Buffer.from(FILE)), patch: true as const };
    await kedge.session.apply({ path: 'secret/c.txt', code: diff, at });
    assert.doesNotMatch(JSON.stringify(kedge.events), /three/);
    await kedge.session.apply({ path: 'a.txt', code: diff, at });
    assert.deepEqual([await kedge.read('secret/c.txt'), await kedge.read('a.txt')], [FILE, FILE.replace('one', 'un')]);
    await kedge.session.apply({ path: 'a.txt', code: diff, at: { ...at, before: await hashOf(Buffer.from(FILE.replace('one', 'un'))) } });
    assert.match(resultTexts(kedge.session).at(-1) ?? '', /The diff does not fit a\.txt/);
  });

  it('tells the model nothing of the file', async () => {
    const secret = 'KEY=sk-12345\nB=2\n';
    await using kedge = await assistantOn({ '.env': secret }, answered);
    answerAll(kedge.session, { approve: true });
    await kedge.session.apply({ path: '.env', code: 'C=3', at: { line: 2, removes: 1, before: await hashOf(Buffer.from(secret)) } });
    assert.equal(await kedge.read('.env'), 'KEY=sk-12345\nC=3\n');
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.doesNotMatch(JSON.stringify(kedge.adapter.requests), /sk-12345|B=2/);
  });

  it('waits over a reload', async () => {
    await using kedge = await assistantOn({ 'a.txt': FILE });
    const { approvalId } = await untilAsked(kedge, await second());
    const again = await kedge.reload();
    await again.session.answerApproval(approvalId, { approve: true });
    assert.equal(await again.read('a.txt'), 'one\ndeux\nthree\n');
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
  });

  it('leaves messages and other runs alone', async () => {
    await using kedge = await assistantOn({ 'a.txt': FILE }, answered);
    const { approvalId, ended } = await untilAsked(kedge, await second());
    await assert.rejects(kedge.session.say({ text: 'wait', mode: 'ask' }), SessionError);
    await assert.rejects(kedge.session.apply(await second()), SessionError);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(kedge.session.queue.size, 0);
    await assert.rejects(kedge.session.resume(), /no paused run/);
    await assert.rejects(kedge.session.compact(), /no conversation/);
  });

  it('is refused in a workspace that is not trusted', async () => {
    await using kedge = await assistantOn({ 'a.txt': FILE }, [], { trusted: false });
    await kedge.session.apply(await second());
    assert.equal(await kedge.read('a.txt'), FILE);
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested'), []);
  });
});
