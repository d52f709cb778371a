import assert from 'node:assert/strict';
import { callsOf, type Message, textOf } from '../../../src/core/model/messages.ts';
import { planNote } from '../../../src/core/plan/plan.ts';
import { PlanDraft } from '../../../src/core/plan/schema.ts';
import { FILES, type Files, has, type Options, tell } from './conversation.ts';

const RENAMED: Files = Object.fromEntries(
  Object.entries(FILES).map(([path, text]) => [path, text.replace(/\btideLevel\b/g, 'waterLevel')]),
);
const confirmed = (plan: PlanDraft, options: Options = {}, files = FILES) =>
  tell(files, planNote({ ...plan, id: 'p', revision: 1 }), { mode: 'step', ...options });

describe('offline renames in Agent mode', () => {
  const agent = (text: string, options: Options = {}, files = FILES) => tell(files, text, { mode: 'agent', ...options });

  it('changes whole identifiers in all files, verifies the change and cites the places', async () => {
    const { answer, files, calls } = await agent('rename tideLevel to waterLevel');
    assert.deepEqual(files, RENAMED);
    has(
      answer,
      'Renamed tideLevel to waterLevel: 7 lines in 4 files',
      'src/tide.ts:4 `export function waterLevel',
      'no whole-word tideLevel is left',
    );
    assert.equal(calls.filter((call) => call.name === 'replace_in_file').length, 4);
    assert.equal(calls.at(-1)?.name, 'search_text');
  });

  it('stays in its scope', async () => {
    const { files, answer } = await agent('rename tideLevel to waterLevel in tide.ts');
    assert.deepEqual(files, { ...FILES, 'src/tide.ts': RENAMED['src/tide.ts'] });
    has(answer, 'in 1 file');
  });

  it('quotes a rejection and continues with the next file', async () => {
    const { answer, files } = await agent('rename tideLevel to waterLevel', {
      refuse: ({ name, input }) =>
        name === 'replace_in_file' && (input as { path: string }).path === 'src/tide.ts'
          ? 'The user rejected this: not in this file'
          : undefined,
    });
    assert.deepEqual(files, { ...RENAMED, 'src/tide.ts': FILES['src/tide.ts'] });
    has(answer, '4 lines in 3 files', 'Not changed:\n\n- src/tide.ts: The user rejected this: not in this file');
    assert.ok(!answer.includes('is left'));
  });

  it('reports a failed search and a missing name', async () => {
    has((await agent('rename a to b', { refuse: () => 'The search is broken.' })).answer, 'The search failed: The search is broken.');
    has((await agent('rename nope to b')).answer, 'There is no whole-word nope');
  });

  it('processes more hits and longer files than a tool shows at once', async () => {
    const long: Files = {};
    for (let file = 1; file <= 30; file++)
      long[`src/f${String(file).padStart(2, '0')}.ts`] = Array.from({ length: 25 }, (_, line) => `tide(${line}, tides);`).join('\n');
    const { files, answer } = await agent('rename tide to sea', { maxHits: 40, maxLines: 10 }, long);
    for (const text of Object.values(files)) assert.ok(!/\btide\b/.test(text) && text.includes('sea(24, tides);'));
    has(answer, '750 lines in 30 files', 'src/f01.ts:1 `sea(0, tides);`, and 24 more lines there', '… and 5 more files');
  });

  it('repeats calls that exceeded the limit of a turn', async () => {
    let calls = 0;
    const { files } = await agent('rename tideLevel to waterLevel', {
      refuse: ({ name }) =>
        name === 'replace_in_file' && ++calls === 2 ? 'Not executed: at most 1 tool calls are allowed in one turn.' : undefined,
    });
    assert.deepEqual(files, RENAMED);
  });

  it('says that the new name is already in use', async () => {
    const { answer, calls, messages } = await agent('rename tideLevel to moonPhase');
    has(answer, 'moonPhase was already in use', 'src/moon.ts:2', 'src/tide.ts:2', 'including in comments');
    assert.ok(!answer.includes('I searched again'));
    const edit = calls.findIndex(({ name }) => name === 'replace_in_file');
    assert.ok(edit > 0);
    const asked = messages.find((message) => callsOf(message)[0]?.name === 'replace_in_file');
    has(textOf(asked as Message), 'moonPhase was already in use', 'src/moon.ts:2');

    const { plan } = await tell(FILES, 'rename tideLevel to moonPhase', { mode: 'plan' });
    has(plan?.goal ?? '', 'Warning: moonPhase is already in use (src/moon.ts:2, src/tide.ts:2');
    const run = await confirmed(plan as PlanDraft);
    has(run.answer, 'Check step 3: the new name was already in use.', 'src/tide.ts:2');
  });

  it('rejects a new name that is not an identifier', async () => {
    for (const to of ['water-level', "'water level'", '2nd', 'class', 'a.b()']) {
      for (const mode of ['ask', 'plan', 'agent'] as const) {
        const { answer, files, plan } = await tell(FILES, `rename tideLevel to ${to}`, { mode });
        assert.match(answer, /is not a valid name|is a reserved word/);
        assert.equal(plan, undefined);
        assert.deepEqual(files, FILES);
      }
    }
    const css = await tell({ 'a.css': '.tide-level {}\n' }, 'rename tide-level to water-level', { mode: 'agent' });
    assert.equal(css.files['a.css'], '.water-level {}\n');
  });

  it('replaces text, also by a text that contains it', async () => {
    const { files, answer } = await agent("replace 'tides' by 'high tides' in *.md");
    assert.equal(files['README.md'], FILES['README.md']?.replace('tides', 'high tides'));
    has(answer, "Replaced 'tides' with 'high tides': 1 line in 1 file", 'README.md:3');
  });
});

