import assert from 'node:assert/strict';
import { Rules, rulesLimits } from '../../../../src/app/context/rules.ts';
import { rulesInForce } from '../../../../src/core/context/rules-in-force.ts';
import type { ModelRequest } from '../../../../src/core/model/model.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { Workspace } from '../../../../src/workspace/workspace.ts';
import { assistantOn, eventsOf, type Files, type Harness, type HarnessOptions, lastOf } from '../../../support/harness.ts';

/** Returns the texts of the notes about rules in the last request, in order. */
function told({ adapter }: Harness): string[] {
  const { messages } = adapter.requests.at(-1) as ModelRequest;
  const parts = messages.flatMap((message) =>
    message.role === 'user' ? message.content : message.role === 'tool' ? message.content.flatMap(({ content }) => content) : [],
  );
  return parts.flatMap((part) => (part.type === 'note' && part.about === 'rules' ? [part.text] : []));
}

/** Returns everything that was sent to the model, as one text. */
const sent = ({ adapter }: Harness) => JSON.stringify(adapter.requests.map(({ messages }) => messages));

/**
 * Runs one prompt that reads the given files. Returns the rules that the model was told: first the rules for all files, then the others.
 */
async function rulesOf(files: Files, reads: readonly string[] = [], options: HarnessOptions = {}): Promise<string[]> {
  const script = [...reads.map((path) => turn(call('read_file', { path }))), turn(say('Done.'))];
  await using kedge = await assistantOn(files, script, options);
  await kedge.session.prompt({ text: 'go', mode: 'ask' });
  return told(kedge);
}

/** Asserts that there are exactly these rules, each containing all of its texts. */
function assertRules(rules: readonly string[], ...expected: readonly string[][]): void {
  assert.equal(rules.length, expected.length, rules.join('\n---\n'));
  for (const [index, texts] of expected.entries())
    for (const text of texts) assert.ok(rules[index]?.includes(text), `${text} in ${rules[index]}`);
}

const frontMatter = (line: string, body: string) => `---\n${line}\n---\n\n${body}\n`;

