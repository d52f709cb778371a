import assert from 'node:assert/strict';
import { rename } from '../../../../src/app/session/about.ts';
import { isDurable } from '../../../../src/core/session/events.ts';
import { replayOf } from '../../../../src/core/view/replay.ts';
import { EMPTY_VIEW, project, type SessionView } from '../../../../src/core/view/session-view.ts';
import { TextRenderer } from '../../../../src/hosts/cli/output/text-renderer.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn } from '../../../support/harness.ts';

/** The events that streaming displays in addition to those of the log. */
const STREAMED = new Set(['waiting', 'progress', 'draft', 'compacting']);
const settled = (view: SessionView): unknown => JSON.parse(JSON.stringify(view, (key, value) => (STREAMED.has(key) ? undefined : value)));

class Recorded {
  text = '';
  write = (more: string) => {
    this.text += more;
  };
}

describe('a replay', () => {
  it('shows the same view and the same text as the live run, event by event, without a model', async () => {
    await using kedge = await assistantOn({ 'a.txt': '0\n', 'b.txt': '1\n' }, [
      turn(say('I read first.'), call('read_file', { path: 'a.txt' }), call('read_file', { path: 'none.txt' })),
      turn(call('replace_in_file', { path: 'a.txt', edits: [{ old_text: '0', new_text: '2' }] })),
      turn(call('create_file', { path: 'c.txt', content: 'new\n' }), call('delete_file', { path: 'b.txt' })),
      turn(say('All is done.\n\nIn two parts.')),
      turn(say('And this.')),
    ]);
    answerAll(kedge.session, { approve: true, grant: 'run' });
    const live: unknown[] = [];
    const texts = { live: new Recorded(), replayed: new Recorded() };
    const renderer = new TextRenderer(texts.live, texts.live);
    kedge.session.subscribe((event) => {
      renderer.handle(event);
      if (isDurable(event)) live.push(settled(kedge.session.readView()));
    });
    await kedge.session.prompt({ text: 'change it', mode: 'agent' });
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    await kedge.session.prompt({ text: 'again', mode: 'ask' });
    rename(kedge.session, 'Replayed');
    const before = await kedge.snapshot();
    const { length } = kedge.adapter.requests;
    const again = new TextRenderer(texts.replayed, texts.replayed);
    let view = EMPTY_VIEW;
    const replayed: unknown[] = [];
    const logged = (await kedge.store.load(kedge.session.id)) ?? [];
    for (const { event } of replayOf(logged, { speed: Number.POSITIVE_INFINITY })) {
      again.handle(event);
      view = project(view, event);
      replayed.push(settled(view));
    }
    assert.equal(replayed.length, live.length);
    for (const [index, each] of replayed.entries()) assert.deepEqual(each, live[index], `after event ${index + 1}`);
    assert.equal(texts.replayed.text, texts.live.text);
    assert.ok(texts.live.text.includes('In two parts.'));
    assert.deepEqual(await kedge.snapshot(), before);
    assert.equal(kedge.adapter.requests.length, length);
  });
});
