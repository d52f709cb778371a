// Skills: what a model is told about them, and what it can read.
import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { callsOf, resultText } from '../../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { framed } from '../../../../src/core/model/notes.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Files, type Harness, type HarnessOptions } from '../../../support/harness.ts';
import { tokensOfTools } from '../../../support/tokens.ts';

const skill = (description: string, body = 'Do it like this.', ...head: string[]) =>
  `---\ndescription: ${JSON.stringify(description)}\n${head.map((line) => `${line}\n`).join('')}---\n${body}\n`;

const textOfRequest = ({ messages }: ModelRequest) => JSON.stringify(messages.map(framed));
const firstRequest = (kedge: Harness) => kedge.adapter.requests[0] as ModelRequest;

/** Calls the tool with these arguments in a run in Ask mode, and returns the results. */
async function results(files: Files, inputs: readonly object[], options: HarnessOptions = {}): Promise<string[]> {
  await using kedge = await assistantOn(files, [turn(...inputs.map((input) => call('skill', input))), turn(say('Done.'))], options);
  await kedge.session.prompt({ text: 'go', mode: 'ask' });
  const finished = eventsOf(kedge.events, 'tool_finished');
  const called = eventsOf(kedge.events, 'message_added').flatMap(({ message }) => (message.role === 'assistant' ? callsOf(message) : []));
  return called.map(({ id }) => {
    const { result, decision } = finished.find(({ callId }) => callId === id) as (typeof finished)[number];
    return `${decision?.kind}: ${resultText(result)}`;
  });
}

