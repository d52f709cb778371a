import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pdf } from '../../../../support/documents/pdf.ts';
import { needsProgram, PROGRAM } from '../../../../support/program.ts';
import { startWindowServer, type WindowRequest, type WindowServer } from '../../../../support/window-server.ts';
import { folderOf, remove } from '../../node/folder.ts';

const WINDOW = 8_192;
const PAGES = 100;
const MANUAL = pdf(
  Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: 30 }, (_line, line) => ({
      text:
        line === 15
          ? `Valve ${page + 1} opens at ${page * 7} bar.`
          : `Line ${line} says how the pump of page ${page + 1} is oiled and cleaned.`,
      y: 760 - line * 20,
    })),
  ),
);

/** A model that repeats what it reads about valves, each with the place above it. */
function valvesIn({ messages }: WindowRequest): string {
  const text = messages
    .map(({ content }) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('')))
    .join('\n');
  const found = [...(text.match(/^- valve .*$/gm) ?? [])];
  let place = '';
  for (const line of text.split('\n')) {
    place = /^\[manual\/[^\t]*\]/.exec(line)?.[0] ?? place;
    const [, number] = /^ {2}Valve (\d+) opens/.exec(line) ?? [];
    if (number) found.push(`- valve ${number} ${place}, ${'in many words '.repeat(6)}`);
  }
  const kept = text.includes('Combine these notes') ? found.filter((_, index) => index % 3 === 0) : found;
  return kept.join('\n') || 'Nothing.';
}

describe('prompts about whole documents, from the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: WindowServer;
  before(async () => {
    folder = await folderOf({ 'docs/short.md': '# Short\n\nNothing about it.\n' });
    await writeFile(join(folder, 'docs', 'manual.pdf'), MANUAL);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    server = await startWindowServer({ window: WINDOW }, valvesIn);
    assert.equal((await run(['docs', 'add', 'manual', 'docs'])).code, 0);
  });
  afterEach(() => {
    server.requests.length = 0;
  });
  after(async () => {
    await server.close();
    await Promise.all([remove(folder), remove(home)]);
  });

  function start(args: readonly string[]) {
    const clean = Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name));
    const model = { KEDGE_MODEL: 'openai-chat/test-model', KEDGE_API_KEY: 'key', KEDGE_BASE_URL: `${server.url}/v1` };
    const env = { ...Object.fromEntries(clean), KEDGE_HOME: home, ...model };
    return spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async function run(args: readonly string[]) {
    const child = start(args);
    const texts = Promise.all(
      [child.stdout, child.stderr].map(async (stream) => {
        let text = '';
        for await (const chunk of stream.setEncoding('utf8')) text += chunk;
        return text;
      }),
    );
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout = '', stderr = ''] = await texts;
    return { code, stdout, stderr };
  }

  const pagesOf = (text: string) => [...text.matchAll(/\[manual\/docs\/manual\.pdf:p(\d+)\]/g)].map(([, page]) => Number(page));

  it('summarize a PDF of 100 pages with a window of 8,192 tokens, of which Kedge learns only from the service', async () => {
    const { code, stdout, stderr } = await run(['docs', 'summarize', 'manual', 'manual.pdf']);
    assert.equal(code, 0, stderr);
    const accepted = server.requests.filter(({ refused }) => !refused);
    assert.ok(accepted.length >= 8, `${accepted.length}`);
    assert.ok(server.requests.length - accepted.length <= 3, 'the window is learned from a refusal');
    assert.match(stderr, /\*\*Part \d+\*\* \(manual\/docs\/manual\.pdf, \d+ % read\)/);
    const pages = pagesOf(stdout);
    assert.ok(pages.includes(1) && pages.includes(PAGES), `${pages}`);
    assert.doesNotMatch(stdout, /Part \d/, 'notes are not part of the answer');
  });

  it('continue after the program was killed', async () => {
    const child = start(['docs', 'worksheet', 'manual', 'docs/manual.pdf']);
    await new Promise<void>((resolve) => {
      let text = '';
      child.stderr.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (text.includes('**Part 3**')) resolve();
      });
    });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    server.requests.length = 0;
    const { code, stdout, stderr } = await run(['--continue']);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(server.requests[0]?.text ?? '', / Valve 1 opens/, 'the first pages are not read again');
    assert.ok(pagesOf(stdout).includes(1) && pagesOf(stdout).includes(PAGES));
  });

  it('name what is missing', async () => {
    for (const [args, expected] of [
      [['summarize'], /kedge docs summarize NAME \[DOCUMENT\]/],
      [['compare', 'manual', 'short.md'], /kedge docs compare NAME DOCUMENT DOCUMENT/],
      [['worksheet', 'manuel'], /no collection "manuel"\. The collections are: manual/],
      [['summarize', 'manual', 'long.md'], /manual has no document long\.md/],
    ] as const) {
      const { code, stderr } = await run(['docs', ...args]);
      assert.match(stderr, expected);
      assert.equal(code, 2);
    }
  });
});
