import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { runIn } from '../../src/core/view/session-view.ts';
import { takeFeedback } from '../../src/hosts/vscode/chat/chat-participant.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { Pages } from '../../src/hosts/vscode/panel/pages/pages.ts';
import type { InsightsPage } from '../../src/protocol/pages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { until } from '../support/until.ts';

describe('insights in the editor', () => {
  it('follow runs and ratings, also those of the Chat, and open as CSV', async function () {
    this.timeout(600_000);
    const { kedge } = await (vscode.extensions.getExtension('kedge.kedge') as vscode.Extension<Api>).activate();
    const posted: ToPanel[] = [];
    const pages = new Pages(kedge, (message) => posted.push(message));
    const last = () => posted.filter((each) => each.type === 'page' && each.name === 'insights').at(-1)?.data as InsightsPage | undefined;
    const answered = () => last()?.insights.total.runs?.answered ?? 0;
    const good = () => last()?.insights.total.ratings?.up ?? 0;
    try {
      await pages.show('insights');
      const [runsBefore, goodBefore] = [answered(), good()];
      assert.equal(last()?.range, 30);
      const session = await kedge.assistant.newSession();
      await session.prompt({ text: 'where is tideAt defined?', mode: 'ask', model: { provider: 'offline', model: 'offline' } });
      await until('the run to be counted', () => answered() === runsBefore + 1);

      const runId = session.state.lastRun?.runId ?? '';
      const metadata = { sessionId: session.id, mode: 'ask', runId };
      await takeFeedback(kedge, { kind: vscode.ChatResultFeedbackKind.Helpful, result: { metadata } });
      assert.equal(runIn(session.readView(), runId).rating?.rating, 'up');
      await until('the rating to be counted', () => good() === goodBefore + 1);
      // An answer of which nothing is known is not rated.
      await takeFeedback(kedge, { kind: vscode.ChatResultFeedbackKind.Unhelpful, result: {} });

      await pages.handle({ page: 'insights', type: 'choose_range', range: 7 });
      assert.equal(last()?.range, 7);
      await pages.handle({ page: 'insights', type: 'export_insights' });
      const document = vscode.window.activeTextEditor?.document;
      assert.ok(document?.isUntitled);
      assert.match(document.getText(), /^day,mode,model,group,name,value\n\d{4}-\d\d-\d\d,/);
      assert.match(document.getText(), /,ask,offline\/offline,ratings,up,\d+\n/);
    } finally {
      pages.dispose();
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  });
});
