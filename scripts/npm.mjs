// Runs npm quietly. Plain JavaScript, because bootstrap.mjs needs it before Node 24 is there.
import { spawn } from 'node:child_process';

/** How to call npm: inside `npm run` by its own script (works on every system), else by name. */
function command() {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return { file: process.execPath, before: [script], shell: false };
  return { file: 'npm', before: [], shell: process.platform === 'win32' };
}

/** Which registry a machine uses is its own affair: logs get passed around. */
const withoutHosts = (text) => text.replace(/\bhttps?:\/\/[^\s/'"]+/g, '<registry>');

/** Runs `npm ...args` in a folder; resolves to its stdout, rejects with the first lines of what npm had to say. */
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
    child.on('error', (error) => reject(new Error(`npm could not be started (${error.message}): is it installed and on PATH?`)));
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