describe('skills', () => {
  it('of the user, .kedge, .claude and .github are named to the model once, and again when they change', async () => {
    await using kedge = await assistantOn(
      {
        '.kedge/skills/release/SKILL.md': skill('Make a release of this project'),
        '.claude/skills/pdf/SKILL.md': skill('Fill in PDF forms', 'x', 'name: PDF', 'allowed-tools: Bash(*)'),
        '.github/skills/silent/SKILL.md': skill('Not for models', 'x', 'disable-model-invocation: true'),
        '.github/skills/no-description/SKILL.md': 'Text only.',
      },
      [turn(say('1')), turn(say('2')), turn(say('3'))],
      { userFolder: { 'skills/mine/SKILL.md': skill('Do it my way') } },
    );
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const sent = textOfRequest(firstRequest(kedge));
    assert.match(sent, /- mine: Do it my way\\n- release: Make a release of this project\\n- pdf: Fill in PDF forms\\n/);
    assert.ok(!sent.includes('silent') && !sent.includes('Do it like this'));
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(textOfRequest(kedge.adapter.requests[1] as ModelRequest).split('- release').length, 2);
    await kedge.write('.kedge/skills/release/SKILL.md', skill('Publish'));
    await kedge.session.prompt({ text: 'three', mode: 'ask' });
    assert.match(textOfRequest(kedge.adapter.requests[2] as ModelRequest), /- release: Publish\\n.*This list replaces the earlier one/);
    const list = await (await kedge.assistant.customizations(kedge.session)).list();
    assert.deepEqual(
      list.map(({ kind, label, source, problem }) => [kind, label, source, problem]),
      [
        ['skill', 'mine', 'user', undefined],
        ['skill', 'release', 'workspace', undefined],
        [
          'skill',
          'pdf',
          'workspace',
          'It calls itself PDF, and is used by the name of its folder. Its list of allowed tools is not used: a skill cannot allow anything.',
        ],
        ['skill', 'silent', 'workspace', 'It is not offered to models, as it says itself.'],
        ['skill', 'no-description', 'workspace', 'SKILL.md has no description in its front matter.'],
      ],
    );
  });

  it('cost nothing where there are none, and at most 40 tokens each where they are not used', async () => {
    const long =
      'Converts quarterly spreadsheets, invoices and scanned receipts into the ledger format of the accounting department, and checks sums. '.repeat(
        7,
      );
    const odd = '表の数式を変換して検算する。'.repeat(30);
    const tokensWith = async (count: number, description: string) => {
      const files = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`.kedge/skills/skill-${index}/SKILL.md`, skill(description)]),
      );
      await using kedge = await assistantOn(files, [turn(say('Done.'))]);
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      const { system, tools, messages } = firstRequest(kedge);
      const texts = messages.map(framed).flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')));
      return countTokens(system) + tokensOfTools(tools) + countTokens(texts.join(' '));
    };
    const none = await tokensWith(0, '');
    for (const description of [long, odd, 'Short']) {
      const ten = await tokensWith(10, description);
      const twenty = await tokensWith(20, description);
      assert.ok((twenty - ten) / 10 <= 40, `${(twenty - ten) / 10} tokens for each skill`);
      assert.ok((twenty - none) / 20 <= 46, `${(twenty - none) / 20} tokens for each skill, with the tool`);
    }
  });

  it('are read with the tool, with the files in their folders', async () => {
    const [first, second, third] = await results(
      {
        '.claude/skills/pdf/SKILL.md': skill('Fill in PDF forms', 'Run scripts/fill.py.'),
        '.claude/skills/pdf/scripts/fill.py': 'print(1)',
        '.claude/skills/pdf/.env': 'KEY=1',
      },
      [{ name: 'pdf' }, { name: 'PDF', file: 'scripts/fill.py' }, { name: 'mine' }],
      { userFolder: { 'skills/mine/SKILL.md': skill('Do it my way', 'My way.'), 'skills/mine/ref/a.md': 'A' } },
    );
    assert.match(
      first ?? '',
      /^allow: \[The folder of this skill is \.claude\/skills\/pdf\. Its other files: scripts\/fill\.py\.\]\n[\s\S]*Run scripts\/fill\.py\./,
    );
    assert.match(second ?? '', /print\(1\)/);
    assert.match(
      third ?? '',
      /^allow: \[The folder of this skill is \/.*\/user\/skills\/mine\. Its other files: ref\/a\.md\.\]\n[\s\S]*My way\./,
    );
  });

  it('are read only inside their folders: paths and links that lead out are refused', async () => {
    const paths = [
      '../../../secret.txt',
      '/etc/passwd',
      '..\\..\\..\\secret.txt',
      '~/x',
      'a/../../x',
      'link.md',
      'up/secret.txt',
      'file:///etc/passwd',
      '',
      '.',
      'C:\\x',
    ];
    const files = { 'SKILL.md': skill('S'), 'link.md': '-> ../../../secret.txt', up: '-> ../../..' };
    const place = (base: string) => Object.fromEntries(Object.entries(files).map(([name, content]) => [`${base}/${name}`, content]));
    const all = await results(
      { ...place('.kedge/skills/s'), 'secret.txt': 'SECRET' },
      [...paths.map((file) => ({ name: 's', file })), ...paths.map((file) => ({ name: 'u', file }))],
      { userFolder: { ...place('skills/u'), 'secret.txt': 'SECRET' } },
    );
    assert.equal(all.length, 2 * paths.length);
    for (const [index, text] of all.entries()) assert.ok(!/SECRET|root:/.test(text), `${paths[index % paths.length]}: ${text}`);
    for (const index of [0, 1, 2, 5, 6, 11, 12, 16, 17]) assert.match(all[index] ?? '', /^undefined: /, paths[index % paths.length]);
  });

  it('with links or names of others are not skills', async () => {
    await using kedge = await assistantOn(
      {
        '.kedge/skills/linked': '-> ../../elsewhere',
        'elsewhere/SKILL.md': skill('Linked'),
        '.kedge/skills/out': '-> ../../../outside',
        '.kedge/skills/release/SKILL.md': skill('One'),
        '.github/skills/re1ease/SKILL.md': skill('Looks like it'),
        '.github/skills/Рython/SKILL.md': skill('A letter of another alphabet'),
        '.github/skills/a b/SKILL.md': skill('Blank'),
      },
      [],
      { beside: { 'outside/SKILL.md': skill('Outside') } },
    );
    const list = await (await kedge.assistant.customizations(kedge.session)).list();
    const named = 'The name of its folder must consist of up to 64 letters a-z, digits and single hyphens.';
    assert.deepEqual(
      list.map(({ name, problem }) => [name, problem]),
      [
        ['release', undefined],
        ['linked', 'It is a symbolic link.'],
        ['a b', named],
        ['re1ease', 'Its name is taken by .kedge/skills/release/SKILL.md.'],
        ['Рython', named],
      ],
    );
  });

  it('follow the rules, also when they are read', async () => {
    const files = { '.kedge/skills/s/SKILL.md': skill('S'), '.kedge/skills/s/key.pem': 'KEY', '.kedge/skills/t/SKILL.md': skill('T') };
    const rules = [{ effect: 'deny', path: '.kedge/skills/t/**', from: 'user', text: 'path:.kedge/skills/t/**' }] as never;
    const options = {
      policy: () => ({ rules, problems: [] }),
      unattended: true,
      userFolder: { 'skills/u/SKILL.md': skill('U'), 'skills/u/id_rsa': 'KEY' },
    };
    const [secret, denied, own] = await results(
      files,
      [{ name: 's', file: 'key.pem' }, { name: 't' }, { name: 'u', file: 'id_rsa' }],
      options,
    );
    assert.match(secret ?? '', /^deny: /);
    assert.match(denied ?? '', /There is no skill "t"/);
    assert.match(own ?? '', /may contain keys/);
  });
});
