import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NotePart } from '../../../../src/core/model/messages.ts';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const FILES = {
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': 'four\n',
  '.env': 'KEY=treasure\n',
  'hidden.ts': 'buried\n',
  '.kedgeignore': 'hidden.ts\n',
};

describe('mentions on the command line', () => {
  needsProgram();
  let folder: string;
  let home: string;
  beforeEach(async () => {
    folder = await folderOf(FILES);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(() => Promise.all([remove(folder), remove(home)]));

  /** Asks Offline. With `person`, the program takes standard input for a terminal. */
  async function ask(words: string[], { input = '', person = false } = {}) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEDGE_')));
    const preload = person ? ['--import', 'data:text/javascript,process.stdin.isTTY = true'] : [];
    const child = spawn(process.execPath, [...preload, PROGRAM, 'ask', '--json', ...words], {
      cwd: folder,
      env: { ...env, KEDGE_HOME: home },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (err += more));
    child.stdin.end(input);
    await once(child, 'close');
    const events = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AgentEvent);
    const message = events.find((event) => event.type === 'message_added')?.message;
    assert.ok(message?.role === 'user', `${out}${err}`);
    const notes = message.content.filter((part): part is NotePart => part.type === 'note' && part.about === 'mention');
    return { text: message.content.find((part) => part.type === 'text')?.text, notes, err, out };
  }

  it('are read in the words after a prompt file, and not in its text', async () => {
    const text = '---\nmode: ask\n---\nExplain @src/a.ts, and @.env:';
    await mkdir(join(folder, '.kedge/prompts'), { recursive: true });
    await writeFile(join(folder, '.kedge/prompts/explain.md'), text);
    const sent = await ask(['/explain this: @src/b.ts']);
    assert.equal(sent.text, 'Explain @src/a.ts, and @.env:\n\nthis: @src/b.ts');
    assert.deepEqual(
      sent.notes.map(({ ref }) => ref),
      [{ kind: 'file', path: 'src/b.ts' }],
    );
  });

  it('send files and lines with the message, and do not change its text', async () => {
    const words = 'explain @src/a.ts:2-3 and @src/b.ts, mail a@b.com \\@src/b.ts @src/gone.ts @anna';
    const { text, notes, err } = await ask([words]);
    assert.equal(text, words);
    assert.deepEqual(
      notes.map(({ ref, text }) => [ref, text]),
      [
        [{ kind: 'file', path: 'src/a.ts', lines: { from: 2, to: 3 } }, '2\ttwo\n3\tthree\n[lines 2-3 of 3]'],
        [{ kind: 'file', path: 'src/b.ts' }, '1\tfour'],
      ],
    );
    assert.match(err, /^kedge: There is no file src\/gone\.ts that can be read, so @src\/gone\.ts was sent as text\./m);
    assert.match(err, /^kedge: Sent with the message: src\/a\.ts:2-3, src\/b\.ts$/m);
    assert.doesNotMatch(err, /anna/);
  });

  it('send the digest of an earlier session that its title names', async () => {
    await ask(['what is in src/b.ts?']);
    const { notes, err } = await ask(['go on with @session:src/b.ts']);
    assert.deepEqual(
      notes.map(({ ref }) => [ref?.kind, ref?.name]),
      [['session', 'what is in src/b.ts?']],
    );
    assert.match(notes[0]?.text ?? '', /What the user wrote:\n> what is in src\/b\.ts\?/);
    assert.match(err, /^kedge: Sent with the message: the session “what is in src\/b\.ts\?”$/m);
    const unknown = await ask(['go on with @session:volcano']);
    assert.match(unknown.err, /^kedge: No session, or more than one, has this title, so @session:volcano was sent as text\.$/m);
  });

  it('read a resource of an MCP server after a question', async () => {
    const server = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const config = join(home, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [server] } } }));
    const words = ['--mcp-config', config, 'explain @everything:demo://resource/static/document/features.md'];
    const refused = await ask(words);
    assert.deepEqual(refused.notes, []);
    assert.match(refused.err, /was not sent: Reading it calls the MCP server everything, which runs outside Kedge\./);
    const { notes, err } = await ask(words, { input: 'y\n', person: true });
    assert.match(notes[0]?.text ?? '', /Everything Server/);
    assert.match(err, /Send its content to the model\? y = yes, n = no/);
  });

  it('that may not be read stay text, and none of their content is sent', async () => {
    const { notes, err, out } = await ask(['explain @.env and @hidden.ts']);
    assert.deepEqual(notes, []);
    assert.match(err, /\.env was not sent: \.env may contain keys or passwords\./);
    assert.match(err, /There is no file hidden\.ts that can be read/);
    assert.doesNotMatch(out, /treasure|buried/);
  });

  it('that may contain keys are sent after a confirmation', async () => {
    const { notes, err } = await ask(['explain @.env'], { input: 'y\n', person: true });
    assert.match(err, /Send its content to the model\?/);
    assert.deepEqual(
      notes.map(({ ref, text }) => [ref?.secret, text]),
      [[true, '1\tKEY=treasure']],
    );
  });

  it('in text from a pipe are not read', async () => {
    const { text, notes } = await ask(['explain', '-'], { input: 'see @src/a.ts' });
    assert.equal(text, 'explain\n\nsee @src/a.ts');
    assert.deepEqual(notes, []);
  });
});
