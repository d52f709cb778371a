/** A message the user sends during a run reaches every API in an accepted form and extends the previous request. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assistantOn, lastOf } from '../support/harness.ts';
import { TEXT_BODIES } from '../support/wire-bodies.ts';
import { RULES } from '../support/wire-rules.ts';
import { startWireServer } from '../support/wire-server.ts';
import { WIRES, type Wire } from '../support/wires.ts';

describe('a message that joins a run after the results of its calls', () => {
  for (const name of Object.keys(WIRES)) {
    it(`is sent over ${name}`, async () => {
      const wire = WIRES[name] as Wire;
      const path = join(import.meta.dirname, '../fixtures/recordings', name, 'reasoning-text-and-a-call', wire.file);
      const bodies = [readFileSync(path, 'utf8'), TEXT_BODIES[name]?.(['So it ', 'is.']) ?? ''];
      const server = await startWireServer(
        bodies.map((body) => ({ body })),
        wire.contentType,
      );
      const adapter = (await wire.load()).createAdapter({ apiKey: 'sk-secret-0123456789', baseUrl: server.url + wire.path });
      await using kedge = await assistantOn({ 'src/größe.ts': 'x\n' }, [], { adapter });
      try {
        const end = kedge.session.subscribe(({ type }) => {
          if (type !== 'tool_started') return;
          end();
          void kedge.session.say({ text: 'In metres, please.', mode: 'ask' });
          void kedge.session.say({ text: 'And briefly.', mode: 'ask' });
        });
        await kedge.session.prompt({ text: 'What is this?', mode: 'ask', model: { provider: wire.provider, model: 'model-one' } });
        assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
        const [first, second] = server.requests.map(({ raw }) => JSON.parse(raw.toString()));
        RULES[name]?.(second);
        const before = first[wire.messages];
        assert.deepEqual(second[wire.messages].slice(0, before.length), before);
        const last = JSON.stringify(second[wire.messages]);
        assert.ok(last.indexOf('In metres, please.') < last.indexOf('And briefly.'));
        assert.equal(last.split('In metres, please.').length, 2);
      } finally {
        await server.close();
      }
    });
  }
});
