import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headersOf } from '../../../../src/hosts/cli/options/headers.ts';
import { needsProgram, runProgram } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('additional headers of the user, in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer;
  beforeEach(async () => {
    folder = await folderOf({});
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    server = await startResponsesServer({ turns: [{ text: 'Here.' }] });
  });
  afterEach(async () => {
    await server.close();
    await Promise.all([folder, home].map(remove));
  });

  function ask(headers: string): Promise<{ code: number; said: string }> {
    const env = {
      KEDGE_HOME: home,
      KEDGE_API_KEY: 'key-$&-of-the-test',
      KEDGE_BASE_URL: server.url,
      KEDGE_HEADERS: headers,
    };
    return runProgram(['ask', 'go', '--model', 'openai/test'], { cwd: folder, env });
  }

  it('are sent with each request, with the key where they contain its placeholder', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the user writes
    const { code, said } = await ask(JSON.stringify({ 'x-team': 'tides', 'x-gateway-key': 'Token ${key}' }));
    assert.equal(code, 0, said);
    const { 'x-team': team, 'x-gateway-key': key } = server.requests[0]?.headers ?? {};
    assert.deepEqual([team, key], ['tides', 'Token key-$&-of-the-test']);
  });

  it('can be in a file', async () => {
    await writeFile(join(folder, 'headers.json'), '{"x-team": "of-a-file"}');
    assert.equal((await ask('@headers.json')).code, 0);
    assert.equal(server.requests[0]?.headers['x-team'], 'of-a-file');
  });

  it('end the program before anything is sent if they cannot be read, and are not shown', async () => {
    const { code, said } = await ask('{"x-team": "pst-secret"');
    assert.equal(code, 2);
    assert.match(said, /^kedge: KEDGE_HEADERS cannot be read\. Use a JSON object such as/);
    assert.ok(!said.includes('pst-secret'));
    assert.equal(server.requests.length, 0);
  });

  for (const [title, text] of [
    ['no JSON', 'x-team: pst-secret'],
    ['a list', '["pst-secret"]'],
    ['a value that is no text', '{"x-team": {"a": "pst-secret"}}'],
    ['a name that is none', '{"pst-secret x": "tides"}'],
    ['a line break', '{"x-team": "pst-secret\\r\\nx-other: 1"}'],
    ['a character beyond a header’s', '{"x-team": "pst-secret €"}'],
    ['null', 'null'],
  ] as const)
    it(`are refused without being shown: ${title}`, () => {
      assert.throws(
        () => headersOf({ KEDGE_HEADERS: text }),
        ({ name, message }: Error) => name === 'UsageError' && !message.includes('pst-secret'),
      );
    });

  it('are not sent if none are set', () => {
    assert.deepEqual([headersOf({}), headersOf({ KEDGE_HEADERS: ' ' })], [{}, {}]);
  });

  it('are reported with the name of the missing file', () => {
    assert.throws(
      () => headersOf({ KEDGE_HEADERS: '@/nowhere/h.json' }),
      /^UsageError: The file \/nowhere\/h\.json .* cannot be read \(ENOENT\)\. Check its path\.$/,
    );
  });
});
