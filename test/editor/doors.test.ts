import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../src/app/session/session.ts';
import type { Api } from '../../src/hosts/vscode/extension.ts';
import { Kedge } from '../../src/hosts/vscode/kedge.ts';
import { memoryOf } from '../../src/hosts/vscode/memory.ts';
import { nextEvent } from '../support/harness.ts';

/** Makes the terminal program ask, as in a terminal. */
const TTY = 'data:text/javascript,process.stdin.isTTY = process.stderr.isTTY = true';

describe('one session in the editor and in the terminal', function () {
  this.timeout(240_000);
  let kedge: Kedge;
  let folder: string;
  before(async () => {
    const extension = vscode.extensions.getExtension<Api>('kedge.kedge');
    kedge = (await extension?.activate())?.kedge as Kedge;
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath as string;
  });
  const main = () => join(vscode.extensions.getExtension('kedge.kedge')?.extensionPath as string, 'dist', 'kedge.js');
  const notes = () => readFile(join(folder, 'NOTES.md'), 'utf8');

  /** Runs the terminal program in the folder, and answers each of its questions with `answer`. */
  async function terminal(args: string[], answer?: string): Promise<{ code: number; out: string; err: string }> {
    const child = spawn(process.execPath, [...(answer === undefined ? [] : ['--import', TTY]), main(), ...args], {
      cwd: folder,
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
    });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text.out += more;
    });
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text.err += more;
    });
    child.stdin.end(answer === undefined ? '' : `${answer}\n`);
    const [code] = await once(child, 'close');
    return { code: code as number, ...text };
  }

  it('is begun in the editor, waits for an approval, and goes on in the terminal, which can also undo it', async () => {
    const before = await notes();
    const window = new Kedge(kedge.context);
    const session = await window.assistant.newSession();
    const [from] = /\w{6,}/.exec(before) ?? [''];
    void session.prompt({ text: `Replace '${from}' by 'Fulmar' in NOTES.md`, mode: 'agent' });
    await nextEvent(session, 'approval_requested');
    window.dispose();
    const { err, out } = await terminal(['--continue', session.id], 'y');
    assert.match(await notes(), /Fulmar/, `${err}\n${out}`);
    const seen = (await kedge.assistant.session(session.id)) as Session;
    seen.refresh();
    assert.equal(seen.state.lastRun?.outcome, 'answered');
    assert.equal(seen.events.filter(({ type }) => type === 'approval_requested').length, 1);
    assert.equal((await terminal(['undo', seen.state.lastRun?.runId ?? ''])).code, 0);
    assert.equal(await notes(), before);
    seen.refresh();
    assert.equal(seen.events.at(-1)?.type, 'changes_undone');
  });

  it('is begun in the terminal, is listed in the editor, and goes on there', async () => {
    const { code, err } = await terminal(['ask', 'Where is draught used?', '--model', 'offline']);
    assert.equal(code, 0, err);
    const [newest] = await (await kedge.assistant.library()).list();
    assert.equal(newest?.title, 'Where is draught used?');
    const session = (await kedge.assistant.session(newest?.id ?? '')) as Session;
    await session.prompt({ text: 'Where is clearance used?', mode: 'ask' });
    const { out } = await terminal(['export', session.id]);
    assert.match(out, /Where is draught used\?.*Where is clearance used\?/s);
  });

  it('shares the memory', async () => {
    assert.equal((await terminal(['remember', 'Heights are in metres.'])).code, 0);
    assert.match(await memoryOf(kedge).read('workspace'), /Heights are in metres\./);
  });
});
