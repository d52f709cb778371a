import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { ApprovalRequest } from '../../../src/core/session/session-state.ts';
import { approvalDetails } from '../../../src/core/view/approval-details.ts';
import { planLines } from '../../../src/core/view/plan-details.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import * as acp from '../../../src/hosts/acp/updates/markdown.ts';
import { ClientPaths } from '../../../src/hosts/acp/updates/tool-calls.ts';
import { approvalText, questionText } from '../../../src/hosts/cli/output/approval-text.ts';
import { paintFor } from '../../../src/hosts/cli/output/terminal.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { approvalMarkdown, planMarkdown, questionMarkdown } from '../../../src/hosts/vscode/chat/chat-markdown.ts';
import { assertShown, plan, planTexts, questionAbout, requestOf, sample } from '../../support/approval-samples.ts';

const paint = paintFor({ write: () => undefined });
const HIDDEN = /[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]/u;

/** Returns the text as the Chat displays it. Code is unchanged, and escapes elsewhere are resolved. */
function rendered(markdown: string): string {
  return markdown
    .split(/^((`{3,})\w*\n[\s\S]*?\n\2)$|((?<![`\\])(`+)(?!`).*?(?<!`)\4(?!`))/m)
    .map((part) => (part === undefined || /^`/.test(part) ? (part ?? '') : part.replace(/\\([!-/:-@[-`{-~])/g, '$1')))
    .join('');
}

const paths = new ClientPaths(new NodeFileSystem([import.meta.dirname]), { put: async () => '', get: async () => undefined });

/** Returns what a client of the Agent Client Protocol displays without the stored contents of the files. */
async function shownByClients(request: ApprovalRequest): Promise<string> {
  const diffs = (await paths.diffs(request.changes)).map((each) =>
    each.type === 'content' && each.content.type === 'text' ? each.content.text : '',
  );
  return [acp.approvalMarkdown(approvalDetails(request)), ...diffs].join('\n\n');
}

describe('an approval in the terminal, in the native Chat and in other editors', () => {
  it('shows everything that it executes, word by word, for calls of all tools', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async (each) => {
        const request = await requestOf(each);
        const inEditors = rendered(await shownByClients(request));
        for (const shown of [approvalText(request, paint), rendered(approvalMarkdown(request).join('')), inEditors]) {
          assertShown(shown, each);
          assert.doesNotMatch(shown, HIDDEN);
        }
      }),
      { numRuns: 120 },
    );
  }).timeout(60_000);

  it('shows all of a plan, with the meaning of its globs', () => {
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

  it('shows the command of a check', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('.', 'vendor/evil'), (command, cwd) => {
        const asked = questionAbout(command, cwd);
        const inEditors = rendered(acp.questionMarkdown(asked.question));
        for (const shown of [questionText(asked.question, paint), rendered(questionMarkdown(asked.question).join('')), inEditors]) {
          assertShown(shown, { executed: [visibleCommand(command)], paths: cwd === '.' ? [] : [cwd] });
          assert.doesNotMatch(shown, HIDDEN);
        }
      }),
    );
  });
});