describe('offline file changes in Agent mode', () => {
  const rows: [string, Files | undefined, string[]][] = [
    ["create notes.md with 'hello'", { ...FILES, 'notes.md': 'hello\n' }, ['Created notes.md:1 with 1 line']],
    ["create README.md with 'x'", FILES, ['README.md already exists']],
    ["append 'The end.' to README.md", { ...FILES, 'README.md': `${FILES['README.md']}The end.\n` }, ['Added 1 line at README.md:8']],
    ["append 'x' to nope.md", FILES, ['There is no file nope.md']],
    ['move moon.ts to lib/moon.ts', undefined, ['Moved src/moon.ts to lib/moon.ts', 'src/index.ts:2']],
    ['rename src/moon.ts to luna.ts', undefined, ['Moved src/moon.ts to src/luna.ts', 'src/tide.ts:2']],
    ['move src/moon.ts to src/tide.ts', FILES, ['src/tide.ts already exists']],
    ['delete src/moon.ts', undefined, ['Deleted src/moon.ts.']],
    ['delete src/nope.ts', FILES, ['There is no file src/nope.ts']],
  ];
  for (const [text, expected, parts] of rows) {
    it(text, async () => {
      const { answer, files } = await tell(FILES, text, { mode: 'agent' });
      has(answer, ...parts);
      if (expected) assert.deepEqual(files, expected);
      else assert.equal(files['src/moon.ts'], undefined);
    });
  }

  it('appends to an empty file', async () => {
    const { files } = await tell({ 'a.md': '' }, "append 'x' to a.md", { mode: 'agent' });
    assert.equal(files['a.md'], 'x\n');
  });

  it('appends after a last line that occurs before', async () => {
    const { files } = await tell({ 'a.md': 'x\ny\nx\n' }, "append 'z' to a.md", { mode: 'agent' });
    assert.equal(files['a.md'], 'x\ny\nx\nz\n');
  });

  it('does several things in one request', async () => {
    const { files } = await tell(FILES, "rename tideLevel to waterLevel; create notes.md with 'x'", { mode: 'agent' });
    assert.deepEqual(files, { ...RENAMED, 'notes.md': 'x\n' });
  });

  it('reports a tool that is not offered, and a rejected call', async () => {
    const { answer, files } = await tell(FILES, 'delete src/moon.ts', {
      mode: 'agent',
      refuse: ({ name }) => (name === 'delete_file' ? 'The user rejected this.' : undefined),
    });
    has(answer, 'Nothing was changed.', 'The user rejected this.');
    assert.deepEqual(files, FILES);
  });
});

