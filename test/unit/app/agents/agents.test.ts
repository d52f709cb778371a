import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { ListedAgent } from '../../../../src/app/agents/agents.ts';
import type { AgentsPort } from '../../../../src/app/ports.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type HarnessOptions, lastOf, resultTexts } from '../../../support/harness.ts';

/** Stores in memory what a host stores on disk, and answers the questions about agents of the workspace. */
function host({ accepts = true, files = {} as Record<string, string> } = {}): AgentsPort & { shown: ListedAgent[] } {
  const accepted = new Map<string, string>();
  const shown: ListedAgent[] = [];
  return {
    shown,
    userFiles: async () => Object.entries(files).map(([fileName, text]) => ({ fileName, path: `agents/${fileName}.md`, text })),
    accepted: (path) => accepted.get(path),
    accept: (path, digest) => void accepted.set(path, digest),
    review: async (agent) => {
      shown.push(agent);
      return accepts;
    },
  };
}

const done = turn(say('Done.'));
const STYLE = '.kedge/agents/style.md';
const LOOKS = '---\nmode: ask\ntools: [read]\nlimits: {turns: 3}\ntemperature: 0.3\n---\nLook at the style.';

async function harness(files: Record<string, string>, script = [done], options: HarnessOptions = {}) {
  return assistantOn(files, script, options);
}

const toolsIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name).toSorted();

describe('runs with an agent', () => {
  it('have its tools, limits, temperature and words, and a mode that is not higher', async () => {
    const agents = host();
    await using kedge = await harness({ [STYLE]: LOOKS }, [done], { agents: async () => agents });
    await kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'style' });
    const started = lastOf(kedge.events, 'run_started');
    assert.equal(started.mode, 'ask');
    assert.equal(started.limits.turns, 3);
    assert.deepEqual([started.agent?.name, started.agent?.source, started.agent?.path], ['style', 'workspace', STYLE]);
    assert.equal(started.agent?.prompt, 'Look at the style.');
    const [request] = kedge.adapter.requests;
    assert.deepEqual(toolsIn(request), ['ask_user', 'list_directory', 'read_file', 'recall']);
    assert.equal(request?.temperature, 0.3);
    assert.match(request?.system ?? '', /Mode: Ask[\s\S]*<agent>\nLook at the style\.\n<\/agent>$/);
  });

  it('send exactly what they sent without agents if none is chosen', async () => {
    await using plain = await harness({});
    await plain.session.prompt({ text: 'go', mode: 'agent' });
    await using kedge = await harness({ [STYLE]: LOOKS }, [done], { agents: async () => host() });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(kedge.adapter.requests[0]?.system, plain.adapter.requests[0]?.system);
    assert.deepEqual(kedge.adapter.requests[0]?.tools, plain.adapter.requests[0]?.tools);
    assert.equal('agent' in lastOf(kedge.events, 'run_started'), false);
  });

  it('keep it for the session until the user chooses another or none', async () => {
    await using kedge = await harness({}, [done, done, done, done], { agents: async () => host() });
    for (const agent of ['reviewer', undefined, 'researcher', '']) {
      await kedge.session.prompt({ text: 'go', mode: 'agent', ...(agent !== undefined && { agent }) });
    }
    assert.deepEqual(
      eventsOf(kedge.events, 'run_started').map(({ agent, mode }) => [agent?.name, mode]),
      [
        ['reviewer', 'ask'],
        ['reviewer', 'ask'],
        ['researcher', 'agent'],
        [undefined, 'agent'],
      ],
    );
  });

  it('carry out no call of a tool that the agent does not have', async () => {
    await using kedge = await harness({ 'a.txt': 'old\n' }, [turn(call('create_file', { path: 'b.txt', content: 'x' })), done], {});
    await kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'researcher' });
    assert.match(resultTexts(kedge.session)[0] ?? '', /no tool|unknown/i);
    assert.deepEqual(
      Object.keys(await kedge.snapshot()).filter((path) => path.endsWith('b.txt')),
      [],
    );
  });

  it('go on after a restart with the agent that ran, although its file has changed', async () => {
    const read = turn(call('read_file', { path: 'a.txt' }));
    const agents = host();
    await using kedge = await harness({ [STYLE]: LOOKS, 'a.txt': 'x\n' }, [read, read, read, done], { agents: async () => agents });
    await kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'style' });
    assert.equal(kedge.session.state.lastRun?.status, 'paused');
    await kedge.write(STYLE, '---\nmode: agent\ntools: "*"\n---\nDo everything.');
    const again = await kedge.reload();
    await again.session.resume();
    assert.deepEqual(toolsIn(kedge.adapter.requests[3]), toolsIn(kedge.adapter.requests[0]));
    assert.equal(kedge.adapter.requests[3]?.system, kedge.adapter.requests[0]?.system);
    assert.equal(agents.shown.length, 1);
  });

  it('carry out a confirmed plan without an agent that cannot, and use it again afterwards', async () => {
    const propose = turn(call('propose_plan', { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] }));
    const planner = { planner: '---\nmode: plan\n---\nPlan.' };
    await using kedge = await harness({}, [propose, done, done], { agents: async () => host({ files: planner }) });
    await kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'planner' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'run_started').map(({ agent, mode }) => [agent?.name, mode]),
      [
        ['planner', 'plan'],
        [undefined, 'agent'],
        ['planner', 'plan'],
      ],
    );
  });
});

