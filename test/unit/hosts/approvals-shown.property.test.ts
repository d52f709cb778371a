import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { planLines } from '../../../src/core/view/plan-details.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { approvalText, questionText } from '../../../src/hosts/cli/output/approval-text.ts';
import { paintFor } from '../../../src/hosts/cli/output/terminal.ts';
import { approvalMarkdown, planMarkdown, questionMarkdown } from '../../../src/hosts/vscode/chat/chat-markdown.ts';
import { assertShown, plan, planTexts, questionAbout, requestOf, sample } from '../../support/approval-samples.ts';

const paint = paintFor({ write: () => undefined });
const HIDDEN = /[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]/u;

/** As the Chat shows it: what is fenced or in a code span stays as it is, elsewhere what was escaped is there. */
function rendered(markdown: string): string {
  return markdown
    .split(/^((`{3,})\w*\n[\s\S]*?\n\2)$|((?<![`\\])(`+)(?!`).*?(?<!`)\4(?!`))/m)
    .map((part) => (part === undefined || /^`/.test(part) ? (part ?? '') : part.replace(/\\([!-/:-@[-`{-~])/g, '$1')))
    .join('');
}

describe('what is approved', () => {
  it('is what the terminal and the native Chat show, word by word, for calls of all tools', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async (each) => {
        const request = await requestOf(each);
        for (const shown of [approvalText(request, paint), rendered(approvalMarkdown(request).join(''))]) {
          assertShown(shown, each);
          assert.doesNotMatch(shown, HIDDEN);
        }
      }),
      { numRuns: 120 },
    );
  }).timeout(60_000);

  it('is what they show of a plan, with what its globs stand for', () => {
    fc.assert(
      fc.property(plan, (draft) => {
        const proposed: Plan = { ...draft, id: 'p', revision: 1 };
        for (const shown of [planLines(proposed), rendered(planMarkdown(proposed))]) {
          assertShown(shown, { executed: planTexts(draft), paths: [] });
          assert.doesNotMatch(shown, HIDDEN);
          if (draft.steps.some(({ files }) => files.includes('**'))) assert.match(shown, /every file in the workspace/);
        }
      }),
    );
  });

  it('is what they show of a check that asks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('.', 'vendor/evil'), (command, cwd) => {
        const asked = questionAbout(command, cwd);
        for (const shown of [questionText(asked.question, paint), rendered(questionMarkdown(asked.question).join(''))]) {
          assertShown(shown, { executed: [visibleCommand(command)], paths: cwd === '.' ? [] : [cwd] });
          assert.doesNotMatch(shown, HIDDEN);
        }
      }),
    );
  });
});
