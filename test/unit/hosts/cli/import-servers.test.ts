import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importServers } from '../../../../src/hosts/cli/servers/import.ts';
import { folderOf, remove } from '../node/folder.ts';

const KEY = 'sk-secret-0123456789abcdef';

describe('the import of MCP servers in the terminal', () => {
  let home: string;
  beforeEach(async () => {
    const servers = {
      tides: { command: 'tides', args: ['--port', '7'], env: { TIDES_API_KEY: KEY, 'PLACE\u001b[2J': 'Cuxhaven' } },
      web: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    };
    home = await folderOf({ '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) });
  });
  afterEach(() => remove(home));

  async function importing(answers: readonly (string | undefined)[], store = async (_name: string, _key: string) => {}) {
    const asked: string[] = [];
    const left = [...answers];
    const prompter = {
      show: () => assert.fail('A prompt contains everything that it is about.'),
      ask: async (prompt: string) => {
        asked.push(prompt);
        return left.shift();
      },
    };
    const text = await importServers([], prompter, { KEDGE_HOME: join(home, 'own') }, { set: store }, home);
    const read = async (file: string) => JSON.parse(await readFile(join(home, 'own', file), 'utf8').catch(() => '{}'));
    return { text, asked, servers: (await read('mcp.json')).mcpServers, config: await read('config.json') };
  }

  it('shows what each server starts and gets, without values, and adds what the user confirms', async () => {
    const stored: string[][] = [];
    const { text, asked, servers, config } = await importing(['y', 'n'], async (...secret) => void stored.push(secret));
    assert.match(
      asked[0] ?? '',
      /^\ntides: tides --port 7\n {2}.*\.cursor.mcp\.json\n {2}environment: TIDES_API_KEY, PLACE.*\n {2}1 value for the secret storage\nAdd this server\?/,
    );
    assert.match(asked[1] ?? '', /^\nweb: https:\/\/example\.com\/mcp\n.*\n {2}headers: Authorization\n/);
    assert.ok(![...asked, text, JSON.stringify(servers)].some((each) => each.includes(KEY) || each.includes('\u001b[')));
    assert.ok(!asked.join('').includes('Cuxhaven'));
    assert.deepEqual(Object.keys(servers), ['tides']);
    assert.match(servers.tides.env.TIDES_API_KEY, /^\$\{input:tides TIDES_API_KEY\}$/);
    assert.deepEqual(stored, [['input settings tides TIDES_API_KEY', KEY]]);
    assert.equal(config.mcpConfig, join(home, 'own', 'mcp.json'));
    assert.match(text, /^tides was added to /);
    const again = await importing(['n']);
    assert.deepEqual([again.asked.length, again.text, Object.keys(again.servers)], [1, 'Nothing was added.', ['tides']]);
  });

  it('adds nothing if the user leaves, and never writes a key into a file', async () => {
    const left = await importing(['y', undefined]);
    assert.deepEqual([left.text, left.servers, left.config], ['Nothing was added.', undefined, {}]);
    const { text, servers } = await importing(['y', 'y'], () => Promise.reject(new Error('There is no keychain.')));
    assert.match(text, /you are asked for their keys when they start/);
    assert.deepEqual(Object.keys(servers), ['tides', 'web']);
    assert.ok(!JSON.stringify(servers).includes(KEY));
  });
});
