/** Finds a Chrome, Chromium or Edge that is installed on this computer. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = [
  ...['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'],
  ...['microsoft-edge-stable', 'microsoft-edge', 'chrome'],
];
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
];

/** Returns the path of a browser, or undefined. A relative entry of PATH is skipped, because it could be inside the workspace. */
export function installedBrowser(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string | undefined {
  return candidates(env, platform).find(isProgram);
}

function candidates(env: Environment, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    const places = ['/Applications', ...(env.HOME ? [join(env.HOME, 'Applications')] : [])];
    return MAC.flatMap((name) => places.map((place) => join(place, `${name}.app`, 'Contents', 'MacOS', name)));
  }
  if (platform === 'win32') {
    const places = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((place) => place || []);
    return WINDOWS.flatMap((path) => places.map((place) => join(place, ...path)));
  }
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
  return NAMES.flatMap((name) => [...directories, '/usr/bin', '/snap/bin'].map((directory) => join(directory, name)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
