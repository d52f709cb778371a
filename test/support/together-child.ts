/**
 * A program that writes into a session which other programs use at the same moment: `node together-child.ts root storage session name count`.
 * It sends `count` messages. A message that is refused because another program is working is sent again.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Assistant } from '../../src/app/assistant.ts';
import { SessionError } from '../../src/app/session/session-error.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { call, type ScriptedTurn, say, scriptedAdapter, turn } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { GENEROUS } from './harness.ts';

const [root = '', storage = '', id = '', name = '', count = '0'] = process.argv.slice(2);
const fs = new NodeFileSystem([root]);
const writer = new NodeWriter(fs);
const script = Array.from({ length: Number(count) }, (_, index): ScriptedTurn[] => [
  turn(call('create_file', { path: `${name}-${index}.txt`, content: `${name}\n` })),
  turn(say(`${name} ${index} is done.`)),
]).flat();
const adapter = scriptedAdapter(script);
const assistant = new Assistant({
  ...{ fileSystem: () => fs, writer: () => writer, store: new SessionStore(join(storage, 'sessions')) },
  blobs: new DiskBlobs(join(storage, 'blobs')),
  settings: { model: () => ({ provider: 'scripted', model: 'scripted' }), limits: () => GENEROUS },
  adapter: async () => adapter,
  trusted: () => true,
  grants: { list: () => [{ kind: 'edits' }], add: () => undefined },
});
const session = await assistant.session(id);
if (!session) throw new Error(`There is no session ${id}.`);
process.stdout.write('ready\n');
await new Promise((go) => process.stdin.once('data', go));
for (let sent = 0; sent < Number(count); ) {
  try {
    await session.prompt({ text: `${name} ${sent}`, mode: 'agent' });
    sent++;
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    await setImmediate();
  }
}
assistant.close();
process.exit(0);