describe('offline plans', () => {
  it('proposes one step for each file, each a sentence of the grammar, and carries them out', async () => {
    const { plan, files, calls } = await tell(FILES, 'Rename tideLevel to waterLevel', { mode: 'plan' });
    assert.ok(plan && PlanDraft.safeParse(plan).success);
    assert.deepEqual(files, FILES);
    assert.equal(calls.at(-1)?.name, 'propose_plan');
    assert.equal(plan.goal, 'Rename tideLevel to waterLevel');
    assert.deepEqual(plan.steps[2], {
      title: 'Rename tideLevel to waterLevel in src/tide.ts',
      files: ['src/tide.ts'],
      tools: ['replace_in_file'],
      check: { search_empty: { pattern: '\\btideLevel\\b', glob: 'src/tide.ts' } },
    });
    const run = await confirmed(plan);
    assert.deepEqual(run.files, RENAMED);
    assert.deepEqual(run.updates, ['1 started', '1 done', '2 started', '2 done', '3 started', '3 done', '4 started', '4 done']);
    has(run.answer, 'The plan was carried out: 4 steps done.', 'src/tide.ts:4', 'No whole-word tideLevel is left: passed');
  });

  it('groups many files by directory, and uses one wide step for an incomplete search', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`src/${at % 2 ? 'a' : 'b'}/f${at}.ts`, 'tide();\n']));
    const { plan } = await tell({ ...many, 'top.ts': 'tide();\n' }, 'rename tide to sea', { mode: 'plan' });
    assert.deepEqual(
      plan?.steps.map(({ title, files }) => [title, files.length]),
      [
        ['Rename tide to sea in src/a/', 10],
        ['Rename tide to sea in src/b/', 10],
        ['Rename tide to sea in the top directory', 1],
      ],
    );
    const run = await confirmed(plan as PlanDraft, {}, { ...many, 'top.ts': 'tide();\n' });
    assert.ok(Object.values(run.files).every((text) => text === 'sea();\n'));

    const wide = (await tell(many, 'rename tide to sea', { mode: 'plan', maxHits: 5 })).plan as PlanDraft;
    assert.deepEqual(
      wide.steps.map(({ title, files }) => [title, files]),
      [['Rename tide to sea', ['**']]],
    );
    assert.ok(Object.values((await confirmed(wide, { maxHits: 5 }, many)).files).every((text) => text === 'sea();\n'));
  });

  const sentences = [
    "append 'The end.' to README.md",
    'move src/moon.ts to src/luna.ts',
    'delete src/moon.ts',
    "replace 'tides' by 'floods'",
  ];
  const block = 'create notes.md containing:\n```\n# Notes\n\n1. one\n   files: no\n```';
  for (const text of [...sentences, block]) {
    it(`does the same with a plan as in Agent mode: ${text.replaceAll('\n', '⏎')}`, async () => {
      const { plan } = await tell(FILES, text, { mode: 'plan' });
      assert.ok(plan && PlanDraft.safeParse(plan).success);
      assert.ok(plan.steps.every(({ title }) => !title.includes('\n')));
      const [run, agent] = [await confirmed(plan), await tell(FILES, text, { mode: 'agent' })];
      assert.deepEqual(run.files, agent.files);
      assert.notDeepEqual(run.files, FILES);
    });
  }

  it('supports names with spaces and brackets', async () => {
    const files = { 'a/[id]/page.tsx': 'tide();\n', 'a/one long name.md': 'tide\n' };
    const { plan } = await tell(files, 'rename tide to sea', { mode: 'plan' });
    const run = await confirmed(plan as PlanDraft, {}, files);
    assert.deepEqual(run.files, { 'a/[id]/page.tsx': 'sea();\n', 'a/one long name.md': 'sea\n' });
  });

  it('proposes nothing when there is nothing to change', async () => {
    const { plan, answer } = await tell(FILES, 'rename nope to yes', { mode: 'plan' });
    assert.equal(plan, undefined);
    has(answer, 'There is no whole-word nope', 'no plan to propose');
  });

  it('changes nothing beyond the files of a step', async () => {
    const run = await confirmed({ goal: 'g', steps: [{ title: 'Rename tideLevel to waterLevel', files: ['src/**'] }] });
    assert.deepEqual(run.files, { ...FILES, 'src/tide.ts': RENAMED['src/tide.ts'], 'src/index.ts': RENAMED['src/index.ts'] });
  });

  it('reports a step as failed that it does not understand or may not do, and continues', async () => {
    const steps = [
      { title: 'Make it beautiful', files: ['src/tide.ts'] },
      { title: 'Delete src/moon.ts', files: ['src/moon.ts'] },
      { title: 'Rename tideLevel to waterLevel in src/tide.ts', files: ['src/tide.ts'] },
    ];
    const refuse: Options['refuse'] = ({ name }) => (name === 'delete_file' ? 'The user rejected this: keep it' : undefined);
    const { updates, calls, answer, files } = await confirmed(
      { goal: 'g', steps, checks: ['No whole-word tideLevel is left', 'It is pretty'] },
      { refuse },
    );
    assert.deepEqual(updates, ['1 started', '1 failed', '2 started', '2 failed', '3 started', '3 done']);
    const notes = calls.flatMap(({ input }) => (input as { note?: string }).note ?? []);
    assert.deepEqual(notes, [
      'Offline does not understand this step. Choose another model for the plan.',
      'The user rejected this: keep it',
    ]);
    has(answer, '1 of 3 steps done', 'step 1', 'The user rejected this: keep it', 'failed, see README.md:7', 'It is pretty: not checked');
    assert.equal(files['src/tide.ts'], RENAMED['src/tide.ts']);
  });
});
