import assert from 'node:assert/strict';
import { type Message, user } from '../../../src/core/model/messages.ts';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import { note } from '../../../src/core/model/notes.ts';
import { createAdapter } from '../../../src/offline/index.ts';
import { FILES, has, tell } from './conversation.ts';

const CONNECT = '[Connect a model](command:kedge.connectModel)';

describe('offline answers', () => {
  const rows: Record<string, string[]> = {
    'Where is tideLevel defined?': ['- src/tide.ts:4 `export function tideLevel(at: Date): number {`', '6 other places'],
    'where is tide level?': ['tide level was not found, but tideLevel was.', 'src/tide.ts:4'],
    'where is nothingAtAll': ['Nothing in the workspace is called nothingAtAll.'],
    'who calls tideLevel': ['3 calls of tideLevel in 2 files', 'src/tide.ts:10', 'test/tide.test.ts:3', 'Defined at'],
    'where is TideTable used?': ['not used anywhere except where it is defined', 'src/tide.ts:7'],
    "find text 'the moon'": ['1 line in 1 file contains `the moon`', 'src/moon.ts:1'],
    "find text 'no such words' in src": ['No line in src/** contains'],
    'find files *.test.ts': ['1 file matches', '- test/tide.test.ts'],
    'list src': ['0 directories and 3 files', '- src/moon.ts'],
    'what is in tide.ts': [
      'src/tide.ts has 15 lines',
      '“How high the sea stands.”',
      '- src/tide.ts:7 `export class TideTable`',
      '  - src/tide.ts:9 `add(at: Date)`',
    ],
    'explain tideLevel': ['defined at src/tide.ts:4', '```ts\nexport function tideLevel'],
    'explain src': ['3 files'],
    'explain nope.ts': ['There is no file nope.ts'],
    'how is this project laid out': [
      'Computes the tides.',
      'package.json:5 test: `node --test`',
      'src/ 3 files, mostly .ts',
      '- src/index.ts',
    ],
    'how many files are there': ['6 files', '4 .ts'],
    'how many lines in src': ['19 lines in 3 text files', 'src/tide.ts 15 lines'],
    'how many lines does moon.ts have': ['src/moon.ts has 2 lines'],
    'how many TODOs': ['`TODO` occurs 1 time on 1 line in 1 file', 'src/tide.ts:8'],
    'how many occurrences of tideLevel': ['8 times on 7 lines in 4 files'],
    'show lines 4-6 of src/tide.ts': ['src/tide.ts:4-6', 'return meanTideLevel'],
    'explain this\n\n<file path="src/tide.ts" lines="4-6">…</file>': [
      'Lines 4-6 of src/tide.ts',
      'src/tide.ts:4 `export function tideLevel',
    ],
    'rename tideLevel to waterLevel': [
      'would change 7 lines in 4 files',
      'src/tide.ts:10',
      'Ask mode cannot change files. For a plan, switch to Plan',
    ],
    'how many files import moonPhase?': ['1 file imports `moonPhase`', 'src/tide.ts:2'],
    'how many files use tideLevel?': ['4 files mention `tideLevel`', 'README.md:7'],
    'is there a function called tideLevel?': ['tideLevel is defined at', 'src/tide.ts:4'],
    'delete moon.ts': ['src/moon.ts would be deleted', 'src/tide.ts:2', 'Ask mode cannot change files'],
    'delete nope.ts': ['There is no file nope.ts'],
  };
  for (const [text, parts] of Object.entries(rows)) {
    it(text.replaceAll('\n', '⏎'), async () => {
      const { answer, files, turns } = await tell(FILES, text);
      has(answer, ...parts);
      assert.deepEqual(files, FILES);
      assert.ok(turns <= 4);
    });
  }

  it('answers a question in Plan mode without a plan', async () => {
    const { answer, plan } = await tell(FILES, 'where is tideLevel', { mode: 'plan' });
    has(answer, 'src/tide.ts:4');
    assert.equal(plan, undefined);
  });

  for (const mode of ['ask', 'plan', 'agent'] as const) {
    it(`says what it is and what it can do in ${mode} mode when it does not understand`, async () => {
      const { answer, calls } = await tell(FILES, 'write a poem about the sea', { mode });
      has(answer, 'not a language model', 'rename loadConfig to readConfig', 'including in comments');
      assert.ok(answer.split('\n').at(-1)?.includes(CONNECT));
      assert.deepEqual(calls, []);
    });
  }

  it('repeats a long explanation in one line', async () => {
    const history = (await tell(FILES, 'write a poem')).messages;
    const { answer } = await tell(FILES, 'write another', { history });
    assert.equal(answer.split('\n').length, 1);
    has(answer, 'I did not understand that.', CONNECT);
  });

  it('greets back', async () => {
    for (const text of ['hello', 'Hi!', 'hey kedge']) has((await tell(FILES, text)).answer, 'Hello!', 'how is this project laid out?');
  });

  it('says that there may be more when a search was cut short', async () => {
    const { answer } = await tell(FILES, "find text 'tide'", { maxHits: 3 });
    has(answer, '3 lines', 'The search was cut short (more than 3 hits');
  });

  it('counts only the last user message', async () => {
    const history: Message[] = [...(await tell(FILES, 'where is tideLevel')).messages];
    const { answer, messages } = await tell(FILES, 'where is moonPhase', { history });
    has(answer, 'src/moon.ts:2');
    const ids = messages
      .flatMap((message) => (message.role === 'assistant' ? message.content : []))
      .flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every((id) => /^offline-\d+$/.test(id)));
  });

  it('continues its request after an answer that was cut off', async () => {
    const history: Message[] = [user('where is moonPhase')];
    const { answer } = await tell(FILES, note('cut_off', 'Your last message was cut off. Continue where it ends.'), { history });
    has(answer, 'src/moon.ts:2');
  });
});

