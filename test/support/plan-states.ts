/** Panel states in which a plan is proposed, edited or carried out. */
import type { Plan } from '../../src/core/plan/plan.ts';
import type { ChangeSummary } from '../../src/core/session/effects.ts';
import { unchangedQuestion } from '../../src/tools/plan/step-questions.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

export const RICH: Plan = {
  id: 'plan-rich',
  revision: 2,
  hash: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809',
  goal: 'Rename tideAt to heightAt, and say so in the guide',
  steps: [
    {
      title: 'Rename the function and its callers',
      detail: 'Not in the generated tables.',
      files: ['src/tide.ts', 'src/harbour/**/*.ts'],
      tools: ['replace_in_file'],
      check: { search_empty: { pattern: '\\btideAt\\b', glob: 'src/**/*.ts' } },
    },
    { title: 'Adapt the tests', files: ['test/tide.test.ts'], check: { command: 'npm test -- --grep "tide tables of the harbour"' } },
    { title: 'Look for type errors', files: ['src/tide.ts'], check: { diagnostics: true } },
    {
      title: 'Describe the new name in the guide',
      files: ['docs/a-rather-long-directory-name/guide-to-tide-tables.md'],
      check: 'Read it once more.',
    },
  ],
  assumptions: ['Nobody outside of this repository imports tideAt.'],
  checks: ['Look at the diff as a whole.', { command: 'npm run check && npm test' }],
  estimatedCalls: 14,
};

const CHANGE: ChangeSummary = {
  path: 'src/tide.ts',
  kind: 'edit',
  before: 'a',
  after: 'b',
  added: 1,
  removed: 1,
  diff: '@@ -12,3 +12,3 @@\n /** Metres above datum. */\n-export function tideAt() {}\n+export function heightAt() {}\n ',
};

const of = { planId: RICH.id };
const OUTPUT = 'src/harbour/berth.ts\n  48: return round(tideAt(station));\n  52: // tideAt is in metres';

const proposed = () =>
  new Script().run('plan', 'Rename tideAt to heightAt').add({ type: 'plan_proposed', plan: RICH }).finishes('plan_proposed');

const begun = () => {
  const script = proposed()
    .add({ type: 'plan_resolved', planId: RICH.id, answer: 'run', plan: RICH })
    .run('agent', 'The user confirmed this plan.', RICH)
    .add({ type: 'plan_step', ...of, step: 1, status: 'started' })
    .calls('replace_in_file', 'Edit src/tide.ts', {}, { effect: 'mutating', path: 'src/tide.ts' });
  return script.add({ type: 'file_changed', callId: script.lastCall, changes: [CHANGE] }).returns('replace_in_file', 'Edited.');
};

const checked = (outcome: 'passed' | 'failed') =>
  begun()
    .calls('update_step', 'Step 1 done', { step: 1, status: 'done' })
    .add({ type: 'step_checked', ...of, step: 1, check: RICH.steps[0]?.check ?? '', outcome, output: outcome === 'failed' ? OUTPUT : '' });

const running = () =>
  checked('passed')
    .add({ type: 'plan_step', ...of, step: 1, status: 'done' })
    .returns('update_step', 'Step 1 is done.')
    .add({ type: 'plan_step', ...of, step: 2, status: 'started' })
    .add({ type: 'step_checked', ...of, step: 2, check: RICH.steps[1]?.check ?? '', outcome: 'failed', output: '1 failing' })
    .add({ type: 'step_rolled_back', ...of, step: 2, undoId: 'u', results: [] })
    .add({ type: 'plan_step', ...of, step: 2, status: 'skipped', note: 'Its check failed; its changes were rolled back.' })
    .add({ type: 'plan_step', ...of, step: 3, status: 'started' })
    .calls('search_text', 'Search for tideAt', {});

const deviating = () => {
  const script = begun().calls('replace_in_file', 'Edit src/units.ts', {}, { effect: 'mutating', path: 'src/units.ts' });
  return script.add({
    type: 'approval_requested',
    approvalId: 'deviation',
    callId: script.lastCall,
    title: 'Edit src/units.ts',
    rule: 'outside-plan',
    reason: 'Step 1 (Rename the function and its callers) may not change src/units.ts.',
    covers: [
      { kind: 'edits', beyondPlan: true },
      { kind: 'path', tool: 'replace_in_file', glob: 'src/**', beyondPlan: true },
    ],
    changes: [{ ...CHANGE, path: 'src/units.ts' }],
  });
};

const widened = () => {
  const script = deviating();
  const steps = RICH.steps.map((step, index) => (index === 0 ? { ...step, files: [...step.files, 'src/units.ts'] } : step));
  return script
    .add({ type: 'approval_resolved', approvalId: 'deviation', callId: script.lastCall, answer: { approve: true, widen: true } })
    .add({
      type: 'plan_revised',
      plan: { ...RICH, steps, revision: 3, hash: 'ffee'.repeat(16) },
      reason: 'You allowed step 1 to change src/units.ts.',
    });
};

