import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';

type Step = { uses?: string; run?: string };
type Job = { steps: Step[]; strategy?: { matrix: { include: { os: string; layers?: string }[] } } };
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

    it(`${name} may only read by default, and uses the versions of actions`, () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      for (const { uses } of steps) if (uses) assert.match(uses, /^actions\/[\w-]+@v\d+$/);
    });
  }

  it('test on Linux, macOS and Windows', () => {
    const systems = workflows.find(({ name }) => name === 'test.yml')?.workflow.jobs.test?.strategy?.matrix.include.map(({ os }) => os);
    assert.deepEqual(systems, ['ubuntu-latest', 'macos-latest', 'windows-latest']);
  });
});
