import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  steps: Step[];
  env?: unknown;
  permissions?: Record<string, string>;
  strategy?: { matrix: { include: { os: string; layers?: string }[] } };
};
type Workflow = { permissions: unknown; jobs: Record<string, Job> };

const FOLDER = '.github/workflows';
const workflows = readdirSync(FOLDER).map((name) => ({ name, workflow: load(readFileSync(`${FOLDER}/${name}`, 'utf8')) as Workflow }));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
/** The layers that scripts/test.ts knows, without those that it starts itself. */
const LAYERS = ['check', 'fast', 'slow', 'unit', 'contract', 'editor', 'e2e'];

describe('the workflows', () => {
  for (const { name, workflow } of workflows) {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

    it(`${name} runs scripts and layers of tests that exist`, () => {
      const runner = readFileSync('scripts/test.ts', 'utf8');
      const matrix = Object.values(workflow.jobs).flatMap((job) => job.strategy?.matrix.include ?? []);
      const commands = steps.flatMap(({ run = '' }) => run.split(/\n|&&/)).map((line) => line.trim());
      for (const [, script = ''] of commands.flatMap((line) => [...line.matchAll(/npm run (\S+)/g)])) assert.ok(scripts[script], script);
      const layers = [
        ...commands.flatMap((line) => line.match(/(?<=npm test -- )[a-z\d ]+/) ?? []),
        ...matrix.map((each) => each.layers ?? ''),
      ];
      for (const layer of layers.join(' ').split(' ').filter(Boolean)) {
        assert.ok(LAYERS.includes(layer), layer);
        assert.ok(runner.includes(layer), layer);
      }
    });

    it(`${name} may only read by default, and names each action by its commit and version`, () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      const lines = readFileSync(`${FOLDER}/${name}`, 'utf8')
        .split('\n')
        .filter((line) => line.includes('uses:'));
      assert.equal(lines.length, steps.filter(({ uses }) => uses).length);
      for (const line of lines) assert.match(line, /uses: actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it(`${name} gives no token to the repository's own code, and no secret to a whole job`, () => {
      for (const { uses, with: given } of steps)
        if (uses?.startsWith('actions/checkout@')) assert.equal(given?.['persist-credentials'], false);
      for (const job of Object.values(workflow.jobs)) {
        assert.doesNotMatch(JSON.stringify(job.env ?? {}), /secrets\./);
        const mayWrite = Object.values(job.permissions ?? {}).includes('write');
        if (mayWrite)
          for (const { run = '', uses = '' } of job.steps) assert.doesNotMatch(`${run} ${uses}`, /\bnp[mx]\b|actions\/checkout/);
      }
    });
  }

  it('test on Linux, macOS and Windows', () => {
    const systems = workflows.find(({ name }) => name === 'test.yml')?.workflow.jobs.test?.strategy?.matrix.include.map(({ os }) => os);
    assert.deepEqual(systems, ['ubuntu-latest', 'macos-latest', 'windows-latest']);
  });
});