const asking = () => {
  const script = checked('failed');
  return script.add({
    type: 'question_asked',
    questionId: `${script.lastCall}:step 1`,
    callId: script.lastCall,
    question: {
      id: 'step 1',
      text: 'Step 1 (Rename the function and its callers) did not pass its check: nothing matches \\btideAt\\b in src/**/*.ts.',
      options: [
        { label: 'Retry', detail: 'The model tries again' },
        { label: 'Skip', detail: 'Continue with the next step' },
        { label: 'Edit plan', detail: 'The run pauses' },
        { label: 'Stop' },
      ],
      freeText: true,
    },
  });
};

const paused = () =>
  checked('passed')
    .add({ type: 'plan_step', ...of, step: 1, status: 'done' })
    .returns('update_step', 'Step 1 is done.')
    .add({ type: 'plan_step', ...of, step: 2, status: 'started' })
    .add({ type: 'run_paused', reason: 'edit_plan', summary: 'So far 2 tool calls.' });

const stopped = () => running().finishes('stopped');

/** The model reported a step as done, although the step changed nothing. */
const unchanged = () => {
  const script = proposed()
    .add({ type: 'plan_resolved', planId: RICH.id, answer: 'run', plan: RICH })
    .run('agent', 'The user confirmed this plan.', RICH)
    .add({ type: 'plan_step', ...of, step: 1, status: 'started' })
    .calls('update_step', 'Step 1 reported done: Rename the function and its callers', { step: 1, status: 'done' });
  const question = unchangedQuestion(1, RICH.steps[0]);
  return script.add({ type: 'question_asked', questionId: `${script.lastCall}:${question.id}`, callId: script.lastCall, question });
};

/** All steps are done, and a check after the last one failed. */
const endCheckFailed = () => {
  const script = checked('passed')
    .add({ type: 'plan_step', ...of, step: 1, status: 'done' })
    .returns('update_step', 'Step 1 is done.');
  for (const step of [2, 3, 4]) script.add({ type: 'plan_step', ...of, step, status: 'done', ...(step === 3 && { unchanged: true }) });
  const output = 'Exit code 1\n\n  1 failing\n\n  1) tide tables of the harbour\n       are in metres: expected 2.4, got 7.9';
  return script
    .add({ type: 'plan_checked', ...of, check: { command: 'npm run check && npm test' }, outcome: 'failed', output })
    .says('All steps are done.')
    .finishes('failed', {
      kind: 'check',
      message: 'The plan did not pass a check after its last step: command: npm run check && npm test. Try again, or edit the plan.',
    });
};

const BY_AGENTS: Plan = {
  ...RICH,
  steps: RICH.steps.map((step, index) => ({
    ...step,
    ...(index % 3 === 0 && { agent: index === 0 ? 'coder' : 'documentation-of-the-harbor' }),
  })),
};

const byAgents = () => new Script().run('plan', 'Rename tideAt').add({ type: 'plan_proposed', plan: BY_AGENTS }).finishes('plan_proposed');

/** The agent of the first step is at work. */
const agentRunning = () => {
  const script = byAgents()
    .add({ type: 'plan_resolved', planId: RICH.id, answer: 'run', plan: BY_AGENTS })
    .run('agent', 'The user confirmed this plan.', BY_AGENTS);
  const title = 'Step 1, agent coder: Rename the function and its callers';
  script.calls('update_step', title, { step: 1, status: 'started' }).add({ type: 'plan_step', ...of, step: 1, status: 'started' });
  const agent = { name: 'coder', source: 'shipped', digest: 'd', prompt: 'Work.' } as const;
  const parent = { runId: script.runId, callId: script.lastCall, depth: 1 };
  const limits = { turns: 40, callsPerTurn: 32, callsPerRun: 500, minutes: 50 };
  const model = { provider: 'openai', model: 'gpt-6.1-sol' };
  script.add({ type: 'run_started', mode: 'agent', prompt: RICH.steps[0]?.title ?? '', model, limits, parent, agent });
  for (const event of script.events.slice(-1)) event.runId = `${parent.runId}.1`;
  return script;
};

export const planStates = (): Record<string, NamedState> => ({
  'plan-typed': { messages: [host('plan'), session(proposed(), false)] },
  'plan-typed-editing': { messages: [host('plan'), session(proposed(), false)], press: ['Edit plan'] },
  'plan-run-options': { messages: [host('plan'), session(proposed(), false)], press: ['More options to run the plan'] },
  'plan-words': { messages: [host('plan'), session(proposed(), false)], press: ['Ask for changes…'] },
  'plan-steps': { messages: [host('agent'), session(running(), true)] },
  'plan-deviation': { messages: [host('agent'), session(deviating(), true)] },
  'plan-deviation-scopes': { messages: [host('agent'), session(deviating(), true)], press: ['More approval options'] },
  'plan-unchanged-asks': { messages: [host('agent'), session(unchanged(), true)] },
  'plan-end-check-failed': { messages: [host('agent'), session(endCheckFailed(), false)] },
  'plan-widened': { messages: [host('agent'), session(widened(), true)] },
  'plan-check-failed': { messages: [host('agent'), session(asking(), true)] },
  'plan-paused': { messages: [host('agent'), session(paused(), false)] },
  'plan-agents': { messages: [host('plan'), session(byAgents(), false)] },
  'plan-agents-editing': { messages: [host('plan'), session(byAgents(), false)], press: ['Edit plan'] },
  'plan-agent-runs': { messages: [host('agent'), session(agentRunning(), true)] },
  'plan-stopped': { messages: [host('agent'), session(stopped(), false)] },
});
