import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { startWireServer } from '../../../support/wire-server.ts';
import { folderOf, remove } from '../node/folder.ts';

const chunk = (part: object, more: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [part] }, ...more }] })}\n\n`;

// The build leaves most of the SDK out (scripts/sdk-parts.mjs), so the adapter is tried as it was built.
describe('Gemini in the built program', () => {
  needsProgram();

  it('streams its answer, calls tools, and reports an error of the service', async () => {
    const folder = await folderOf({ 'tide.txt': 'Draught: 3 m\n' });
    const answers = [
      { body: chunk({ functionCall: { name: 'read_file', args: { path: 'tide.txt' } } }, { finishReason: 'STOP' }) },
      { body: chunk({ text: 'It is ' }) + chunk({ text: '3 m.' }, { finishReason: 'STOP' }) },
      { status: 400, body: JSON.stringify({ error: { code: 400, message: 'No such tide.', status: 'INVALID_ARGUMENT' } }) },
    ];
    const server = await startWireServer(answers, 'text/event-stream');
    const env = { ...process.env, KEDGE_HOME: `${folder}/.home`, KEDGE_API_KEY: 'key-of-the-test', KEDGE_BASE_URL: server.url };
    const ask = () => promisify(execFile)(process.execPath, [PROGRAM, 'ask', 'How deep?', '--model', 'gemini/test'], { cwd: folder, env });
    try {
      const { stdout } = await ask();
      assert.match(stdout, /It is 3 m\./);
      assert.deepEqual(
        server.requests.map(({ path, headers }) => [path, headers['x-goog-api-key']]),
        Array(2).fill(['/v1/models/test:streamGenerateContent?alt=sse', 'key-of-the-test']),
      );
      assert.match(String(server.requests[1]?.raw), /Draught: 3 m/);
      await assert.rejects(ask(), /No such tide/);
    } finally {
      await server.close();
      await remove(folder);
    }
  });
});
