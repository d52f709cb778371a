import assert from 'node:assert/strict';
import { rulesInForce } from '../../../src/core/context/rules-in-force.ts';
import type { NotePart } from '../../../src/core/model/messages.ts';
import { noteTexts } from '../../../src/core/model/notes.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { isLogged } from '../../../src/core/session/shapes/event-shape.ts';
import { rulesIn, rulesText } from '../../../src/core/view/read-rules.ts';

const rules = (digest: string, paths: string[], remark?: string): NotePart => ({
  type: 'note',
  about: 'rules',
  text: `rules ${digest}`,
  source: { paths, digest, ...(remark && { remark }) },
});
const envelope = { runId: 'r', seq: 1, at: 0 };
const added = (...content: NotePart[]) => ({ type: 'message_added', message: { role: 'user', content }, ...envelope }) as AgentEvent;
const finished = (...content: NotePart[]) =>
  ({
    type: 'tool_finished',
    callId: 'c',
    durationMs: 0,
    result: { type: 'tool_result', callId: 'c', name: 'n', content },
    ...envelope,
  }) as AgentEvent;

describe('rules in a log', () => {
  it('are displayed by the names of their files, and not with their text', () => {
    const event = added(rules('1', ['AGENTS.md', 'CLAUDE.md']), rules('2', ['a\u202e.md'], 'cut off'));
    assert.equal(rulesText(rulesIn(event)), 'Rules: AGENTS.md, CLAUDE.md, a⟨U+202E⟩.md (cut off)');
    assert.equal(rulesText(rulesIn(finished(rules('1', ['src/AGENTS.md'])))), 'Rules: src/AGENTS.md');
    assert.equal(rulesText(rulesIn(added())), undefined);
    assert.deepEqual(event.type === 'message_added' && noteTexts(event.message), []);
  });

  it('are in force until a later note replaces or ends them', () => {
    const messages = [
      { role: 'user' as const, content: [rules('1', ['AGENTS.md']), rules('2', ['CLAUDE.md'])] },
      {
        role: 'tool' as const,
        content: [{ type: 'tool_result' as const, callId: 'c', name: 'n', content: [rules('3', ['src/AGENTS.md'])] }],
      },
      { role: 'user' as const, content: [rules('4', ['AGENTS.md']), rules('', ['CLAUDE.md'])] },
    ];
    assert.deepEqual(
      rulesInForce(messages).map(({ source }) => source.digest),
      ['3', '4'],
    );
  });

  it('are read from logs with and without their source', () => {
    assert.ok(isLogged(added(rules('1', ['AGENTS.md'], 'cut off'))));
    assert.ok(isLogged(finished({ type: 'note', about: 'memory', text: 'x' })));
    assert.ok(!isLogged(added({ ...rules('1', []), source: { paths: 'x', digest: '1' } as never })));
  });
});
