import { join } from 'node:path';
import { runScenario, scenariosIn } from '../support/scenarios.ts';

const own = join(import.meta.dirname, '../scenarios');
const { EDIT_CASES_DIR: further } = process.env;

for (const directory of further ? [own, further] : [own]) {
  const names = await scenariosIn(directory);
  describe(`scenarios in ${directory === own ? 'test/scenarios' : directory}`, () => {
    for (const name of names) it(name, () => runScenario(join(directory, name)));
  });
}
