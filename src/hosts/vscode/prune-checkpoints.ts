/** Deletes old file contents that are stored for undo and restore. It waits a minute, so that it does not slow activation down. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { CheckpointBounds } from '../../sessions/prune.ts';
import type { Kedge } from './kedge.ts';

const DELAY_MS = 60_000;

export function scheduleCheckpointPruning(kedge: Pick<Kedge, 'assistant' | 'storage'>): vscode.Disposable {
  const timer = setTimeout(() => {
    pruneCheckpoints(kedge).catch(console.error);
  }, DELAY_MS);
  return new vscode.Disposable(() => clearTimeout(timer));
}

async function pruneCheckpoints({ assistant, storage }: Pick<Kedge, 'assistant' | 'storage'>): Promise<void> {
  const { DEFAULT_BOUNDS, pruneBlobs } = await import('../../sessions/prune.ts');
  await pruneBlobs({
    blobs: join(storage, 'blobs'),
    sessions: join(storage, 'sessions'),
    bounds: bounds(DEFAULT_BOUNDS),
    keep: assistant.openIds,
  });
}

function bounds(defaults: CheckpointBounds): CheckpointBounds {
  const settings = vscode.workspace.getConfiguration('kedge.checkpoints');
  const positive = (key: string, fallback: number) => {
    const value = settings.get(key);
    return typeof value === 'number' && value > 0 ? value : fallback;
  };
  return { maxBytes: positive('maxMegabytes', defaults.maxBytes / 1e6) * 1e6, maxDays: positive('maxDays', defaults.maxDays) };
}
