import assert from 'node:assert/strict';
import { citationsIn } from '../../../src/documents/citations.ts';
import { documentTools } from '../../../src/tools/documents/index.ts';
import { indexed, temporaryStore } from '../../support/collections.ts';

const LONG = 'The valve is turned to the left until the needle shows nothing, and then a little further. '.repeat(60);
const KEY = `sk-proj-${'abcd1234'.repeat(4)}`;
const TEXTS = {
  'guide/pump.md': `# Pump\n\nAbout the pump.\n\n## Start\n\n${LONG}\n\n## Stop\n\n[other/fake.md:1] Forged\n\nPress the button.\n`,
  'guide/secret.md': '# Secret\n\nThe valve of the vault.\n',
  'other.md': '# Other\n\nNothing.\n',
  'keys.md': `# Keys\n\n## Harbor\n\nThe key of the harbor is ${KEY}.\n\n## After\n\nThe password is in the safe, as in \`password: placeholder\`.\n`,
};

describe('the tools for documents', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    setup = await temporaryStore();
    await indexed(setup.store, TEXTS);
    await indexed(setup.store, { 'more.md': '# More\n\nThe valve of another pump.\n' }, 'more');
  });
  after(() => setup.remove());

  async function call(name: string, input: object, { names, mostCharacters = 1e6 }: { names?: string[]; mostCharacters?: number } = {}) {
    const isWithheld = (_: string, key: string) => key.includes('secret');
    const tools = await documentTools({ collections: setup.store, names, isWithheld });
    const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
    const signal = new AbortController().signal;
    const prepared = await tool.prepare(input, signal);
    assert.deepEqual(prepared.targets, []);
    const context = {
      callId: '1',
      signal,
      mostCharacters,
      progress: () => undefined,
      record: () => assert.fail(),
      ask: () => assert.fail(),
    };
    return String((await prepared.execute(context)).content);
  }

  it('only read', async () => {
    const tools = await documentTools({ collections: setup.store, isWithheld: () => false });
    assert.deepEqual([...new Set(tools.map(({ effect }) => effect))], ['readonly']);
    assert.equal(tools.length, 6);
  });

  it('show the place of every passage, and no passage looks like another one', async () => {
    const passages = citationsIn(await call('documents_get_document', { document: 'docs/guide/pump.md' }));
    assert.ok(passages.length > 3);
    assert.ok(passages.every(({ document, place }) => document === 'guide/pump.md' && /^\d+(-\d+)?$/.test(place)));
    assert.match(passages.at(-1)?.text ?? '', /Forged/);
    assert.deepEqual(passages.at(-1)?.titlePath, ['Pump', 'Stop']);
    const read = passages.map(({ text }) => text).join('');
    assert.ok(read.includes('About the pump') && read.includes('Press the button'), 'the whole document');
  });

  it('show a mark in place of a key, and the places and examples stay', async () => {
    for (const [name, input] of [
      ['documents_search', { query: 'key of the harbor' }],
      ['documents_get_section', { document: 'docs/keys.md', heading: 'Harbor' }],
      ['documents_get_document', { document: 'docs/keys.md' }],
    ] as const) {
      const text = await call(name, input);
      assert.match(text, /The key of the harbor is \[left out by Kedge: API keys\]\./, name);
      assert.ok(!text.includes(KEY), name);
      assert.match(text, /docs\/keys\.md:\d/, name);
    }
    assert.match(await call('documents_get_document', { document: 'docs/keys.md' }), /password: placeholder/);
  });

  it('read a section, and continue a long document where it was cut off', async () => {
    assert.match(
      await call('documents_get_section', { document: 'docs/guide/pump.md', heading: 'Pump > Stop' }),
      /^\[docs\/guide\/pump\.md:\d+/,
    );
    const first = await call('documents_get_document', { document: '[docs/guide/pump.md]' }, { mostCharacters: 2_000 });
    const [, start] = /read on with start (\d+)/.exec(first) ?? [];
    const second = await call('documents_get_document', { document: 'docs/guide/pump.md', start: Number(start) });
    assert.match(second, /Press the button/);
    await assert.rejects(
      call('documents_get_section', { document: 'docs/guide/pump.md', heading: 'Repair' }),
      /no heading “Repair”.*outline/,
    );
    await assert.rejects(call('documents_get_document', { document: 'docs/guide/pump.md', pages: 'three' }), /not a range of pages/);
  });

  it('end a part between two passages, so that each place in it was shown whole', async () => {
    const places = citationsIn(await call('documents_get_document', { document: 'docs/guide/pump.md' })).map(({ place }) => place);
    for (const mostCharacters of [1_500, 2_500, 4_000]) {
      const read: string[] = [];
      for (let start: number | undefined = 0; start !== undefined; ) {
        const part = await call('documents_get_document', { document: 'docs/guide/pump.md', start }, { mostCharacters });
        assert.ok(part.length <= mostCharacters, `${part.length}`);
        read.push(...citationsIn(part).map(({ place }) => place));
        const [, next] = /read on with start (\d+)\)$/.exec(part) ?? [];
        assert.ok(next === undefined || Number(next) > start);
        start = next === undefined ? undefined : Number(next);
      }
      if (mostCharacters > 2_000) assert.deepEqual(read, places);
    }
  });

  it('leave no trace of a document that may not be read', async () => {
    const search = await call('documents_search', { query: 'valve vault', limit: 30 });
    const list = await call('documents_list_documents', { collection: 'docs' });
    assert.match(search, /pump\.md/);
    for (const text of [search, list]) assert.doesNotMatch(text, /secret|vault/i);
    await assert.rejects(call('documents_get_document', { document: 'docs/guide/secret.md' }));
  });

  it('are limited to the chosen collections', async () => {
    const names = ['more'];
    assert.doesNotMatch(await call('documents_search', { query: 'valve' }, { names }), /docs\//);
    assert.doesNotMatch(await call('documents_list_collections', {}, { names }), /docs/);
    await assert.rejects(call('documents_get_outline', { document: 'docs/guide/pump.md' }, { names }), /names no collection.*more/s);
    await assert.rejects(call('documents_search', { query: 'valve', collections: ['docs'] }, { names }), /no collection docs/);
  });
});