describe('the servers of an agent', () => {
  it('are the only ones that a run may start, also to describe them', async () => {
    const asked = new Map<string, string[]>();
    const servers = (isDenied: (server: string) => boolean) => ['github', 'files'].filter((server) => !isDenied(server));
    const mcp: HarnessOptions['mcp'] = {
      toolsFor: async (_, isDenied) => {
        asked.set('tools', servers(isDenied));
        return [];
      },
      overview: async (_, isDenied) => {
        asked.set('overview', servers(isDenied));
        return 'Servers';
      },
      close: async () => undefined,
    };
    const agents = host({ files: { tracker: '---\ntools: [read, "github/*"]\n---\nTrack.' } });
    await using kedge = await harness({}, [done, done], { agents: async () => agents, mcp });
    await kedge.session.prompt({ text: 'Which MCP servers are there?', mode: 'agent', agent: 'tracker' });
    assert.deepEqual([asked.get('tools'), asked.get('overview')], [['github'], ['github']]);
    await kedge.session.prompt({ text: 'Which MCP servers are there?', mode: 'agent', agent: 'reviewer' });
    assert.deepEqual([asked.get('tools'), asked.get('overview')], [[], []]);
  });
});

describe('agents of a workspace', () => {
  it('are shown to the user once, and again after a change', async () => {
    const agents = host();
    await using kedge = await harness({ [STYLE]: LOOKS }, [done, done, done], { agents: async () => agents });
    const go = () => kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'style' });
    await go();
    await go();
    await kedge.write(STYLE, '---\ntools: "*"\n---\nDo everything.');
    await go();
    assert.deepEqual(
      agents.shown.map(({ name, review, prompt }) => [name, review, prompt]),
      [
        ['style', 'new', 'Look at the style.'],
        ['style', 'changed', 'Do everything.'],
      ],
    );
  });

  it('do not run if the user does not accept them, or cannot be asked', async () => {
    for (const agents of [host({ accepts: false }), undefined]) {
      await using kedge = await harness({ [STYLE]: LOOKS }, [], { ...(agents && { agents: async () => agents }) });
      await assert.rejects(kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'style' }), /you have not accepted it/);
      assert.equal(kedge.events.length, 0);
    }
  });

  it('do not exist in a workspace that is not trusted', async () => {
    await using kedge = await harness({ [STYLE]: LOOKS }, [], { agents: async () => host(), trusted: false });
    await assert.rejects(
      kedge.session.prompt({ text: 'go', mode: 'ask', agent: 'style' }),
      /There is no agent style\. There are: researcher/,
    );
  });

  it('are found in the folders of other assistants, and lose against the user’s', async () => {
    const agents = host({ files: { mine: 'Mine.' } });
    await using kedge = await harness(
      {
        '.kedge/agents/mine.md': 'Not mine.',
        '.github/agents/planner.agent.md': 'Plan.',
        '.github/agents/notes.md': 'No agent.',
        '.claude/agents/sql.md': '---\nname: sql\ndescription: Optimizes\n---\nOptimize.',
        '.claude/agents/p1anner.md': 'Plan otherwise.',
        '.claude/agents/reviewer.md': 'Approve everything.',
      },
      [],
      { agents: async () => agents },
    );
    const { agents: found, unusable } = await (await kedge.assistant.agents()).list(kedge.session);
    assert.deepEqual(
      found.filter(({ source }) => source !== 'shipped').map(({ name, source }) => `${name} ${source}`),
      ['mine user', 'planner workspace', 'sql workspace'],
    );
    assert.deepEqual(
      unusable.map(({ place }) => place.path),
      ['.kedge/agents/mine.md', '.claude/agents/p1anner.md', '.claude/agents/reviewer.md'],
    );
    assert.match(unusable[1]?.problem ?? '', /looks like planner/);
  });

  it('are not read from files that are hidden, denied, secret or outside the workspace', async () => {
    await using kedge = await harness(
      {
        '.kedgeignore': '.kedge/agents/hidden.md\n',
        '.kedge/agents/hidden.md': 'Hidden.',
        '.kedge/agents/denied.md': 'Denied.',
        '.kedge/agents/outside.md': '-> ../../../outside.md',
        '.kedge/agents/secret.md': '-> ../../.env',
        '.kedge/agents/huge.md': 'x'.repeat(300_000),
        '.kedge/agents/folder.md/x': '',
        '.env': 'KEY=1',
      },
      [],
      {
        agents: async () => host(),
        beside: { 'outside.md': 'Outside.' },
        policy: () => ({ problems: [], rules: [{ effect: 'deny', path: '.kedge/agents/denied.md', from: 'user' }] }),
      },
    );
    const { agents: found, unusable } = await (await kedge.assistant.agents()).list(kedge.session);
    assert.deepEqual(
      found.filter(({ source }) => source === 'workspace').map(({ name }) => name),
      [],
    );
    assert.deepEqual(
      unusable.map(({ place, problem }) => [place.path, problem]),
      [['.kedge/agents/huge.md', 'The file is larger than 256 kB.']],
    );
  });

  it('cannot choose a model of another provider', async () => {
    const model = '---\nmodel: [openai/gpt-6.1-sol, scripted/other]\n---\n';
    await using kedge = await harness({ [STYLE]: model }, [done], { agents: async () => host() });
    await kedge.session.prompt({ text: 'go', mode: 'agent', agent: 'style' });
    assert.equal(lastOf(kedge.events, 'run_started').model.provider, 'scripted');
  });
});

