/** A workspace on disk with its write gate, and nothing else. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EventBody, UndoResult } from '../../src/core/session/events.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import type { FileChange, Writer } from '../../src/workspace/types.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { type Files, layOut, snapshotOf } from './harness.ts';

/** The new text of each file, or undefined to delete it. */
export type Edits = Record<string, string | undefined>;

type Staged = Extract<EventBody, { type: 'changes_staged' }>['changes'][number];

export type GateOnDisk = AsyncDisposable & {
  root: string;
  workspace: Workspace;
  gate: WriteGate;
  blobs: DiskBlobs;
  /** The events that the gate recorded, in order. */
  recorded: EventBody[];
  staged(): (Staged & { landed: boolean })[];
  /** Prepares the change for the current files, and returns a function that applies it. */
  prepare(edits: Edits, moves?: Record<string, string>): Promise<() => Promise<void>>;
  apply(edits: Edits, moves?: Record<string, string>): Promise<void>;
  undo(): Promise<UndoResult[]>;
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  snapshot(): Promise<Record<string, string>>;
};

export async function gateOn(files: Files, wrap: (real: NodeWriter) => Writer = (real) => real): Promise<GateOnDisk> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kedge-gate-')));
  const root = join(base, 'workspace');
  await layOut(root, files);
  const fs = new NodeFileSystem([root]);
  const workspace = new Workspace(fs);
  const blobs = new DiskBlobs(join(base, 'blobs'));
  const gate = new WriteGate(workspace, wrap(new NodeWriter(fs)), blobs);
  const recorded: EventBody[] = [];
  const landed = (callId: string) => recorded.some((event) => event.type === 'file_changed' && event.callId === callId);
  const staged = () =>
    recorded.flatMap((event) =>
      event.type === 'changes_staged' ? event.changes.map((change) => ({ ...change, landed: landed(event.callId) })) : [],
    );
  let calls = 0;

  async function prepare(edits: Edits, moves: Record<string, string> = {}): Promise<() => Promise<void>> {
    const changes: FileChange[] = [];
    for (const [path, text] of Object.entries(edits)) {
      const place = await workspace.resolve(path);
      const before = (await workspace.snapshot(place.at))?.bytes;
      const movedFrom = moves[path];
      changes.push({ ...place, before, after: text === undefined ? undefined : encodeText(text), ...(movedFrom && { movedFrom }) });
    }
    const set = await gate.prepare(changes);
    const context = {
      callId: `call-${++calls}`,
      signal: new AbortController().signal,
      record: (event: EventBody) => void recorded.push(event),
    };
    return () => gate.apply(set, context);
  }

  return {
    root,
    workspace,
    gate,
    blobs,
    recorded,
    staged,
    prepare,
    apply: async (edits, moves) => (await prepare(edits, moves))(),
    undo: () => gate.undo(staged(), () => undefined),
    read: (path) => readFile(join(root, path), 'utf8').catch(() => undefined),
    write: async (path, content) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    snapshot: () => snapshotOf(root),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

/** Commits file by file and fails before the file with the number `fails()` (from 0), and with `forGood` before every file after it. */
export function breakingWriter(fails: () => number, forGood = false): (real: Writer) => Writer {
  let count = 0;
  return (real) => ({
    async commit(changes) {
      for (const change of changes) {
        const here = count++;
        if (forGood ? here >= fails() : here === fails()) throw new Error('ENOSPC: no space left on device');
        await real.commit([change]);
      }
    },
  });
}
