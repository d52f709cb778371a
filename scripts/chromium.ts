// Finds the Chromium in which the tests show the editor, and installs it if none is found.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { exists } from './editor.ts';

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge', 'chrome.exe'];
const chromiumPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/snap/bin/chromium',
  ...[process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].flatMap((place) =>
    place ? [join(place, 'Google/Chrome/Application/chrome.exe'), join(place, 'Microsoft/Edge/Application/msedge.exe')] : [],
  ),
];

async function findChromium(): Promise<string | undefined> {
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => chromiumNames.map((name) => join(folder, name)));
  for (const path of [...onPath, ...chromiumPlaces]) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/** Returns the path of Chromium or Chrome. If none is found, and the process runs as root on Debian, Chromium is installed. */
export async function ensureChromium(log: (line: string) => void = console.log): Promise<string> {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (await exists(chosen)) return chosen;
    throw new Error(`$CHROME_PATH contains ${chosen}, which does not exist. Correct the variable or unset it.`);
  }
  const found = await findChromium();
  if (found) return found;
  const debian = await exists('/etc/debian_version');
  if (debian && process.getuid?.() === 0) {
    log('Installing Chromium (apt-get), about half a minute ...');
    await aptInstall('chromium');
    const installed = await findChromium();
    if (installed) return installed;
  }
  const advice = debian
    ? `run: sudo apt-get update && sudo apt-get install -y chromium`
    : 'install Chrome or Chromium, or set CHROME_PATH to its path.';
  throw new Error(`The tests in the editor need Chromium, which was not found: ${advice}`);
}

/**
 * Installs a Debian package. The command is repeated while another program locks the package manager, because apt-get's option
 * DPkg::Lock::Timeout makes `install` wait for the lock, but not `update`.
 */
export async function aptInstall(name: string, { timeoutMs = 300_000, pauseMs = 2000, env = process.env } = {}): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const apt = 'apt-get -o DPkg::Lock::Timeout=300';
  for (;;) {
    try {
      execFileSync('sh', ['-c', `(${apt} update && ${apt} install -y ${name}) >&2`], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      });
      return;
    } catch (error) {
      const isBusy = /Could not get lock|Unable to (?:lock|acquire)/.test((error as Error).message);
      if (!isBusy || performance.now() > deadline) throw error;
      await setTimeout(pauseMs);
    }
  }
}

/** Chromium's arguments: no sandbox, because Chromium refuses it as root, and no background connections to the internet. */
export const chromiumFlags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
];
