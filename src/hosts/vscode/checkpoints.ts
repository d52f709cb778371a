/** Tidies up the contents that are kept for undo and restore, once the editor has long been at rest. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type CheckpointBounds, DEFAULT_BOUNDS, pruneBlobs } from '../../sessions/prune.ts';
import type { Kedge } from './kedge.ts';

const DELAY_MS = 60_000;

export function tidyCheckpoints(kedge: Kedge): vscode.Disposable {
  const timer = setTimeout(() => {
    prune(kedge).catch(console.error);
  }, DELAY_MS);
  return new vscode.Disposable(() => clearTimeout(timer));
}

async function prune(kedge: Kedge): Promise<void> {
  const storage = (kedge.context.storageUri ?? kedge.context.globalStorageUri).fsPath;
  await pruneBlobs({ blobs: join(storage, 'blobs'), sessions: join(storage, 'sessions'), bounds: bounds(), keep: kedge.assistant.openIds });
}

function bounds(): CheckpointBounds {
  const set = vscode.workspace.getConfiguration('kedge.checkpoints');
  const positive = (key: string, fallback: number) => {
    const value = set.get(key);
    return typeof value === 'number' && value > 0 ? value : fallback;
  };
  return { maxBytes: positive('maxMegabytes', DEFAULT_BOUNDS.maxBytes / 1e6) * 1e6, maxDays: positive('maxDays', DEFAULT_BOUNDS.maxDays) };
}
