import assert from 'node:assert/strict';
import fc from 'fast-check';
import { revisionHash, shortHash, withHash } from '../../../src/core/plan/hash.ts';
import { planNote, planText, rerootPlan, widenPlan } from '../../../src/core/plan/plan.ts';
import { currentStep, finishedStepsText, nextStep, renumberSteps } from '../../../src/core/plan/progress.ts';
import { Plan, PlanDraft } from '../../../src/core/plan/schema.ts';
import { planMarkdown } from '../../../src/core/view/plan-markdown.ts';

const PLAN: Plan = {
  id: 'p',
  revision: 1,
  goal: 'Rename it',
  steps: [
    {
      title: 'Code',
      detail: 'Not the\ntables.',
      files: ['src/a.ts'],
      tools: ['replace_in_file'],
      check: { search_empty: { pattern: 'old', glob: 'src/**' } },
    },
    { title: 'Tests', files: ['test/*.ts'], check: { command: 'npm test' } },
    { title: 'Look', files: [], check: { diagnostics: true } },
  ],
  assumptions: ['Nobody imports it.'],
  checks: ['Look at the diff'],
  estimatedCalls: 9,
};

describe('the hash of a revision', () => {
  it('depends on the content of the plan and nothing else', async () => {
    const hash = await revisionHash(PLAN);
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.equal(await revisionHash({ ...PLAN, id: 'q', revision: 7, hash: 'x', supersedes: 'r' }), hash);
    assert.equal(await revisionHash(JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(PLAN).reverse())))), hash);
    assert.equal(await revisionHash({ ...PLAN, checks: undefined, assumptions: PLAN.assumptions }), await revisionHash(withoutChecks()));
    assert.equal(shortHash(await withHash(PLAN)), hash.slice(0, 7));
  });

  it('differs for any other goal, scope, order or check', async () => {
    const { steps } = PLAN;
    const [first, second, third] = steps as [Plan['steps'][number], Plan['steps'][number], Plan['steps'][number]];
    const others: Plan[] = [
      { ...PLAN, goal: 'Rename them' },
      { ...PLAN, steps: [second, first, third] },
      { ...PLAN, steps: [{ ...first, files: ['src/b.ts'] }, second, third] },
      { ...PLAN, steps: [first, { ...second, check: { command: 'npm run lint' } }, third] },
      { ...PLAN, estimatedCalls: 10 },
    ];
    const hashes = await Promise.all([PLAN, ...others].map(revisionHash));
    assert.equal(new Set(hashes).size, hashes.length);
  });
});

const withoutChecks = (): Plan => {
  const { checks: _, ...rest } = PLAN;
  return rest;
};

describe('a plan as text', () => {
  it('names files, checks and finished steps', () => {
    assert.equal(
      planText(PLAN, { 1: 'done' }),
      [
        'Goal: Rename it',
        '',
        '1. Code',
        '   detail: Not the tables.',
        '   files: src/a.ts',
        '   tools: replace_in_file',
        '   check: nothing matches old in src/**',
        '   state: done',
        '2. Tests',
        '   files: test/*.ts',
        '   check: command: npm test',
        '3. Look',
        '   check: no errors in the files of the step',
        '',
        'Checks:',
        '- Look at the diff',
        '',
        'Assumptions:',
        '- Nobody imports it.',
        '',
        'Estimated calls: 9',
      ].join('\n'),
    );
    assert.match(planNote(PLAN, { 1: 'done' }).text, /Begin with step 2\./);
    assert.doesNotMatch(planNote(PLAN).text, /begin with/);
  });

  it('is a Markdown document, with check boxes once it was started', () => {
    assert.match(planMarkdown(PLAN), /^# Rename it\n\nRevision 1\n\n## Steps\n\n1\. \*\*Code\*\*\n {3}- Not the tables\.\n/);
    const text = planMarkdown(PLAN, { steps: { 1: { status: 'done' }, 2: { status: 'failed', note: 'It failed.', rolledBack: true } } });
    assert.match(
      text,
      /1\. \[x\] \*\*Code\*\*[\s\S]*2\. \[ \] \*\*Tests\*\*\n {3}- May change: `test\/\*\.ts`\n {3}- Check: run `npm test`\n {3}- State: failed, rolled back \(It failed\.\)/,
    );
    assert.match(text, /## Assumptions\n\n- Nobody imports it\.\n\n## Checks at the end\n\n- Look at the diff\n\nAbout 9 calls\.\n$/);
  });
});

describe('a plan of an older log', () => {
  it('with checks in plain words is still valid', () => {
    const old = { id: 'p', revision: 1, goal: 'g', steps: [{ title: 't', files: ['a'], check: 'read it' }], checks: ['npm test'] };
    assert.deepEqual(Plan.parse(old), old);
    assert.deepEqual(PlanDraft.parse({ goal: 'g', steps: [{ title: 't', files: [] }] }), { goal: 'g', steps: [{ title: 't', files: [] }] });
  });
});

describe('another revision', () => {
  it('can extend the files of one step', () => {
    const wider = widenPlan({ ...PLAN, hash: 'x' }, 2, ['x.ts', 'test/*.ts']);
    assert.deepEqual(
      wider.steps.map(({ files }) => files),
      [['src/a.ts'], ['test/*.ts', 'x.ts'], []],
    );
    assert.deepEqual([wider.revision, wider.hash], [2, undefined]);
    assert.deepEqual(widenPlan(PLAN, undefined, ['x.ts']).steps.at(-1), { title: 'Change x.ts', files: ['x.ts'] });
  });

  it('for another folder replaces the folder name at the beginning of paths, and nothing else', () => {
    const of = (files: string[], glob: string): Plan => ({
      ...PLAN,
      steps: [{ title: 't', files, check: { search_empty: { pattern: 'a/b', glob } } }],
    });
    const there = rerootPlan(of(['a/x.ts', 'a', 'ab/x.ts', 'b/a/x.ts'], 'a/**'), 'a', 'z');
    assert.deepEqual(there.steps[0], {
      title: 't',
      files: ['z/x.ts', 'z', 'ab/x.ts', 'b/a/x.ts'],
      check: { search_empty: { pattern: 'a/b', glob: 'z/**' } },
    });
  });

  it('keeps the state of each step, whatever its new number is', () => {
    const steps = { 1: { status: 'done' }, 3: { status: 'started' } } as const;
    assert.deepEqual(renumberSteps(steps, [1, 0, 3]), steps);
    assert.deepEqual(renumberSteps(steps, [3, 1]), { 1: { status: 'started' }, 2: { status: 'done' } });
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3]), (was) => {
        const after = renumberSteps(steps, was);
        for (const [index, old] of was.entries()) assert.equal(after[index + 1], steps[old as 1]);
      }),
    );
  });
});

describe('the next step', () => {
  it('is the first that is neither finished nor running', () => {
    const at = (steps: Parameters<typeof finishedStepsText>[0]) => [currentStep({ steps }), nextStep({ plan: PLAN, steps })];
    assert.deepEqual(at({}), [undefined, 1]);
    assert.deepEqual(at({ 1: { status: 'started' } }), [1, 2]);
    assert.deepEqual(at({ 1: { status: 'failed' }, 2: { status: 'done' } }), [undefined, 1]);
    assert.deepEqual(at({ 1: { status: 'done' }, 2: { status: 'skipped' }, 3: { status: 'done' } }), [undefined, undefined]);
    assert.deepEqual(finishedStepsText({ 1: { status: 'done' }, 2: { status: 'failed' }, 3: { status: 'skipped' } }), {
      1: 'done',
      3: 'skipped',
    });
  });
});