describe('rules files of well-known shapes', () => {
  const shapes: [shape: string, files: Files, reads: string[], expected: string[][]][] = [
    [
      'AGENTS.md alone, as in most repositories',
      { 'AGENTS.md': '# Build\nUse make.\n' },
      [],
      [['Rules of the project from AGENTS.md.', 'Use make.']],
    ],
    [
      'a monorepo with AGENTS.md in packages: the nearest are added with the first file of a package',
      {
        'AGENTS.md': 'Root rules.',
        'packages/ui/AGENTS.md': 'UI rules.',
        'packages/ui/src/forms/AGENTS.md': 'Forms rules.',
        'packages/api/AGENTS.md': 'API rules.',
        'packages/ui/src/forms/input.ts': 'x',
      },
      ['packages/ui/src/forms/input.ts'],
      [['Root rules.'], ['UI rules.', 'for files in packages/ui'], ['Forms rules.']],
    ],
    [
      'CLAUDE.md that consists of @AGENTS.md',
      { 'AGENTS.md': 'Shared rules.', 'CLAUDE.md': '@AGENTS.md\n' },
      [],
      [['from AGENTS.md, CLAUDE.md.', 'Shared rules.']],
    ],
    [
      'CLAUDE.md as a link to AGENTS.md',
      { 'AGENTS.md': 'Shared.', 'CLAUDE.md': '-> AGENTS.md' },
      [],
      [['from AGENTS.md, CLAUDE.md.', 'Shared.']],
    ],
    ['AGENTS.md as a copy of CLAUDE.md', { 'AGENTS.md': 'Same.\r\n', 'CLAUDE.md': 'Same.\n' }, [], [['from AGENTS.md, CLAUDE.md.']]],
    [
      'CLAUDE.md with imports in its text',
      {
        'CLAUDE.md': 'See @README for an overview and @docs/git.md.\n\n# More\n- git workflow @docs/git\\ flow.md\n',
        README: 'The overview.',
        'docs/git.md': 'Rebase. Also @style.md',
        'docs/git flow.md': 'Flow.',
        'docs/style.md': 'Two spaces.',
      },
      [],
      [
        [
          'From README:\n\nThe overview.',
          'From docs/git.md:\n\nRebase.',
          'From docs/style.md:\n\nTwo spaces.',
          'From docs/git flow.md:\n\nFlow.',
        ],
      ],
    ],
    [
      '.github/copilot-instructions.md with instructions by language',
      {
        '.github/copilot-instructions.md': 'Use the team’s style.',
        '.github/instructions/ts.instructions.md': frontMatter('applyTo: "**/*.ts,**/*.tsx"', 'No any.'),
        '.github/instructions/py.instructions.md': frontMatter("applyTo: '**/*.py'", 'Type hints.'),
        '.github/instructions/all.instructions.md': frontMatter('applyTo: "**"', 'Be brief.'),
        '.github/instructions/manual.instructions.md': frontMatter('description: only by hand', 'Never by itself.'),
        '.github/workflows/ci.yml': 'on: push',
        'src/app.tsx': 'x',
      },
      ['src/app.tsx'],
      [['Use the team’s style.'], ['Be brief.'], ['No any.', 'for files that match **/*.ts, **/*.tsx']],
    ],
    [
      'instructions in folders, with a glob for a directory',
      {
        '.github/instructions/backend/db.instructions.md': frontMatter('applyTo: src/db/**', 'Use SQL.'),
        'src/db/a.rb': 'x',
        'src/b.rb': 'x',
      },
      ['src/b.rb', 'src/db/a.rb'],
      [['Use SQL.']],
    ],
    [
      '.kedge/rules with and without globs, written as in other tools',
      {
        '.kedge/rules/always.md': 'Always.',
        '.kedge/rules/bare.md': frontMatter('globs: **/*.rs', 'Rust.'),
        '.kedge/rules/list.md': frontMatter('globs:\n  - "docs/**"\n  - *.txt # notes', 'Docs.'),
        '.kedge/rules/braces.md': frontMatter('globs: ["src/**/*.{js,jsx}"]', 'JS.'),
        'a.rs': 'x',
        'a.txt': 'x',
        'src/b/c.jsx': 'x',
      },
      ['a.rs', 'a.txt', 'src/b/c.jsx'],
      [['Always.'], ['Rust.'], ['Docs.'], ['JS.']],
    ],
    [
      'a large repository with all of them',
      {
        'AGENTS.md': 'One.',
        'CLAUDE.md': 'Two.',
        '.github/copilot-instructions.md': 'Three.',
        '.kedge/rules/x.md': 'Four.',
        'lib/CLAUDE.md': 'Five. @notes.md',
        'lib/notes.md': 'Six.',
        'lib/x.ts': 'x',
      },
      ['lib/x.ts', 'lib/notes.md'],
      [['One.'], ['Two.'], ['Three.'], ['Four.'], ['Five.', 'Six.']],
    ],
  ];
  for (const [shape, files, reads, expected] of shapes) it(shape, async () => assertRules(await rulesOf(files, reads), ...expected));

  it('are named by their folder if several are open, and apply in it only', async () => {
    const files = { 'AGENTS.md': 'First.', '.kedge/rules/ts.md': frontMatter('globs: "**/*.ts"', 'TypeScript.') };
    const folders = { second: { 'AGENTS.md': 'Second.', 'a.ts': 'x' } };
    assertRules(
      await rulesOf(files, ['second/a.ts'], { folders }),
      ['from workspace/AGENTS.md', 'First.'],
      ['from second/AGENTS.md', 'Second.'],
    );
  });
});

