import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startResponsesServer } from '../../../support/responses-server.ts';

const root = join(import.meta.dirname, '../../../..');
const START = 'fickle_workspace__start_server';

describe('the terminal program in a folder that defines MCP servers', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-folder-'));
    await mkdir(join(folder, 'repo/.vscode'), { recursive: true });
    const server = { command: process.execPath, args: [join(root, 'test/support/mcp-server.ts')] };
    await writeFile(join(folder, 'repo/.vscode/mcp.json'), `// Comments are allowed.\n${JSON.stringify({ servers: { fickle: server } })}`);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('starts none of them without an approval, even if a rule allows the server', async () => {
    const declared: string[][] = [];
    const server = await startResponsesServer({
      turns: ({ body }) => {
        declared.push(body.tools?.map(({ name }) => name).filter((name) => name.includes('__')) ?? []);
        return declared.length === 1 ? { calls: [{ name: START, input: {} }] } : { text: 'Done.' };
      },
    });
    const args = ['agent', '--model', 'openai/test-model', '--allow', 'server:fickle@workspace', '--yes', 'Start it'];
    const env = { ...process.env, KEDGE_HOME: join(folder, 'home'), OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url };
    const program = spawn(process.execPath, [join(root, 'src/hosts/cli/main.ts'), ...args], {
      cwd: join(folder, 'repo'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr)]);
    await server.close();
    assert.match(output, /Done\./);
    assert.deepEqual(declared, [[START], [START]], errors);
    assert.match(JSON.stringify(server.requests.at(-1)?.body), /The user could not be asked because no terminal is connected/);
  });
});
