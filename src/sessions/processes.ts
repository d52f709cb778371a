/**
 * Identifies a process by id and start time, and a computer. The id alone is not enough, because the system reuses ids of ended processes, and
 * each computer and container has ids of its own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from './directory.ts';

/** `startedAt` is opaque and only compared for equality; undefined if the system does not report it. */
export type ProcessIdentity = { pid: number; startedAt?: string | undefined };

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

let own: ProcessIdentity | undefined;
let computer: string | undefined;

export function ownProcess(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) };
  return own;
}

/** Returns the host name and an id, because two computers can have the same name. It contains no spaces. */
export function ownComputer(): string {
  computer ??= `${hostname()}/${ownId()}`.replace(/\s/g, '_');
  return computer;
}

/** Returns an id that only those processes have whose ids this process can check. */
function ownId(): string {
  try {
    if (process.platform === 'linux') return readFileSync(BOOT_ID, 'utf8').trim() + readlinkSync('/proc/self/ns/pid');
    const file = join(tmpdir(), 'kedge-computer-id');
    if (!existsSync(file)) replaceFile(file, crypto.randomUUID());
    return readFileSync(file, 'utf8');
  } catch {
    // Without an id, every other process counts as one of another computer.
  }
  return crypto.randomUUID();
}

export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (!hasProcess(pid)) return false;
  const currentStart = startedAt === undefined ? undefined : startOf(pid);
  return currentStart === undefined || currentStart === startedAt;
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
    // Windows offers no fast way to read the start time.
    return process.platform === 'win32' ? undefined : startByPs(pid);
  } catch {
    return undefined;
  }
}

/** Returns the boot id and the start time in clock ticks since boot. */
function startOnLinux(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program name in parentheses, which may contain any character.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z') return 'ended';
  return `${readFileSync(BOOT_ID, 'utf8').trim()}/${fields[18]}`;
}

function startByPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const output = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  return output.trim().replace(/\s+/g, '-') || undefined;
}
