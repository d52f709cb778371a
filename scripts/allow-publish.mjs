// Runs before `npm publish`, and fails unless the variable KEDGE_PUBLISH contains the version, so that nobody publishes by accident.
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (process.env.KEDGE_PUBLISH !== version) {
  console.error(`Nothing was published. To publish version ${version}, set KEDGE_PUBLISH=${version} and run npm publish again.`);
  process.exitCode = 1;
}
