import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { CALL_BODIES, TEXT_BODIES } from '../support/wire-bodies.ts';
import { startWireServer, type WireServer } from '../support/wire-server.ts';
import { sharedWorkbench, type Workbench } from './harness.ts';
import { choose, conversation, newSession, send } from './panel.ts';
import { filesAre, HARBOUR } from './workspace.ts';

const said = (text: string) => ({ body: TEXT_BODIES['openai-chat']?.([text]) ?? '' });
const called = (id: string, name: string, args: Record<string, unknown>) => ({
  body: CALL_BODIES['openai-chat']?.([{ id, name, args }]) ?? '',
});
const PLAN = {
  goal: 'Say in which unit the level is',
  steps: [
    { title: 'Add the unit to the comment', files: ['src/tide.ts'], agent: 'coder' },
    { title: 'Review the change', files: [] },
  ],
};
const TIDE = HARBOUR['src/tide.ts'] ?? '';
const EDIT = { path: 'src/tide.ts', edits: [{ old_text: TIDE, new_text: `// In metres.\n${TIDE}` }] };

/** The model that proposes and carries out the plan, the coder, and the reviewer, in the order of their requests. */
const ANSWERS = [
  called('p1', 'propose_plan', PLAN),
  called('r1', 'update_step', { step: 1, status: 'started' }),
  called('c1', 'replace_in_file', EDIT),
  said('The comment names the unit.'),
  called('r2', 'update_step', { step: 2, status: 'started', note: 'It is in src/tide.ts.' }),
  called('v1', 'read_file', { path: 'src/tide.ts' }),
  said('No findings in src/tide.ts:1.'),
  said('Both steps are done.'),
];

describe('a plan whose step is done by an agent', () => {
  let server: WireServer;
  let workbench: Workbench;
  let panel: Frame;

  before(async () => {
    server = await startWireServer(ANSWERS, 'text/event-stream');
  });
  after(() => server.close());
  const begin = sharedWorkbench(() => ({
    files: HARBOUR,
    settings: { 'kedge.model': 'openai-chat/test-model', 'kedge.baseUrls': { 'openai-chat': `${server.url}/v1` } },
  }));
  beforeEach(async () => {
    ({ workbench } = await begin());
    panel = await workbench.panelFrame();
    await newSession(panel);
  });

  const button = (name: string | RegExp) => panel.getByRole('button', { name }).last();

  it('is shown with its agents, changed, confirmed, and carried out by them in runs below its steps', async () => {
    await choose(panel, 'Plan');
    await send(panel, 'Say in which unit the level is. The coder writes it.');
    const card = panel.getByRole('region', { name: `Plan: ${PLAN.goal}` });
    await card.getByText('agent coder').waitFor();
    await button('Edit plan').click();
    await panel.getByLabel('Agent of step 2').selectOption('reviewer');
    await workbench.screenshot('plan-agents-editor');
    await button('Save').click();
    await card.getByText('agent reviewer').waitFor();
    await workbench.screenshot('plan-agents-card');
    assert.equal(server.requests.length, 1);
    await button('Run plan').click();

    await conversation(panel).getByText('Both steps are done.').waitFor();
    const progress = panel.getByRole('region', { name: `Progress of the plan: ${PLAN.goal}` });
    await progress.getByText('2/2').waitFor();
    await progress.getByText('agent reviewer').waitFor();
    await filesAre(workbench.folder, { ...HARBOUR, 'src/tide.ts': `// In metres.\n${TIDE}` }, 'the change of the coder');
    assert.equal(server.requests.length, ANSWERS.length);
    await button(/^2 steps/).click();
    await conversation(panel).getByText('Step 2, agent reviewer: Review the change').waitFor();
    await workbench.screenshot('plan-agents-done');

    await button('Undo run').click();
    await filesAre(workbench.folder, HARBOUR, 'after the undo');
  });
});
