import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant } from '../../src/app/assistant.ts';
import type { Session } from '../../src/app/session/session.ts';
import type { Plan, PlanDraft } from '../../src/core/plan/plan.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { VsCodeWriter } from '../../src/hosts/vscode/files/writer.ts';
import type { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { VsCodeLanguages } from '../../src/hosts/vscode/languages/languages.ts';
import { openAsMarkdown } from '../../src/hosts/vscode/plans.ts';
import { call, type ScriptedTurn, say, scriptedAdapter, turn } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { eventsOf, lastOf, nextEvent } from '../support/harness.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'extra', 'new'];
const path = (name: string) => `plan-test/${name}.txt`;
const gone = (name: string) => ({ search_empty: { pattern: 'old', glob: path(name) } });
const PLAN: PlanDraft = {
  goal: 'Make everything new',
  steps: [
    { title: 'One', files: [path('one')], check: gone('one') },
    { title: 'Two', files: [path('two')] },
    { title: 'Three', files: [path('three')], check: gone('three') },
    { title: 'Four', files: [path('four')], check: { search_empty: { pattern: 'new', glob: path('four') } } },
    { title: 'Five', files: [path('five')], check: { diagnostics: true } },
    { title: 'Six', files: [path('six')] },
  ],
};
const edit = (name: string, to = 'new') => call('replace_in_file', { path: path(name), edits: [{ old_text: 'old', new_text: to }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const whole = (number: number, name: string) => turn(step(number, 'started'), edit(name), step(number, 'done'));

/** The model's turns before and after the reload. */
const SCRIPT: ScriptedTurn[] = [
  turn(call('propose_plan', PLAN)),
  whole(1, 'one'),
  turn(step(2, 'started'), edit('two'), edit('extra'), step(2, 'done')),
  turn(step(3, 'started'), edit('three', 'old and new'), step(3, 'done')),
  turn(edit('three', 'the'), step(3, 'done')),
  whole(4, 'four'),
  turn(step(4, 'done'), step(5, 'started'), edit('new'), step(5, 'done')),
  whole(6, 'five'),
  whole(7, 'six'),
  turn(say('Done.')),
];

describe('a plan in VS Code', () => {
  let kedge: Kedge;
  let storage: string;
  let languages: VsCodeLanguages;
  let diagnostics: vscode.DiagnosticCollection;
  const adapter = scriptedAdapter(SCRIPT);
  const assistants: Assistant[] = [];

  const uri = (name: string) => kedge.fs.uri({ folder: 0, path: path(name) });
  const textOf = async (name: string) => Buffer.from(await vscode.workspace.fs.readFile(uri(name))).toString();

  function assistant(): Assistant {
    const made = new Assistant({
      fileSystem: () => kedge.fs,
      writer: () => new VsCodeWriter(kedge.fs),
      blobs: new DiskBlobs(join(storage, 'blobs')),
      store: new SessionStore(join(storage, 'sessions')),
      settings: {
        model: () => ({ provider: 'scripted', model: 'scripted' }),
        limits: () => ({ turns: 50, callsPerTurn: 50, callsPerRun: 500, minutes: 10 }),
      },
      adapter: async () => adapter,
      languages,
      trusted: () => true,
      grants: { list: () => [], add: () => undefined },
    });
    assistants.push(made);
    return made;
  }

  /** Answers the next question that the session asks. */
  async function answerNext(session: Session, option: string): Promise<string> {
    const { questionId, question } = await nextEvent(session, 'question_asked');
    void session.answerQuestion(questionId, { option });
    return question.text;
  }

  before(async () => {
    kedge = (await vscode.extensions.getExtension<Api>('kedge.kedge')?.activate())?.kedge as Kedge;
    storage = await mkdtemp(join(tmpdir(), 'kedge-plan-'));
    languages = new VsCodeLanguages(() => kedge.fs, kedge.problemKinds);
    diagnostics = vscode.languages.createDiagnosticCollection('plan-test');
    for (const name of NAMES) await vscode.workspace.fs.writeFile(uri(name), encodeText('old\n'));
  });

  after(async () => {
    for (const each of assistants) each.close();
    diagnostics.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(uri('one'), '..'), { recursive: true });
    await rm(storage, { recursive: true, force: true });
  });

  it('of six steps is carried out with a deviation, failing checks, an edit of the plan and a reload', async () => {
    const session = await assistant().newSession();
    await session.prompt({ text: 'plan it', mode: 'plan' });
    const { plan } = lastOf(session.events, 'plan_proposed');

    // The model changes a file that step 2 does not allow, and the user extends the plan.
    const run = session.plans.answer(plan.id, 'run');
    const asked = await nextEvent(session, 'approval_requested');
    assert.equal(asked.reason, `Step 2 (Two) may not change ${path('extra')}.`);
    const third = answerNext(session, 'Retry');
    void session.answerApproval(asked.approvalId, { approve: true, widen: true });

    // The check of step 3 fails, and the model corrects the change.
    assert.match(await third, /^Step 3 \(Three\) did not pass its check/);

    // The check of step 4 can never pass, so the user edits the plan.
    assert.match(await answerNext(session, 'Edit plan'), /^Step 4 \(Four\) did not pass its check/);
    await run;
    assert.equal(lastOf(session.events, 'run_paused').reason, 'edit_plan');
    assert.deepEqual(await Promise.all(['one', 'two', 'extra', 'three', 'four'].map(textOf)), [
      'new\n',
      'new\n',
      'new\n',
      'the and new\n',
      'new\n',
    ]);

    // The window is reloaded. The user edits the plan: step 4 loses its check, and a step is added after it.
    assistants.at(-1)?.close();
    const again = (await assistant().session(session.id)) as Session;
    const revised = again.state.plans.get(plan.id)?.plan as Plan;
    assert.deepEqual([revised.revision, revised.steps[1]?.files], [2, [path('two'), path('extra')]]);
    const steps = revised.steps.toSpliced(3, 1, { title: 'Four', files: [path('four')] }, { title: 'More', files: [path('new')] });
    diagnostics.set(uri('five'), [
      new vscode.Diagnostic(new vscode.Range(0, 0, 0, 3), 'Five is no name.', vscode.DiagnosticSeverity.Error),
    ]);
    const going = again.plans.revise(plan.id, { ...revised, steps }, [1, 2, 3, 4, 0, 5, 6]);

    // The editor reports an error in the file of step 6, so the whole step is rolled back.
    assert.match(await answerNext(again, 'Skip'), /^Step 6 \(Five\) did not pass its check: no errors in the files of the step/);
    await answerNext(again, 'Roll back');
    await going;

    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(await Promise.all(['four', 'new', 'five', 'six'].map(textOf)), ['new\n', 'new\n', 'old\n', 'new\n']);
    const [overview] = again.plans.list();
    assert.deepEqual([overview?.stage, overview?.done, overview?.plan.revision], ['done', 7, 3]);
    const states = Object.values(again.state.runs.get(overview?.runId ?? '')?.steps ?? {}).map(({ status }) => status);
    assert.deepEqual(states, ['done', 'done', 'done', 'done', 'done', 'skipped', 'done']);
    assert.equal(eventsOf(again.events, 'approval_requested').length, 1);
    assert.equal(adapter.requests.length, SCRIPT.length);
  });

  it('is required if the user or the workspace says so, and the workspace cannot turn this off', async () => {
    const configuration = () => vscode.workspace.getConfiguration('kedge');
    const set = (value: boolean | undefined, target: vscode.ConfigurationTarget) =>
      configuration().update('requirePlanApproval', value, target);
    const { Global, Workspace } = vscode.ConfigurationTarget;
    assert.equal(kedge.settings.requirePlan(), false);
    await set(true, Workspace);
    assert.equal(kedge.settings.requirePlan(), true);
    await set(false, Workspace);
    await set(true, Global);
    assert.equal(kedge.settings.requirePlan(), true);
    await set(undefined, Workspace);
    await set(undefined, Global);
    assert.equal(kedge.settings.requirePlan(), false);
  });

  it('opens as a Markdown document', async () => {
    const last = assistants.at(-1) as Assistant;
    const [info] = await last.sessions();
    const session = (await last.session(info?.id ?? '')) as Session;
    await openAsMarkdown(session, session.plans.list()[0]?.plan.id ?? '', undefined);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'markdown');
    assert.match(document?.getText() ?? '', /^# Make everything new\n\nRevision 3, [0-9a-f]{7}\n\n## Steps\n\n1\. \[x\] \*\*One\*\*\n/);
    assert.match(document?.getText() ?? '', /State: skipped, rolled back/);
  });
});
