import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Mode } from '../../../src/core/session/events.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, type Files, resultTexts } from '../../support/harness.ts';
import { wordServices } from '../../support/languages.ts';
import { type Asked, callsOf, type Pair, pairs } from '../../support/two-workspaces.ts';
import { anyRipgrep } from '../hosts/node/folder.ts';

const RUNS = 40;

type Setting = { mode: Mode; calls: Asked[]; unattended: boolean; model: string };

const setting: fc.Arbitrary<Setting> = fc.constantFrom<Mode>('ask', 'plan', 'agent', 'agent').chain((mode) =>
  fc.record({
    mode: fc.constant(mode),
    calls: callsOf(mode),
    unattended: fc.boolean(),
    // The name of the model selects the tool that edits files.
    model: fc.constantFrom('gpt-scripted', 'scripted'),
  }),
);

describe('content that needs approval to be read', () => {
  for (const [means, ripgrep] of [
    ['with ripgrep', anyRipgrep],
    ['without ripgrep', async () => undefined],
  ] as const)
    it(`leaves no trace in the result of any tool, ${means}`, async function () {
      this.timeout(120_000);
      if (means === 'with ripgrep' && !(await anyRipgrep())) this.skip();
      let told = 0;
      await fc.assert(
        fc.asyncProperty(pairs, setting, async ({ one, other, rules }, given) => {
          const fileSystem = (roots: string[]) => new NodeFileSystem(roots, { ripgrep });
          const [first, second] = await Promise.all([
            resultsOn(one, { ...given, rules, fileSystem, written: 1_000 }),
            resultsOn(other, { ...given, rules, fileSystem, written: 2_000_000 }),
          ]);
          assert.deepEqual(second, first);
          told += first.length;
        }),
        { numRuns: RUNS },
      );
      assert.ok(told > RUNS, `${told} results`);
    });
});

type Run = Setting & Pick<Pair, 'rules'> & { fileSystem(roots: string[]): NodeFileSystem; written: number };

/** Returns the tool results that a model receives when every question is rejected. Edits of readable files are allowed. */
async function resultsOn(files: Files, { mode, calls, unattended, model, rules, fileSystem, written }: Run): Promise<string[]> {
  // Each turn has one call, because the order in which parallel calls end is random.
  const script = [...calls.map(({ name, input }) => turn(call(name, input))), turn(say('Done.'))];
  await using kedge = await assistantOn(files, script, {
    policy: () => ({ rules, problems: [] }),
    fileSystem,
    languages: (fs) => wordServices(fs, perFile(fs)),
    unattended,
  });
  for (const path of Object.keys(files)) await utimes(join(kedge.root, path), written, written).catch(() => undefined);
  kedge.granted.covers.push({ kind: 'edits' });
  answerAll(kedge.session, { approve: false });
  await kedge.session.prompt({ text: 'go', mode, model: { provider: 'scripted', model } });
  return resultTexts(kedge.session);
}

/** Language services whose answers for a file depend only on that file. */
function perFile(fs: NodeFileSystem): Parameters<typeof wordServices>[1] {
  const services = wordServices(fs);
  return {
    definition: services.references,
    symbols: async (query, signal) => {
      const { files } = await fs.find({ limit: 1_000 }, signal);
      const symbols = files.map(async (at) => {
        const outline = await services.outline(at, signal);
        return outline.map(({ name, ...each }) => ({ ...each, at, name: at.path, symbol: `${query} ${name}` }));
      });
      return (await Promise.all(symbols)).flat();
    },
  };
}