describe('the offline adapter', () => {
  const run = async (text: string, signal = new AbortController().signal): Promise<ModelEvent[]> => {
    const tools = [{ name: 'search_text', description: '', inputSchema: {} }];
    return Array.fromAsync(createAdapter({}).stream({ model: 'offline', system: '', messages: [user(text)], tools }, signal));
  };

  it('streams its text in pieces, then the complete part, and stops once at the end', async () => {
    const events = await run('hello');
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
    const parts = events.flatMap((event) => (event.type === 'part' && event.part.type === 'text' ? [event.part.text] : []));
    assert.ok(deltas.length > 10);
    assert.deepEqual(parts, [deltas.join('')]);
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'end_turn' });
    assert.equal(events.filter((event) => event.type === 'stop').length, 1);
    assert.ok(!events.some((event) => event.type === 'usage'));
  });

  it('stops for its calls, and gives the same answer to the same request', async () => {
    const events = await run('where is x');
    assert.deepEqual(events.at(-1), { type: 'stop', reason: 'tool_use' });
    assert.deepEqual(await run('where is x'), events);
  });

  it('does not call tools that are not offered', async () => {
    const events = await run('list src');
    assert.ok(events.every((event) => event.type !== 'part' || event.part.type === 'text'));
    const text = events.find((event) => event.type === 'part');
    has(JSON.stringify(text), 'The tool list_directory is not available for this request.');
  });

  it('stops when it is aborted', async () => {
    await assert.rejects(run('hello', AbortSignal.abort(new Error('stopped'))), /stopped/);
  });

  it('does not continue turns of another model', async () => {
    const told = await tell(FILES, 'where is tideLevel');
    const messages = told.messages.slice(0, 3).map((message, index) => (index === 0 ? user('list src') : message));
    const tools = ['list_directory', 'search_text'].map((name) => ({ name, description: '', inputSchema: {} }));
    const events = await Array.fromAsync(
      createAdapter({}).stream({ model: 'offline', system: '', messages, tools }, new AbortController().signal),
    );
    has(JSON.stringify(events), 'Send the request again.');
  });
});
