import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Pane, paneProblem } from '../../../../support/pane.ts';
import { needsProgram, PROGRAM } from '../../../../support/program.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../../../../support/responses-server.ts';
import { folderOf, remove } from '../../node/folder.ts';

const PROMPT = /^› *$/m;
const ESCAPE = /\u001b/;

describe('a conversation in a terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer | undefined;
  before(function () {
    const problem = paneProblem();
    if (!problem) return;
    console.log(`    These tests are skipped: ${problem}.`);
    this.skip();
  });
  beforeEach(async () => {
    folder = await folderOf({ 'src/tide.ts': 'export function tideLevel() {\n  return 3;\n}\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await Promise.all([remove(folder), remove(home)]);
  });

  function start(args: readonly string[] = [], { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {}) {
    const all = { KEDGE_HOME: home, KEDGE_MODEL: 'offline', TERM: 'screen-256color', ...env };
    return Pane.start([process.execPath, PROGRAM, ...args], { columns, cwd: folder, env: all });
  }

  /** Starts a conversation with a model that gives these answers. */
  async function startWith(turns: readonly Turn[] | ((sent: string) => Turn), args: readonly string[] = [], hang?: 'midway', columns = 80) {
    const answers = typeof turns === 'function' ? { turns: ({ raw }: { raw: Buffer }) => turns(raw.toString()) } : { turns };
    server = await startResponsesServer({ ...answers, ...(hang && { hang }) });
    const env = { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: server.url };
    return start(args, { columns, env });
  }

  /** Starts a conversation whose process is known. */
  async function startKnown(env: Record<string, string> = {}): Promise<{ pane: Pane; pid(): Promise<number> }> {
    const file = join(home, 'pid');
    const script = `echo $$ > ${file}; exec ${process.execPath} ${PROGRAM}`;
    const all = { KEDGE_HOME: home, KEDGE_MODEL: 'offline', ...env };
    return {
      pane: await Pane.start(['sh', '-c', script], { cwd: folder, env: all }),
      pid: async () => Number(await readFile(file, 'utf8')),
    };
  }

  /** Types a message when the conversation is ready for it, and sends it. */
  async function send(pane: Pane, text: string): Promise<void> {
    await pane.shows(PROMPT);
    await pane.type(text);
    await pane.press('Enter');
  }

  for (const columns of [40, 80, 200]) {
    it(`answers two prompts one after the other, at ${columns} columns`, async () => {
      await using pane = await start([], { columns });
      await pane.shows(PROMPT);
      await pane.type('where is tideLevel?');
      await pane.press('Enter');
      await pane.shows(/tideLevel is defined at:[\s\S]*• src\/tide\.ts:1[\s\S]*\n› *\n/);
      await pane.type('hello');
      await pane.press('Enter');
      const screen = await pane.shows(/› hello\n[\s\S]*\n› *\n/);
      assert.equal(screen.match(/is defined at:/g)?.length, 1, screen);
      await pane.press('C-d');
      assert.match(await pane.shows(/\[exit 0\]\nicanon/), /To continue this conversation:\n {2}kedge chat --session \d{8}T/);
      assert.equal(await pane.isCursorVisible(), true);
    });
  }

  it('asks for an approval by key, explains the keys, and applies or rejects the change', async () => {
    await using pane = await start(['chat', 'hello']);
    await pane.shows(/› hello\n[\s\S]*\n› *\n/);
    await pane.press('BTab', 'BTab');
    await pane.shows(/^agent · offline/m);
    await pane.type('rename tideLevel to waterLevel in src');
    await pane.press('Enter');
    assert.match(await pane.shows(/y yes · n no/), /-export function tideLevel[\s\S]*\+export function waterLevel/);
    await pane.press('?');
    await pane.shows(/y {2}allow this call only/);
    await pane.press('n');
    await pane.shows(/✗ Edit src\/tide\.ts/);
    assert.match(await readFile(join(folder, 'src/tide.ts'), 'utf8'), /tideLevel/);
    await pane.shows(PROMPT);
    await pane.press('Up');
    await pane.shows(/^› rename tideLevel to waterLevel in src\n+agent/m);
    await pane.press('Enter');
    await pane.shows(/✗ Edit[\s\S]*y yes · n no/);
    await pane.press('y');
    await pane.shows(/Changed 1 file: src\/tide\.ts \+1 −1\. To undo: \/undo[\s\S]*\n› *\n/);
    assert.match(await readFile(join(folder, 'src/tide.ts'), 'utf8'), /waterLevel/);
    await pane.type('/undo');
    await pane.press('Enter');
    await pane.shows(/● src\/tide\.ts: restored/);
    assert.match(await readFile(join(folder, 'src/tide.ts'), 'utf8'), /tideLevel/);
  });

  it('proposes what worked after a run, and remembers it only after the command', async () => {
    const commands = ['node missing.js tide', 'echo tide', 'echo again'];
    const calls = commands.map((command) => ({ calls: [{ name: 'run_command', input: { command } }] }));
    await using pane = await startWith([...calls, { text: 'All done.' }], [], undefined, 200);
    await send(pane, '/mode agent');
    await send(pane, 'Repair the tide parser tests');
    for (const command of commands) {
      await pane.shows(new RegExp(`${command.replace('.', '\\.')}[\\s\\S]*y yes`));
      await pane.press('y');
    }
    await pane.shows(/Remember this for similar tasks\? Task: Repair the tide parser tests\.[\s\S]*\/lesson dismiss/);
    await send(pane, '/lesson keep');
    await pane.shows(/Remembered for similar tasks in this workspace: Task: Repair/);
    await send(pane, '/lesson');
    await pane.shows(/There is nothing to remember from the last run/);
  });

  it('proposes a plan, which is changed in words, and run by key', async () => {
    await using pane = await start([], { columns: 40 });
    await pane.shows(PROMPT);
    await pane.type('/plan rename tideLevel to waterLevel in src');
    await pane.press('Enter');
    await pane.shows(/1\. Rename tideLevel[\s\S]*Run this plan\?\ny yes · n no/);
    await pane.press('c');
    await pane.shows(/What to change\n› */);
    await pane.type('rename tideLevel to seaLevel in src');
    await pane.press('Enter');
    await pane.shows(/1\. Rename tideLevel to seaLevel[\s\S]*Run this plan\?\ny yes/);
    await pane.press('y');
    await pane.shows(/● Step 1 reported done[\s\S]*The plan was carried out[\s\S]*\n› *\n/);
    assert.match(await readFile(join(folder, 'src/tide.ts'), 'utf8'), /seaLevel/);
  });

  it('asks a question with choices, and takes an answer by its number', async () => {
    const question = { question: 'Which harbor?', options: ['North', 'South'] };
    const turns: Turn[] = [{ calls: [{ name: 'ask_user', input: question }] }, { text: 'Then **South**.' }];
    await using pane = await startWith(turns);
    await pane.shows(PROMPT);
    await pane.type('sail');
    await pane.press('Enter');
    await pane.shows(/Which harbor\?\n {2}1 {2}North\n {2}2 {2}South[\s\S]*1 North · 2 South/);
    await pane.press('2');
    await pane.shows(/Then South\./);
    assert.match(server?.requests.at(-1)?.raw.toString() ?? '', /South/);
  });

  it('queues what is typed while a run works, and Ctrl+C stops the run', async () => {
    await using pane = await startWith([{ text: 'This answer does not end. '.repeat(4) }], [], 'midway');
    await pane.shows(PROMPT);
    await pane.type('first');
    await pane.press('Enter');
    await pane.shows(/This answer[\s\S]*Esc pauses, Ctrl\+C stops/);
    await pane.type('second');
    await pane.press('Enter');
    await pane.shows(/queued: second/);
    await pane.press('C-c');
    await pane.shows(/Stopped\.[\s\S]*\n› second *\n/);
    await pane.press('C-c');
    await pane.shows(/\n› *\n/);
    await pane.press('C-c');
    await pane.shows(/press Ctrl\+C again, or Ctrl\+D/);
    await pane.press('C-c');
    await pane.shows(/\[exit 0\]\nicanon/);
  });

  it('pauses a run with Escape after its current step, and continues it with Escape', async () => {
    const command = 'until [ -e go ]; do sleep 0.1; done';
    await using pane = await startWith([{ calls: [{ name: 'run_command', input: { command } }] }, { text: 'All done.' }]);
    await pane.shows(PROMPT);
    await pane.type('/mode agent');
    await pane.press('Enter');
    await pane.shows(/^agent · /m);
    await pane.type('wait');
    await pane.press('Enter');
    await pane.shows(/y yes · n no/);
    await pane.press('y');
    await pane.shows(/Esc pauses/);
    await pane.press('Escape');
    await pane.shows(/The run pauses after its current step\./);
    await writeFile(join(folder, 'go'), '');
    await pane.shows(/Paused\.[\s\S]*To continue: Escape/);
    assert.equal(server?.requests.length, 1);
    await pane.press('Escape');
    await pane.shows(/All done\./);
  });

  it('continues an earlier session with /resume and with --continue', async () => {
    {
      await using pane = await start(['chat', 'where is tideLevel?']);
      await pane.shows(/is defined at:[\s\S]*\n› *\n/);
      await pane.type('/clear');
      await pane.press('Enter');
      await pane.shows(/A new session\. To return to the last one: \/resume \d{8}T/);
      await pane.type('/resume');
      await pane.press('Enter');
      await pane.shows(/1 {2}where is tideLevel\?[\s\S]*Which session\?/);
      await pane.press('1');
      await pane.shows(/Session “where is tideLevel\?”, 1 message\.[\s\S]*is defined at:/);
      await pane.type('/quit');
      await pane.press('Enter');
      await pane.shows(/\[exit 0\]\nicanon/);
    }
    await using pane = await start(['chat', '--continue']);
    await pane.shows(/Session “where is tideLevel\?”[\s\S]*\n› *\n/);
  });

  it('asks again what a program left open that was killed', async () => {
    {
      const { pane, pid } = await startKnown();
      await using _ = pane;
      await send(pane, '/mode agent');
      await pane.shows(/^agent · offline/m);
      await send(pane, 'rename tideLevel to waterLevel in src');
      await pane.shows(/y yes · n no/);
      process.kill(await pid(), 'SIGKILL');
      await pane.shows(/\[exit 137\]/);
    }
    await using again = await start(['chat', '--continue']);
    await again.shows(/y yes · n no/);
    await again.press('y');
    await again.shows(/Changed 1 file/);
  });

  it('writes lines only with --plain, reads lines, and leaves the answers to Enter', async () => {
    await using pane = await start(['chat', '--plain']);
    await pane.shows(/ask · offline >$/);
    await pane.type('/mode agent');
    await pane.press('Enter');
    await pane.shows(/agent · offline >$/);
    await pane.type('rename tideLevel to \\');
    await pane.press('Enter');
    await pane.shows(/…$/);
    await pane.type('waterLevel in src');
    await pane.press('Enter');
    await pane.shows(/Approve\? y = yes/);
    await pane.type('y');
    await pane.press('Enter');
    await pane.shows(/Changed 1 file[\s\S]*>$/);
    await pane.press('C-c');
    await pane.shows(/press Ctrl\+C again/);
    await pane.press('C-c');
    await pane.shows(/\[exit 0\]/);
  });

  it('completes files and commands with Tab, and takes a paste as one message', async () => {
    await using pane = await start();
    await pane.shows(PROMPT);
    await pane.type('/ver');
    await pane.press('Tab');
    await pane.shows(/^› \/verbose/m);
    await pane.press('C-u');
    await pane.type('show @src/ti');
    await pane.press('Tab');
    await pane.shows(/^› show @src\/tide\.ts/m);
    await pane.press('C-u');
    await pane.paste('one\ntwo');
    await pane.shows(/^› one\n {2}two/m);
    await pane.press('C-c');
    await pane.shows(PROMPT);
    // A file that is dragged into the terminal is pasted as its path.
    await copyFile(join(import.meta.dirname, '../../../../../media/icon.png'), join(folder, 'my tide.png'));
    await pane.paste(`'${join(folder, 'my tide.png')}' `);
    await pane.shows(/^› @".*my tide\.png"/m);
  });

  it('completes prompt files, asks for what they need, and shows what is sent', async () => {
    await mkdir(join(folder, '.kedge/prompts'), { recursive: true });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a prompt file
    await writeFile(join(folder, '.kedge/prompts/where.md'), '---\ndescription: Finds a symbol\n---\nwhere is ${input:symbol:its name}?');
    await writeFile(join(folder, '.kedge/prompts/which.md'), 'Which?');
    await writeFile(join(folder, '.kedge/prompts/init.md'), 'Not this.');
    await using pane = await start();
    await pane.shows(PROMPT);
    await pane.type('/wh');
    await pane.press('Tab');
    await pane.shows(/Finds a symbol \(from \.kedge\/prompts/);
    await pane.press('Enter');
    await pane.shows(/\/where needs symbol \(its name\)/);
    await pane.type('tideLevel');
    await pane.press('Enter');
    await pane.shows(/› where is tideLevel\?[\s\S]*tideLevel is defined at:[\s\S]*\n› *\n/);
    await send(pane, '/skills');
    await pane.shows(
      /\/prompt init[\s\S]*of this workspace: \.kedge\/prompts\/init\.md[\s\S]*like that of a command of Kedge[\s\S]*\/where/,
    );
  });

  it('keeps what was sent for the next conversation, but nothing that looks like a key, in a file for the user alone', async () => {
    const key = `sk-${'abcd1234'.repeat(4)}`;
    {
      await using pane = await start(['chat']);
      await pane.shows(PROMPT);
      for (const text of ['hello tide', `my key is ${key}`]) {
        await pane.type(text);
        await pane.press('Enter');
        await pane.shows(new RegExp(`› ${text}[\\s\\S]*\\n› *\\n`));
      }
    }
    const file = join(home, 'history.jsonl');
    assert.equal(await readFile(file, 'utf8'), '"hello tide"\n');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await using pane = await start(['chat']);
    await pane.shows(PROMPT);
    await pane.press('C-r');
    await pane.type('tide');
    await pane.shows(/^› hello tide/m);
  });

  it('sends what was queued with the next turn of the run', async () => {
    const command = 'until [ -e go ]; do sleep 0.1; done';
    await using pane = await startWith([{ calls: [{ name: 'run_command', input: { command } }] }, { text: 'Both done.' }]);
    await send(pane, '/mode agent');
    await pane.shows(/^agent · /m);
    await send(pane, 'first');
    await pane.shows(/y yes · n no/);
    await pane.press('y');
    await pane.shows(/Esc pauses/);
    await send(pane, 'second');
    await pane.shows(/queued: second/);
    await writeFile(join(folder, 'go'), '');
    assert.doesNotMatch(await pane.shows(/Both done\.[\s\S]*\n› *\n/), /queued:/);
    assert.match(server?.requests[1]?.raw.toString() ?? '', /"second"/);
  });

  it('applies single hunks by key, and tells the model the reason of a rejection', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `// ${index}`).join('\n');
    await writeFile(join(folder, 'src/tide.ts'), `export function tideLevel() {}\n${lines}\ntideLevel();\n`);
    const edits = [
      { old_text: 'export function tideLevel', new_text: 'export function level' },
      { old_text: '\ntideLevel();', new_text: '\nlevel();' },
    ];
    const edit = { path: 'src/tide.ts', edits };
    const turns = [
      { calls: [{ name: 'replace_in_file', input: edit }] },
      { calls: [{ name: 'create_file', input: { path: 'a.txt', content: 'a' } }] },
      { text: 'Done.' },
    ];
    await using pane = await startWith(turns);
    await send(pane, '/mode agent');
    await send(pane, 'rename');
    await pane.shows(/y yes · n no[\s\S]*h hunks/);
    await pane.press('h');
    await pane.shows(/Apply hunk 1 of 2 in src\/tide\.ts\?/);
    await pane.press('n');
    await pane.shows(/Apply hunk 2 of 2/);
    await pane.press('y');
    await pane.shows(/create a\.txt[\s\S]*Approve\?/);
    assert.match(await readFile(join(folder, 'src/tide.ts'), 'utf8'), /^export function tideLevel[\s\S]*\nlevel\(\);/);
    await pane.press('i');
    await pane.shows(/Reason\n› */);
    await send(pane, 'no new files');
    await pane.shows(/Done\./);
    assert.match(server?.requests.at(-1)?.raw.toString() ?? '', /no new files/);
  });

  it('attaches an image that the message names', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await writeFile(join(folder, 'map.png'), png);
    await using pane = await startWith([{ text: 'A dot.' }]);
    await send(pane, 'what is on @map.png?');
    await pane.shows(/A dot\./);
    assert.match(server?.requests[0]?.raw.toString() ?? '', /data:image\/png;base64,iVBOR/);
  });

  it('draws its last lines once after the size of the terminal has changed', async () => {
    await using pane = await start([], { columns: 80 });
    await pane.shows(PROMPT);
    await pane.type('a message that is not sent and that fills most of a line of eighty columns');
    await pane.shows(/eighty columns/);
    for (const columns of [40, 200, 60]) {
      await pane.resize(columns);
      // The footer is drawn for the new width.
      const screen = await pane.shows(columns === 200 ? /of eighty columns\nask · offline/ : /of eighty\s+columns\n+ask · offline/);
      assert.equal(screen.match(/ask · offline/g)?.length, 1, screen);
    }
  });

  for (const [name, env] of Object.entries<Record<string, string>>({
    'NO_COLOR is set': { NO_COLOR: '1' },
    'TERM is dumb': { TERM: 'dumb' },
  }))
    it(`uses no colors if ${name}`, async () => {
      await using pane = await start(['chat', 'where is tideLevel?'], { env });
      await pane.shows(/is defined at:/);
      assert.doesNotMatch(await pane.screen({ withStyles: true }), ESCAPE);
    });

  for (const [name, code, env] of [
    ['SIGTERM', 143, {}],
    ['SIGHUP', 129, {}],
    ['SIGUSR2', 1, { NODE_OPTIONS: `--import=data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('crash'))})` }],
  ] as const)
    it(`leaves the terminal as it was ${name === 'SIGUSR2' ? 'after a crash' : `at ${name}`}`, async () => {
      const { pane, pid } = await startKnown(env);
      await using _ = pane;
      await pane.shows(PROMPT);
      process.kill(await pid(), name);
      await pane.shows(new RegExp(`\\[exit ${code}\\]\nicanon`));
      assert.equal(await pane.isCursorVisible(), true);
    });

  it('is stopped by Ctrl+Z, continued by the shell, and leaves the terminal as it was when a signal ends it', async () => {
    const env = { KEDGE_HOME: home, KEDGE_MODEL: 'offline', TERM: 'screen-256color', PS1: '$ ' };
    await using pane = await Pane.start(['bash', '--norc', '-i'], { cwd: folder, env });
    await pane.shows(/^\S*\$ *$/m);
    await pane.type(`'${process.execPath}' '${PROGRAM}'`);
    await pane.press('Enter');
    await pane.shows(PROMPT);
    await pane.type('first ');
    await pane.shows(/^› first/m);
    await pane.press('C-z');
    await pane.shows(/Stopped/);
    await pane.type('stty -a | grep -o -- "[-]*icanon"; fg');
    await pane.press('Enter');
    await pane.shows(/^icanon[\s\S]*^› first/m);
    await pane.type('second');
    await pane.shows(/^› first second/m);
    await pane.press('C-z');
    await pane.shows(/Stopped[\s\S]*Stopped/);
    await pane.type('kill %1; fg; stty -a | grep -o -- "[-]*icanon"');
    await pane.press('Enter');
    await pane.shows(/^icanon[\s\S]*^icanon/m);
  });

  it('is stopped by a signal from outside as by Ctrl+Z', async () => {
    const env = { KEDGE_HOME: home, KEDGE_MODEL: 'offline', TERM: 'screen-256color', PS1: '$ ' };
    await using pane = await Pane.start(['bash', '--norc', '-i'], { cwd: folder, env });
    await pane.shows(/^\S*\$ *$/m);
    // The shell of the job prints its process, which becomes Kedge.
    await pane.type(`sh -c 'echo pid $$.; exec "${process.execPath}" "${PROGRAM}"'`);
    await pane.press('Enter');
    await pane.shows(PROMPT);
    await pane.type('first');
    const [, pid] = /^pid (\d+)\.$/m.exec(await pane.shows(/^pid \d+\.$[\s\S]*^› first/m)) ?? [];
    process.kill(Number(pid), 'SIGTSTP');
    await pane.shows(/Stopped/);
    await pane.type('stty -a | grep -o -- "[-]*icanon"; fg');
    await pane.press('Enter');
    await pane.shows(/^icanon[\s\S]*^› first/m);
  });

  it('is not loaded for a single request', async () => {
    const loadedBy = async (work: (env: Record<string, string>) => Promise<unknown>) => {
      const coverage = await mkdtemp(join(home, 'coverage-'));
      await work({ NODE_V8_COVERAGE: coverage, KEDGE_HOME: home, KEDGE_MODEL: 'offline' });
      const [name = ''] = await readdir(coverage);
      const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as { result: { url: string }[] };
      const texts = await Promise.all(result.filter(({ url }) => url.includes('/dist/')).map(({ url }) => readFile(new URL(url), 'utf8')));
      return texts.filter((text) => text.includes('To leave, press Ctrl+C again') || text.includes('blockquote'));
    };
    const ask = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, [PROGRAM, 'ask', 'hello'], { cwd: folder, env: { ...process.env, ...env } });
    assert.equal((await loadedBy(ask)).length, 0);
    const converse = async (env: Record<string, string>) => {
      await using pane = await start([], { env });
      await pane.shows(PROMPT);
      await pane.press('C-d');
      await pane.shows(/\[exit 0\]/);
    };
    assert.ok((await loadedBy(converse)).length > 0);
  });

  it('is not started without a terminal', async () => {
    await using pane = await Pane.start(['sh', '-c', `echo x | ${process.execPath} ${PROGRAM}`], {
      cwd: folder,
      env: { KEDGE_HOME: home },
    });
    await pane.shows(/The request is missing[\s\S]*\[exit 2\]/);
  });
});
