// The entry of `npm start`, `npm test` and `npm run fuzz`. It runs on any supported Node, installs the packages if necessary, and then runs
// scripts/<name>.ts on Node 24, which is one of the packages.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node24 = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** npm writes a record of the installed packages when it has finished. If the record differs from the lock file, the installation is old or incomplete. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  const locked = packagesOf('package-lock.json');
  if (!installed || !locked || !existsSync(node24)) return false;
  // Optional packages may be missing, because they are for other systems or are downloaded by the script of the `node` package.
  const complete = Object.entries(locked).every(
    ([path, { optional, devOptional, version }]) => path === '' || optional || devOptional || installed[path]?.version === version,
  );
  return complete && Object.entries(installed).every(([path, { version }]) => !locked[path] || locked[path].version === version);
}

async function install() {
  console.log('Installing the packages (npm ci). This takes about half a minute ...');
  await npm(['ci'], root).catch((error) => {
    throw new Error(`${error.message}\nThe packages could not be installed. Check the network, run "npm ci", and try again.`);
  });
  if (!existsSync(node24)) {
    throw new Error(
      'The package "node" did not install Node 24. Allow install scripts (npm config ignore-scripts), run "npm ci", and try again.',
    );
  }
}

/** Runs the script. Ctrl+C reaches the child process too, because it shares the terminal, so this process ignores it and waits for the child. */
function handOver(script, args) {
  const PATH = join(root, 'node_modules', '.bin') + delimiter + (process.env.PATH ?? process.env.Path ?? '');
  const child = spawn(node24, [join(root, 'scripts', `${script}.ts`), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH },
  });
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function main([script, ...args]) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) throw new Error(`Kedge needs Node 20 or newer, but this is ${process.version}. Install a newer version and try again.`);
  if (!['start', 'test', 'fuzz'].includes(script)) throw new Error('Usage: node scripts/bootstrap.mjs start|test|fuzz [...arguments]');
  if (!isInstalled()) await install();
  return handOver(script, args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
