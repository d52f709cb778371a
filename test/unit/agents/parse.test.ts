import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../src/agents/definition.ts';
import { parseAgent } from '../../../src/agents/parse.ts';
import type { AgentSource } from '../../../src/core/session/shapes/run-agent.ts';

async function parse(text: string, { source = 'workspace' as AgentSource, fileName = 'custom' } = {}): Promise<AgentDefinition> {
  const found = await parseAgent(text, { source, fileName });
  return 'problem' in found ? assert.fail(found.problem) : found;
}

async function problem(text: string, fileName = 'custom'): Promise<string> {
  const found = await parseAgent(text, { source: 'workspace', fileName });
  return 'problem' in found ? found.problem : assert.fail(`The agent ${found.name} was read.`);
}

describe('agent files', () => {
  it('reads an agent of Kedge', async () => {
    const { digest, ...found } = await parse(
      '---\nname: Style Checker\ndescription: Checks the style\nmode: ask\ntools: [read, search]\nmodel: anthropic/claude-sonnet-4-5\nlimits: {turns: 10, calls: 50}\nbudget: {usd: 0.5}\ntemperature: 0.2\n---\n\nCheck the style.\n',
    );
    assert.deepEqual(found, {
      name: 'style-checker',
      source: 'workspace',
      mode: 'ask',
      tools: ['read', 'search'],
      limits: { turns: 10, callsPerRun: 50, usd: 0.5 },
      temperature: 0.2,
      prompt: 'Check the style.',
      description: 'Checks the style',
      models: ['anthropic/claude-sonnet-4-5'],
      tries: [],
      problems: [],
    });
    assert.match(digest, /^[0-9a-f]{16}$/);
  });

  it('reads an agent of Claude Code', async () => {
    const found = await parse(
      '---\nname: sql\ndescription: Use it so: "optimize"\ntools: Read, Grep, Bash\nmodel: sonnet\npermissionMode: plan\nmaxTurns: 8\ncolor: red\n---\nOptimize.',
    );
    assert.deepEqual(
      [found.mode, found.tools, found.models, found.limits, found.problems],
      ['plan', ['read_file', 'search_text', 'commands'], ['sonnet'], { turns: 8 }, []],
    );
  });

  it('reads an agent of GitHub Copilot', async () => {
    const found = await parse(
      "---\ndescription: Plans\ntools: ['search/codebase', 'web/fetch', 'github/*']\nmodel: ['Claude Sonnet 4.5 (copilot)', 'GPT-5 (copilot)']\nhandoffs:\n  - label: Start\n    agent: implementation\n    send: true\n---\nPlan.",
      { fileName: 'planner' },
    );
    assert.equal(found.name, 'planner');
    assert.deepEqual(found.tools, ['search', 'fetch_url', 'mcp:github']);
    assert.equal(found.models.length, 2);
    assert.deepEqual(found.problems, ['The field handoffs has no effect in Kedge.']);
  });

  it('reads a file without front matter', async () => {
    const { name, prompt, tools, mode } = await parse('Be brief.');
    assert.deepEqual([name, prompt, tools, mode], ['custom', 'Be brief.', undefined, undefined]);
  });

  it('changes the digest with each byte', async () => {
    assert.notEqual((await parse('Be brief.')).digest, (await parse('Be brief. ')).digest);
  });

  it('says what a file asks for and does not get', async () => {
    const { problems, mode, tools, limits, temperature } = await parse(
      '---\nmode: root\ntools: [Bash(rm:*), sudo]\npermissionMode: bypassPermissions\nlimits: {turns: -1, wishes: 3}\ntemperature: 9\nhooks: {}\n---\n',
    );
    assert.deepEqual([mode, tools, limits, temperature], ['ask', [], undefined, undefined]);
    for (const word of ['root', 'Bash(rm:*)', 'sudo', 'bypassPermissions', 'turns', 'wishes', 'temperature', 'hooks'])
      assert.ok(
        problems.some((each) => each.includes(word)),
        `${word} is not named in ${problems.join(' ')}`,
      );
  });

  it('refuses names of Kedge, and names that look like them', async () => {
    for (const name of ['reviewer', 'Reviewer', 'rev1ewer', 'c0der', 'c-o-d-e-r', 'agent', 'Ask', 'p1an', 'kedge', 'KEDGE'])
      assert.match(await problem(`---\nname: ${name}\n---\n`), /not usable/, name);
    for (const name of ['сoder', 'co\u200Bder', '\u202Ereviewer', 'coder\u0301', 'ｃｏｄｅｒ', '../../x', 'a b/c', '-x', 'x'.repeat(41)])
      assert.match(await problem(`---\nname: "${name}"\n---\n`), /not usable/, name);
    assert.match(await problem('Work.', 'tutor'), /Kedge has an agent tutor/);
  });

  it('refuses a file that is too long or that is not valid', async () => {
    assert.match(await problem(`---\n---\n${'x'.repeat(40_000)}`), /prompt is longer/);
    assert.match(await problem('---\ntools: [read\n---\n'), /^Line 2: /);
  });
});
