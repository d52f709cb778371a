import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insightsOf } from '../../../src/core/insights/insights.ts';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { SessionStore } from '../../../src/sessions/store.ts';
import { writeWholeLog } from '../../../src/sessions/whole-log.ts';
import { rememberFolders, storedWorkspaces } from '../../../src/sessions/workspaces.ts';
import { assistantOn } from '../../support/harness.ts';

describe('the sessions of other workspaces', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-workspaces-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are listed with their folders and counted, but neither opened nor searched', async () => {
    const other = { directory, key: 'mole-0123456789ab', folders: ['/srv/mole'] };
    await using mole = await assistantOn({}, [turn(say('A narwhal.'))], {
      store: () => new SessionStore(join(directory, other.key, 'sessions')),
      workspaces: other,
    });
    await mole.session.prompt({ text: 'What is that?', mode: 'ask' });
    await using tide = await assistantOn({}, [turn(say('The tide.'))], {
      workspaces: { directory, key: 'tide-0123456789ab', folders: ['/srv/tide'] },
    });
    await tide.session.prompt({ text: 'And this?', mode: 'ask' });
    const library = await tide.assistant.library();
    const [first, ...more] = await library.elsewhere();
    assert.deepEqual(
      [first?.title, first?.workspace, first?.folders, first?.status, more],
      ['What is that?', 'mole', ['/srv/mole'], 'done', []],
    );
    assert.equal(await tide.assistant.session(mole.session.id), undefined);
    for await (const { session } of library.search('narwhal')) assert.fail(session.title);
    const runs = async (everywhere: boolean) =>
      insightsOf(await library.insights(undefined, { everywhere }), { to: '9999-12-31' }).total.runs;
    assert.deepEqual([await runs(false), await runs(true)], [{ answered: 1 }, { answered: 2 }]);
    await Promise.all([mole.assistant.shutDown(), tide.assistant.shutDown()]);
    // The first run has written down the folders of its workspace.
    assert.deepEqual(
      storedWorkspaces(directory).map(({ folders }) => folders),
      [['/srv/mole'], ['/srv/tide']],
    );
  });

  it('are not those of the same folder in another place', async () => {
    rememberFolders({ directory, key: 'tide-0123456789ab', folders: ['/srv/tide'] });
    writeWholeLog(new SessionStore(join(directory, 'tide-0123456789ab', 'sessions')).log('s'), []);
    await using tide = await assistantOn({}, [], { workspaces: { directory, folders: ['/srv/tide'] } });
    assert.deepEqual(await (await tide.assistant.library()).elsewhere(), []);
  });
});
