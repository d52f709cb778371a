/** All that a run, an undo or a restore needs, and that looking at a session does not: it is loaded with the first of them. */
import { WriteGate } from '../workspace/gate.ts';
import type { FileSystem } from '../workspace/types.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { AssistantPorts } from './assistant.ts';

export { buildRun } from './run/build-run.ts';

export function openGate(fs: FileSystem, { writer, blobs, format }: AssistantPorts): WriteGate {
  return new WriteGate(new Workspace(fs), writer(), blobs, format);
}
