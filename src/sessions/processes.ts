/**
 * Which process left a file behind, and whether it still runs. A process id alone does not say: once its process has ended, the system gives it
 * to another one. The time at which the process was started tells the two apart.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `startedAt` is only ever compared; undefined where the system does not tell. */
export type ProcessIdentity = { pid: number; startedAt?: string | undefined };

let own: ProcessIdentity | undefined;

export function ownProcess(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) };
  return own;
}

export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (!hasProcess(pid)) return false;
  const found = startedAt === undefined ? undefined : startOf(pid);
  return found === undefined || found === startedAt;
}

function hasProcess(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return startOnLinux(pid);
    // Windows has no quick way to ask.
    return process.platform === 'win32' ? undefined : startByPs(pid);
  } catch {
    return undefined;
  }
}

/** Ticks since the computer was started, and which start that was. */
function startOnLinux(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets, which may hold anything.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z') return 'ended';
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[18]}`;
}

function startByPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const said = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  return said.trim().replace(/\s+/g, '-') || undefined;
}