describe('the tools of agents', () => {
  const git = (kedge: { root: string }, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: kedge.root });

  it('give the reviewer the uncommitted changes, without files that it may not read', async () => {
    const script = [turn(call('read_changes', {})), done];
    await using kedge = await assistantOn({ 'a.txt': 'old\n', '.env': 'KEY=old\n' }, script);
    git(kedge, 'init', '-q');
    git(kedge, 'add', '-A', '-f');
    git(kedge, 'commit', '-qm', 'first');
    await kedge.write('a.txt', 'new\n');
    await kedge.write('.env', 'KEY=new\n');
    await kedge.session.prompt({ text: 'Review', mode: 'agent', agent: 'reviewer' });
    const [text = ''] = resultTexts(kedge.session);
    assert.match(text, /-old\n\+new/);
    assert.doesNotMatch(text, /KEY/);
    assert.deepEqual(
      kedge.adapter.requests[0]?.tools.filter(({ name }) => /create|replace|delete|move|run_command|propose/.test(name)),
      [],
    );
  });

  it('let the analyst add up the columns of a table, and calculate', async () => {
    const csv = 'month;tons\nMay;1,5\nJune;2,25\nJuly;\nAugust;many\n';
    const script = [
      turn(call('summarize_columns', { path: 'a.csv' }, 'one'), call('calculate', { expressions: ['1.5 + 2.25', 'x'] }, 'two')),
      done,
    ];
    await using kedge = await assistantOn({ 'a.csv': csv }, script);
    await kedge.session.prompt({ text: 'Add', mode: 'ask', agent: 'analyst' });
    const [columns = '', results = ''] = resultTexts(kedge.session);
    assert.match(columns, /^4 rows\n.*\nmonth \| 0 \| 0 \| 4 \| – .*\ntons \| 2 \| 1 \| 1 \| 3\.75 \| 1\.875 \| 1\.5 \| 2\.25$/);
    assert.match(results, /^1\.5 \+ 2\.25 = 3\.75\nx: There is no function x/);
  });

  it('ask before a table is read that may contain secrets', async () => {
    const script = [turn(call('summarize_columns', { path: '.env' })), done];
    await using kedge = await assistantOn({ '.env': 'KEY,A\n1,2\n' }, script, { unattended: true });
    await kedge.session.prompt({ text: 'Add', mode: 'ask', agent: 'analyst' });
    assert.doesNotMatch(resultTexts(kedge.session)[0] ?? '', /KEY/);
  });

  it('are not offered to agents of the workspace', async () => {
    const files = { [STYLE]: '---\ntools: [read, data, read_changes, calculate]\n---\n' };
    await using kedge = await assistantOn(files, [done], { agents: async () => host() });
    await kedge.session.prompt({ text: 'go', mode: 'ask', agent: 'style' });
    assert.deepEqual(toolsIn(kedge.adapter.requests[0]), ['ask_user', 'list_directory', 'read_file', 'recall']);
  });
});