describe('rules files', () => {
  it('come before the words of the user, and are shown in the run and in the receipt', async () => {
    await using kedge = await assistantOn({ 'AGENTS.md': 'Root.', 'src/AGENTS.md': 'Below.', 'src/a.ts': 'x' }, [
      turn(call('read_file', { path: 'src/a.ts' })),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const [message] = kedge.adapter.requests[0]?.messages ?? [];
    assert.deepEqual(message?.role === 'user' && message.content.map((part) => (part.type === 'note' ? part.about : part.type)), [
      'rules',
      'text',
    ]);
    assert.deepEqual(kedge.session.readView().runs[0]?.rules, [{ path: 'AGENTS.md' }, { path: 'src/AGENTS.md' }]);
    assert.deepEqual(lastOf(kedge.events, 'run_finished').receipt?.rules, ['AGENTS.md', 'src/AGENTS.md']);
  });

  it('are sent once in a session, and again when they change, also after a reload', async () => {
    const answers = [1, 2, 3, 4, 5].map(() => turn(say('Done.')));
    await using first = await assistantOn({ 'AGENTS.md': 'Old.', 'CLAUDE.md': 'Stays.' }, answers);
    await first.session.prompt({ text: 'one', mode: 'ask' });
    await first.session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(told(first).length, 2);
    await first.write('AGENTS.md', 'New.');
    const again = await first.reload();
    await again.session.prompt({ text: 'three', mode: 'ask' });
    assertRules(told(again), ['Old.'], ['Stays.'], ['They replace the earlier rules from AGENTS.md.', 'New.']);
    await again.write('AGENTS.md', '');
    await again.session.prompt({ text: 'four', mode: 'ask' });
    await again.session.prompt({ text: 'five', mode: 'ask' });
    assertRules(told(again).slice(3), ['The rules of AGENTS.md no longer apply.']);
    assert.deepEqual(
      rulesInForce(again.session.state.messages).map(({ source }) => source.paths),
      [['CLAUDE.md']],
    );
  });

  it('of a directory are sent once although several calls touch it at the same time', async () => {
    const files = { 'src/AGENTS.md': 'Below.', 'src/a.ts': 'x', 'src/b.ts': 'x' };
    await using kedge = await assistantOn(files, [
      turn(call('read_file', { path: 'src/a.ts' }), call('read_file', { path: 'src/b.ts' }), call('list_directory', { path: 'src' })),
      turn(say('Done.')),
      turn(call('read_file', { path: 'src/a.ts' })),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.prompt({ text: 'again', mode: 'ask' });
    assertRules(told(kedge), ['Below.']);
  });

  it('are added to the result of a change, but not to the result of a call that was not executed', async () => {
    const files = { 'src/AGENTS.md': 'Below.', 'lib/AGENTS.md': 'Library.', 'lib/.env': 'KEY=1' };
    await using kedge = await assistantOn(files, [
      turn(call('read_file', { path: 'lib/.env' })),
      turn(call('create_file', { path: 'src/new.ts', content: 'x\n' })),
      turn(say('Done.')),
    ]);
    kedge.session.subscribe((event) => {
      if (event.type !== 'approval_requested') return;
      void kedge.session.answerApproval(event.approvalId, { approve: event.rule === 'edit' });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assertRules(told(kedge), ['Below.']);
  });

  it('that are not readable as text are named with the reason', async () => {
    const files = { 'AGENTS.md': new Uint8Array([0xff, 0x00, 0x01]), 'CLAUDE.md': 'x'.repeat(1_000_001) };
    await using kedge = await assistantOn(files, [turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assertRules(told(kedge), ['not a text file'], ['larger than 1 MB']);
    assert.deepEqual(kedge.session.readView().runs[0]?.rules, [
      { path: 'AGENTS.md', remark: 'not read: not a text file' },
      { path: 'CLAUDE.md', remark: 'not read: larger than 1 MB' },
    ]);
  });

  it('are cut off at the limit of a file, at the limit of all, and by a small context window', async () => {
    const long = 'A rule in a line of its own.\n'.repeat(2_000);
    const [first, second, third] = await rulesOf({ 'AGENTS.md': `1 ${long}`, 'CLAUDE.md': `2 ${long}`, '.kedge/rules/a.md': `3 ${long}` });
    assert.match(first ?? '', /\[Cut off after 3\d{4} of 5\d{4} characters\. Read the rest with read_file\.\]$/);
    assert.ok((second?.length ?? 0) > 30_000 && (third?.length ?? 0) < 3_000);
    const [small] = await rulesOf({ 'AGENTS.md': long }, [], { facts: () => ({ contextWindow: 8_000 }) });
    assert.ok((small?.length ?? 0) < 3_600, small);
  });

  it('fill their space once: of many files, the last are named in one note that says they were not sent', async () => {
    const globs = Array.from({ length: 40 }, (_, index) => `g${index}/*.ts`).join(', ');
    const names = Array.from({ length: 90 }, (_, index) => `${10 + index}`);
    const files: Files = Object.fromEntries(
      names.map((name) => [`.kedge/rules/${name}.md`, frontMatter(`globs: ${name}.txt, ${globs}`, `Rule ${name}.`)]),
    );
    const texts = Object.fromEntries(names.map((name) => [`${name}.txt`, 'x']));
    const read = (list: readonly string[]) => turn(...list.map((name) => call('read_file', { path: `${name}.txt` })));
    const facts = () => ({ contextWindow: 32_000 });
    const script = [read(names.slice(0, 60)), ...names.slice(60).map((name) => read([name])), turn(say('Done.')), turn(say('Done.'))];
    await using kedge = await assistantOn({ ...files, ...texts }, script, { facts });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const rules = told(kedge);
    const size = rules.reduce((sum, text) => sum + text.length, 0);
    assert.ok(size > 12_000 && size < 12_800 + 1_000, `${size} characters`);
    const omitted = rules.filter((text) => text.includes('these files were not sent'));
    assert.ok(omitted.length > 0 && omitted.length < 6, `${omitted.length} notes`);
    assert.match(
      omitted[0] ?? '',
      /^The project rules have reached their limit of 12800 characters, so .*: \.kedge\/rules\/\d\d\.md.*Read them with read_file/,
    );
    assert.ok(kedge.session.readView().runs[0]?.rules?.some(({ remark }) => remark === 'not sent: no space left for more rules'));
    await kedge.session.prompt({ text: 'go on', mode: 'ask' });
    assert.ok(told(kedge).length <= rules.length + 1);
  });

  it('look for a limited number of imports', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `@g/${index}`).join(' ');
    const looked: string[] = [];
    await using kedge = await assistantOn({ 'CLAUDE.md': `@a.md ${many} @b.md`, 'a.md': 'First.', 'b.md': 'Last.' }, [turn(say('Done.'))], {
      fileSystem: (roots) => {
        const fs = new NodeFileSystem(roots);
        const stat = fs.stat.bind(fs);
        fs.stat = async (at) => {
          if (at.path.startsWith('g/')) looked.push(at.path);
          return stat(at);
        };
        return fs;
      },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const [rules = ''] = told(kedge);
    assert.ok(rules.includes('First.') && !rules.includes('Last.'));
    assert.ok(looked.length > 100 && looked.length < 400, `${looked.length} files were looked for`);
  });

  it('do not exceed the limit with long lists of globs or of files', async () => {
    const globs = Array.from({ length: 3_000 }, (_, index) => `g${index}/*.ts`).join(', ');
    const text = 'A rule.\n'.repeat(2_000);
    const facts = () => ({ contextWindow: 16_000 });
    const [scoped = ''] = await rulesOf({ '.kedge/rules/a.md': frontMatter(`globs: *.txt, ${globs}`, text), 'a.txt': 'x' }, ['a.txt'], {
      facts,
    });
    assert.ok(scoped.includes('for files that match *.txt, g0/*.ts') && scoped.length < 6_600, `${scoped.length}`);
    const names = Array.from({ length: 45 }, (_, index) => `${'long'.repeat(20)}${index}.md`);
    const imported = Object.fromEntries(names.map((name, index) => [name, `Rule ${index}.`]));
    const [importing = ''] = await rulesOf({ ...imported, 'CLAUDE.md': `${names.map((name) => `@${name}`).join(' ')}\n${text}` }, [], {
      facts,
    });
    assert.ok(importing.includes('from CLAUDE.md, long') && importing.length < 6_600, `${importing.length}`);
  });

  it('import no path of more than 1,000 characters', async () => {
    const path = (length: number) => `${'./'.repeat(length / 2)}a.md`;
    const [rules = ''] = await rulesOf({ 'CLAUDE.md': `Read @${path(1_000)}`, 'a.md': 'Imported.' });
    assert.ok(!rules.includes('Imported.'));
    const [shorter = ''] = await rulesOf({ 'CLAUDE.md': `Read @${path(900)}...`, 'a.md': 'Imported.' });
    assert.ok(shorter.includes('Imported.'), shorter);
  });

  it('that are damaged, empty, or not files are harmless', async () => {
    const files = {
      'AGENTS.md/': '',
      'CLAUDE.md': '\n\n',
      '.kedge/rules/open.md': '---\nglobs: [a\nno end',
      '.github/instructions/open.instructions.md': '---\napplyTo: "**"\nno end',
      '.github/instructions/empty.instructions.md': '',
      '.github/copilot-instructions.md': '-> missing.md',
    };
    assertRules(await rulesOf(files), ['globs: [a']);
  });

  it('import each file once, not from code, and no deeper than five files', async () => {
    const chain = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`${n}.md`, `Depth ${n}. @${n + 1}.md @CLAUDE.md @1.md`]));
    const code = '`@code.md`\n``a ` @code.md``\n\n```\n@code.md\n```\n\n    @code.md\n\nmail a@code.md\n';
    const [rules = ''] = await rulesOf({ ...chain, 'CLAUDE.md': `@1.md\n${code}`, 'code.md': 'Code.' });
    assert.ok(rules.includes('Depth 5.') && !rules.includes('Depth 6.') && !rules.includes('Code.'), rules);
    assert.equal(rules.match(/Depth 1\./g)?.length, 1);
  });
});

describe('rules files that may not be read', () => {
  const secretRules = {
    'AGENTS.md': 'Tell RULES.',
    'src/AGENTS.md': 'Tell RULES.',
    'src/a.ts': 'x',
    'x/AGENTS.md': '-> ../src/AGENTS.md',
    'x/a.ts': 'x',
  };
  const reads = ['src/a.ts', 'x/a.ts'];

  async function traceOf(files: Files, options: HarnessOptions = {}): Promise<string> {
    const script = [...reads.map((path) => turn(call('read_file', { path }))), turn(say('Done.'))];
    await using kedge = await assistantOn(files, script, options);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested'), []);
    return sent(kedge) + JSON.stringify(kedge.session.readView().runs);
  }

  const cases: [why: string, files: Files, options: HarnessOptions][] = [
    ['in an untrusted workspace', secretRules, { trusted: false }],
    ['by .kedgeignore', { ...secretRules, '.kedgeignore': 'AGENTS.md\n' }, {}],
    [
      'by a rule that denies them',
      secretRules,
      { policy: () => ({ rules: [{ effect: 'deny', path: '**/AGENTS.md', from: 'user' }], problems: [] }) },
    ],
    [
      'by a rule that asks',
      secretRules,
      { policy: () => ({ rules: [{ effect: 'ask', path: '**/AGENTS.md', from: 'workspace' }], problems: [] }) },
    ],
    ['because they link to a secret', { 'AGENTS.md': '-> .env', '.env': 'RULES', 'src/a.ts': 'x', 'x/a.ts': 'x' }, {}],
    [
      'because they link out of the workspace',
      { 'AGENTS.md': '-> ../outside.md', 'src/a.ts': 'x', 'x/a.ts': 'x' },
      { beside: { 'outside.md': 'RULES' } },
    ],
    [
      'because their imports are secret, hidden or outside',
      {
        'CLAUDE.md': 'Read @.env @hidden.md @../outside.md @~/outside.md',
        '.env': 'RULES',
        'hidden.md': 'RULES',
        '.kedgeignore': 'hidden.md',
        'src/a.ts': 'x',
        'x/a.ts': 'x',
      },
      { beside: { 'outside.md': 'RULES' } },
    ],
  ];
  for (const [why, files, options] of cases)
    it(`leave no trace ${why}`, async () => {
      assert.doesNotMatch(await traceOf(files, options), /RULES/);
    });

  it('leave exactly the trace of a workspace without them', async () => {
    const hidden = { ...secretRules, '.kedgeignore': 'AGENTS.md\n' };
    const without = { 'src/a.ts': 'x', 'x/a.ts': 'x', '.kedgeignore': 'AGENTS.md\n' };
    // In pieces, so that a failure names the difference.
    const plain = (text: string) => text.replace(/"(?:id|runId|callId)":"[^"]*"|"(?:durationMs|at)":\d+/g, '').split(',');
    assert.deepEqual(plain(await traceOf(hidden)), plain(await traceOf(without)));
  });
});

describe('a call in a long conversation', () => {
  it('copies the conversation only if it touches a directory or rules that no call touched before', async () => {
    await using kedge = await assistantOn({ 'src/AGENTS.md': 'Sources.', 'src/a.ts': 'x', 'src/b.ts': 'x' });
    const rules = new Rules(new Workspace(kedge.fs), rulesLimits(undefined));
    let copies = 0;
    const messages = () => {
      copies++;
      return [];
    };
    for (const path of ['src/a.ts', 'src/a.ts', 'src/b.ts']) await rules.forCall({ targets: [{ path, access: 'read' }] }, messages);
    assert.equal(copies, 1);
  });
});

describe('the start of a run with rules', () => {
  it('adds the lost message when the program ended before it was logged', async () => {
    await using kedge = await assistantOn({ 'AGENTS.md': 'Root.' }, [turn(say('Done.'))]);
    // The run is logged immediately. The session is closed before the message of the run is logged.
    const mention = { type: 'note' as const, about: 'mention' as const, text: '1\tone', ref: { kind: 'file' as const, path: 'a.ts' } };
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'iVBORw0KGgo=' };
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask', attachments: [image, mention] });
    const again = await kedge.reload();
    await ended;
    assert.equal(again.session.state.messages.length, 0);
    await again.session.resume();
    const [message] = again.adapter.requests[0]?.messages ?? [];
    assert.deepEqual(message?.content.slice(-3), [{ type: 'text', text: 'go' }, image, mention]);
    assert.equal(told(again).length, 1);
  });

  it('logs the message of the user when it is stopped at once', async () => {
    await using kedge = await assistantOn({ 'AGENTS.md': 'Root.' });
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.stop();
    await ended;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.deepEqual([...kedge.session.state.messages], [{ role: 'user', content: [{ type: 'text', text: 'go' }] }]);
  });
});
