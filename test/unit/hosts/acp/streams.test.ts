import assert from 'node:assert/strict';
import type { McpServer } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { withLineLimit } from '../../../../src/hosts/acp/line-limit.ts';
import { serversOf } from '../../../../src/hosts/acp/mcp-servers.ts';
import { StreamedText } from '../../../../src/hosts/acp/updates/streamed-text.ts';

async function read(chunks: readonly string[], maxBytes: number): Promise<string> {
  async function* input() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  let text = '';
  for await (const chunk of withLineLimit(input(), maxBytes)) text += Buffer.from(chunk).toString('latin1');
  return text;
}

describe('the line limit', () => {
  it('cuts off each long line, however the input is split', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (lines, max, size) => {
          const text = lines.join('\n');
          const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
          assert.equal(await read(chunks, max), lines.map((each) => each.slice(0, max)).join('\n'));
        },
      ),
    );
  });

  it('stops reading when it is cancelled', async () => {
    let isEnded = false;
    async function* input() {
      try {
        for (;;) yield Buffer.from('line\n');
      } finally {
        isEnded = true;
      }
    }
    const reader = withLineLimit(input(), 100).getReader();
    await reader.read();
    await reader.cancel();
    assert.ok(isEnded);
  });
});

describe('the text of a message', () => {
  it('is sent once, in pieces', () => {
    const text = new StreamedText();
    const sent = text.push('It is ') + text.push('here.') + text.end('It is here. More.');
    assert.equal(sent, 'It is here. More.');
    assert.equal(text.end('Alone'), 'Alone');
  });

  it('is not repeated if it differs from its pieces', () => {
    const text = new StreamedText();
    assert.equal(text.push('<tool>') + text.end('Cleaned'), '<tool>');
  });

  it('has no links to commands of VS Code, however they are split', () => {
    const link = 'See [Connect](command:kedge.openPanel) for more.';
    for (let size = 1; size < 12; size++) {
      const text = new StreamedText();
      const pieces = link.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      assert.equal(pieces.map((piece) => text.push(piece)).join('') + text.end(link), 'See Connect for more.');
    }
  });
});

describe('MCP servers of a client', () => {
  it('are converted to the format of the configuration, without those that use SSE', () => {
    const offered: McpServer[] = [
      { name: 'local', command: '/bin/server', args: ['-x'], env: [{ name: 'KEY', value: '1' }] },
      { type: 'http', name: 'remote', url: 'https://example.com/mcp', headers: [{ name: 'X-Key', value: '2' }] },
      { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: [] },
    ];
    assert.deepEqual(serversOf(offered, '/folder'), {
      local: { command: '/bin/server', args: ['-x'], env: { KEY: '1' }, cwd: '/folder' },
      remote: { url: 'https://example.com/mcp', headers: { 'X-Key': '2' } },
    });
    assert.equal(serversOf([], '/folder'), undefined);
  });
});
