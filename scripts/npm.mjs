// Runs npm without its usual output. The module is plain JavaScript, because bootstrap.mjs uses it before Node 24 is installed.
import { spawn } from 'node:child_process';

/** Returns the command that starts npm. Inside `npm run`, it contains the path of npm's script, which works on every system. */
function command() {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return { file: process.execPath, before: [script], shell: false };
  return { file: 'npm', before: [], shell: process.platform === 'win32' };
}

/** Hides the addresses of registries, because logs are often shared. */
const withoutHosts = (text) => text.replace(/\bhttps?:\/\/[^\s/'"]+/g, '<registry>');

/** Runs `npm ...args` in a folder. Resolves to its stdout, or rejects with the first lines of its output. */
export function npm(args, cwd) {
  const { file, before, shell } = command();
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...before, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', (error) => reject(new Error(`npm could not be started (${error.message}). Check that it is installed and on PATH.`)));
    child.on('close', (code) => {
      if (code === 0) return resolve(stdout);
      const words = withoutHosts(stderr || stdout)
        .trim()
        .split('\n')
        .slice(0, 15)
        .join('\n');
      reject(new Error(`npm ${args[0]} failed with code ${code}:\n${words}`));
    });
  });
}
