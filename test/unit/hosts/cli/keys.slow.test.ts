import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openKedge } from '../../../../src/hosts/cli/kedge.ts';
import { UsageError } from '../../../../src/hosts/cli/options/arguments.ts';
import { type KeysCommand, keys, keysCommand } from '../../../../src/hosts/cli/options/keys.ts';
import { type Keychain, StoredKeys } from '../../../../src/hosts/node/keyring.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { remove } from '../node/folder.ts';

const KEY = 'sk-secret-0123456789';

describe('kedge keys', () => {
  needsProgram();
  let home: string;
  let kept: Map<string, string>;
  let opened: number;
  let stored: StoredKeys;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'kedge-keys-'));
    kept = new Map();
    opened = 0;
    const keychain: Keychain = {
      get: async (name) => kept.get(name),
      set: async (name, key) => void kept.set(name, key),
      delete: async (name) => void kept.delete(name),
    };
    stored = new StoredKeys(home, async () => {
      opened++;
      return keychain;
    });
  });
  afterEach(() => remove(home));

  /** `typed` arrives piece by piece at a terminal, and all at once through a pipe. */
  async function run(command: KeysCommand, typed: readonly string[] = [], { terminal = false, env = {}, from = stored } = {}) {
    const input = new PassThrough();
    const modes: boolean[] = [];
    let out = '';
    let err = '';
    const stdin = Object.assign(input, { isTTY: terminal, setRawMode: (raw: boolean) => modes.push(raw) });
    for (const piece of typed) input.write(piece);
    if (!terminal) input.end();
    const done = await keys(command, from, env, {
      input: stdin as unknown as NodeJS.ReadStream,
      output: { write: (text) => (out += text) },
      prompts: { write: (text) => (err += text) },
    });
    return { done, out, err, modes };
  }

  it('stores a key from a pipe, and lists the providers that have one', async () => {
    const { done, out } = await run({ verb: 'set', provider: 'openai' }, [`${KEY}\n`]);
    assert.deepEqual([done, out], [true, 'The key for OpenAI was stored in the keychain.\n']);
    await run({ verb: 'set', provider: 'groq' }, [KEY]);
    assert.deepEqual(
      [...kept],
      [
        ['openai', KEY],
        ['groq', KEY],
      ],
    );
    assert.equal((await run({ verb: 'list' })).out, 'groq\nopenai\n');
    assert.equal((await run({ verb: 'list' })).err, '');
    for (const name of await readdir(home)) assert.doesNotMatch(await readFile(join(home, name), 'utf8'), /secret/);
  });

  it('says that no key is stored', async () => {
    const { out, err } = await run({ verb: 'list' });
    assert.deepEqual([out, err], ['', 'The keychain has no keys. Keys in the environment are not listed here.\n']);
  });

  it('reads a key from a terminal without showing it, up to the end of the line', async () => {
    const typed = ['sk-secrex', '\u007f', 't-', '0123456789\r'];
    const { err, out, modes } = await run({ verb: 'set', provider: 'openai' }, typed, { terminal: true });
    assert.equal(kept.get('openai'), KEY);
    assert.equal(err, 'Key for OpenAI (not shown): \n');
    assert.doesNotMatch(out, /secret/);
    assert.deepEqual(modes, [true, false]);
  });

  it('stores nothing when the user presses Ctrl+C', async () => {
    const { done, modes } = await run({ verb: 'set', provider: 'openai' }, ['sk-', '\u0003'], { terminal: true });
    assert.deepEqual([done, modes, opened], [false, [true, false], 0]);
  });

  it('says which variable is used instead of the key', async () => {
    const { out } = await run({ verb: 'set', provider: 'openai' }, [KEY], { env: { OPENAI_API_KEY: 'other' } });
    assert.equal(out, 'The key for OpenAI was stored in the keychain. While OPENAI_API_KEY is set, its key is used instead.\n');
  });

  it('deletes a key, and says if there was none', async () => {
    await run({ verb: 'set', provider: 'openai' }, [KEY]);
    assert.equal((await run({ verb: 'delete', provider: 'openai' })).out, 'The key for OpenAI was deleted.\n');
    assert.equal((await run({ verb: 'delete', provider: 'openai' })).out, 'No key for OpenAI is stored.\n');
    assert.deepEqual([kept.size, stored.names], [0, []]);
  });

  for (const [what, typed] of [
    ['nothing', ''],
    ['two words', 'sk one'],
    ['a control character', 'sk\u0007-one'],
  ] as const) {
    it(`rejects ${what} as a key, and does not repeat it`, async () => {
      const error = await run({ verb: 'set', provider: 'openai' }, [typed]).catch((thrown) => thrown);
      assert.ok(error instanceof UsageError && !/one/.test(error.message.replace('one word', '')), String(error));
      assert.equal(opened, 0);
    });
  }

  it('says what to do if there is no keychain', async () => {
    const none = new StoredKeys(home, async () => {
      throw new Error('no secret service');
    });
    await assert.rejects(run({ verb: 'set', provider: 'openai' }, [KEY], { from: none }), {
      message: 'The keychain of this computer could not be used (no secret service). Set OPENAI_API_KEY in the environment instead.',
    });
    assert.deepEqual(none.names, []);
  });

  it('never accepts a key on the command line, and does not repeat it', () => {
    for (const line of [`set openai ${KEY}`, KEY, `list ${KEY}`]) {
      assert.throws(
        () => keysCommand(line.split(' ')),
        (error) => error instanceof UsageError && !error.message.includes(KEY),
      );
    }
    assert.deepEqual(keysCommand(['set', 'openai']), { verb: 'set', provider: 'openai' });
  });

  describe('a stored key', () => {
    const options = { folders: [tmpdir()], json: false, yes: false, runPlan: false, limits: {}, budget: {} };
    const configOf = async (env: NodeJS.ProcessEnv, provider = 'openai', from = stored) => {
      const opening = openKedge(options, { KEDGE_HOME: home, ...env }, from);
      const { config } = await opening.use({ provider, model: 'm' }, await opening.assistant.newSession());
      return config;
    };

    it('is used if the environment has none, and only for its provider', async () => {
      await stored.set('openai', KEY);
      assert.deepEqual(await configOf({}), { apiKey: KEY });
      assert.deepEqual(await configOf({}, 'anthropic'), {});
    });

    it('is not read if the environment has a key, or if none was ever stored', async () => {
      assert.deepEqual(await configOf({}), {});
      await stored.set('openai', KEY);
      opened = 0;
      assert.deepEqual(await configOf({ OPENAI_API_KEY: 'other' }), { apiKey: 'other' });
      assert.deepEqual(await configOf({}, 'ollama'), {});
      assert.equal(opened, 0);
    });

    it('is treated as missing if the keychain is locked', async () => {
      await stored.set('openai', KEY);
      const locked = new StoredKeys(home, async () => {
        throw new Error('locked');
      });
      assert.deepEqual(await configOf({}, 'openai', locked), {});
    });
  });

  it('is reported in one sentence by the program if there is no keychain', async function () {
    // On other systems, the test would write to the real keychain.
    if (process.platform !== 'linux') this.skip();
    const env = { ...process.env, KEDGE_HOME: home, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
    const child = spawn(process.execPath, [PROGRAM, 'keys', 'set', 'openai'], { env });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.end(KEY);
    const [code] = await once(child, 'close');
    assert.equal(code, 1);
    assert.match(
      err,
      /^kedge: The keychain of this computer could not be used \(.+\)\. Set OPENAI_API_KEY in the environment instead\.\n$/,
    );
    assert.ok(!err.includes(KEY));
  });
});
