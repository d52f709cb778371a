/** Deletes old contents that are stored for undo and restore, a while after the start so that activation is not slowed down. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type CheckpointBounds, DEFAULT_BOUNDS, pruneBlobs } from '../../sessions/prune.ts';
import type { Kedge } from './kedge.ts';

const DELAY_MS = 60_000;

export function scheduleCheckpointPruning(kedge: Kedge): vscode.Disposable {
  const timer = setTimeout(() => {
    pruneCheckpoints(kedge).catch(console.error);
  }, DELAY_MS);
  return new vscode.Disposable(() => clearTimeout(timer));
}

async function pruneCheckpoints(kedge: Kedge): Promise<void> {
  const storage = (kedge.context.storageUri ?? kedge.context.globalStorageUri).fsPath;
  await pruneBlobs({ blobs: join(storage, 'blobs'), sessions: join(storage, 'sessions'), bounds: bounds(), keep: kedge.assistant.openIds });
}

function bounds(): CheckpointBounds {
  const settings = vscode.workspace.getConfiguration('kedge.checkpoints');
  const positive = (key: string, fallback: number) => {
    const value = settings.get(key);
    return typeof value === 'number' && value > 0 ? value : fallback;
  };
  return { maxBytes: positive('maxMegabytes', DEFAULT_BOUNDS.maxBytes / 1e6) * 1e6, maxDays: positive('maxDays', DEFAULT_BOUNDS.maxDays) };
}
