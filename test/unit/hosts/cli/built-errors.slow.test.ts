import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('the built program and errors of modules that are loaded later', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer | undefined;
  beforeEach(async () => {
    folder = await folderOf({ 'note.txt': 'Hello.\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await server?.close();
    await Promise.all([remove(folder), remove(home)]);
  });

  it('recognizes a path error of a tool, and a model error of a provider', async () => {
    server = await startResponsesServer({
      turns: [
        { calls: [{ name: 'read_file', input: { path: '../outside.txt' } }] },
        { fail: { status: 401, message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
      ],
    });
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|NODE|OPENAI)_/.test(name)));
    const child = spawn(process.execPath, [PROGRAM, 'ask', '--json', 'What does it say?'], {
      cwd: folder,
      env: { ...clean, KEDGE_HOME: home, KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const events = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AgentEvent);
    const read = events.find((event) => event.type === 'tool_finished');
    const [told] = read?.result.content ?? [];
    assert.equal(read?.result.isError, true, problems);
    // An error that is not recognized is reported to the model as a failure of the tool.
    assert.match(told?.type === 'text' ? told.text : '', /^(?!The tool failed).*outside/);
    const finished = events.find((event) => event.type === 'run_finished');
    assert.equal(finished?.error?.kind, 'auth', problems);
  });
});
