import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { quickInput } from '../../src/hosts/vscode/models/quick-input.ts';
import { until } from '../support/until.ts';

describe('a question in the quick input', () => {
  const choices = ['first', 'second'].map((label) => ({ label, group: label, value: label }));
  /** Presses Enter until the question accepts it. */
  async function entered(answer: Promise<unknown>): Promise<unknown> {
    let taken = false;
    void answer.finally(() => {
      taken = true;
    });
    await until('the answer', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return taken;
    });
    return answer;
  }

  it('is answered with its first choice by Enter', async () => {
    assert.equal(await entered(quickInput.pick({ title: 'Which?', choices })), 'first');
  });

  it('is answered with the suggested choice', async () => {
    assert.equal(await entered(quickInput.pick({ title: 'Which?', choices, proposed: 'second' })), 'second');
  });

  it('keeps its first choice when more choices arrive', async () => {
    const later = Promise.resolve(choices.map((choice) => ({ ...choice, description: 'known' })));
    const answer = quickInput.pick({ title: 'Which?', choices, later });
    await later;
    assert.equal(await entered(answer), 'first');
  });
});
