/**
 * A process that edits one line of a file while other processes edit other lines: `node gate-child.ts root storage line times`. It prints
 * the events that its gate recorded.
 */
import { join } from 'node:path';
import type { EventBody } from '../../src/core/session/events.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { encodeText } from '../../src/workspace/content.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { Workspace } from '../../src/workspace/workspace.ts';

const [root = '', storage = '', line = '', times = ''] = process.argv.slice(2);
const fs = new NodeFileSystem([root]);
const workspace = new Workspace(fs);
const gate = new WriteGate(workspace, new NodeWriter(fs, { journal: join(storage, 'journal') }), new DiskBlobs(join(storage, 'blobs')));
const { signal } = new AbortController();
const recorded: EventBody[] = [];
const said: string[] = [];
let written = 0;
for (let call = 0; written < Number(times); call++) {
  const place = await workspace.resolve('shared.txt');
  const before = (await workspace.snapshot(place.at))?.bytes ?? new Uint8Array();
  const lines = Buffer.from(before).toString().split('\n');
  lines[Number(line)] += 'x';
  const set = await gate.prepare([{ ...place, before, after: encodeText(lines.join('\n')) }]);
  try {
    await gate.apply(set, { callId: `${line}-${call}`, signal, record: (event) => void recorded.push(event) });
    written++;
  } catch (error) {
    said.push(error instanceof Error ? error.message : String(error));
    if (/was written/.test(said.at(-1) ?? '')) written++;
  }
}
process.stdout.write(JSON.stringify({ recorded, said }));
