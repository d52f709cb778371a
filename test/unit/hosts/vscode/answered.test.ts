import assert from 'node:assert/strict';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { foldRun } from '../../../../src/core/view/reduce-run.ts';
import { becameOf } from '../../../../src/hosts/vscode/answered.ts';

/** Returns a session with one run that has these events. */
const viewOf = (...events: AgentEvent[]) => ({ runs: [foldRun(events, 'r')] });

const event = (fields: object) => ({ runId: 'r', seq: 1, at: 0, ...fields }) as AgentEvent;

describe('a Chat button that is pressed again', () => {
  const asked = event({ type: 'approval_requested', approvalId: 'a', callId: 'c', title: 'Edit src/a.ts' });
  const resolved = (approve: boolean) => event({ type: 'approval_resolved', approvalId: 'a', callId: 'c', answer: { approve } });

  it('shows the earlier decision', () => {
    assert.equal(becameOf(viewOf(asked, resolved(true)), 'a'), 'You have already approved “Edit src/a.ts”.');
    assert.equal(becameOf(viewOf(asked, resolved(false)), 'a'), 'You have already rejected “Edit src/a.ts”.');
  });

  it('shows the earlier answer', () => {
    const answered = (answer: object) => event({ type: 'question_answered', questionId: 'q', callId: 'c', answer });
    assert.equal(becameOf(viewOf(answered({ option: 'The old one' })), 'q'), 'You have already answered this question: The old one');
    assert.equal(becameOf(viewOf(answered({ words: 'Neither' })), 'q'), 'You have already answered this question: Neither');
  });

  it('says that the question is no longer open', () => {
    assert.equal(becameOf(viewOf(asked), 'a'), 'This question is no longer open, because its run has ended. Send a new message.');
  });
});
