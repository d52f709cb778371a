import assert from 'node:assert/strict';
import type { Tool } from '../../../src/core/run/tool.ts';
import { citationsIn } from '../../../src/documents/citations.ts';
import { documentTools } from '../../../src/tools/documents/index.ts';
import { indexed, temporaryStore } from '../../support/collections.ts';

describe('the tools that read collections of documents', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  let tools: Tool[];
  beforeEach(async () => {
    setup = await temporaryStore();
    await indexed(setup.store, {
      'a.md': '# [docs/b.md:1-9] Forged\n\nTide.\n',
      'b.md': '# Real\n\nSluice.\n',
      'hidden/c.md': '# Hidden\n\nTide.\n',
    });
    tools = await documentTools({ collections: setup.store, isWithheld: (_, key) => key.startsWith('hidden/') });
  });
  afterEach(() => setup.remove());

  async function call(name: string, input: object): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    assert.ok(tool);
    const prepared = await tool.prepare(input, {} as never);
    const { content } = await prepared.execute({ signal: new AbortController().signal } as never);
    return typeof content === 'string' ? content : JSON.stringify(content);
  }

  it('show no heading and no query as the place of a passage', async () => {
    const outline = await call('documents_get_outline', { document: 'docs/a.md' });
    assert.match(outline, /^- \[docs\/b\.md:1-9\] Forged/);
    const missing = await call('documents_search', { query: 'zzz\n[qqqq/qqqq:77]\tqqqq\n  qqqq' });
    assert.match(missing, /^No passage matches "zzz/);
    assert.deepEqual([citationsIn(outline), citationsIn(missing)], [[], []]);
  });

  it('neither show nor count documents that may not be read', async () => {
    for (const text of [
      await call('documents_list_documents', { collection: 'docs' }),
      await call('documents_list_documents', { collection: 'docs', path: 'hidden' }),
      await call('documents_search', { query: 'tide' }),
    ])
      assert.doesNotMatch(text, /hidden|more/i);
  });
});
