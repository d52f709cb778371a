// What a hook can say, and that nothing of it allows anything.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { withHooks } from '../../../src/app/run/hooks.ts';
import type { Judge } from '../../../src/app/run/judge.ts';
import { tokensOfText } from '../../../src/core/context/tokens.ts';
import type { PreparedCall, Tool } from '../../../src/core/run/tool.ts';
import { answerOf } from '../../../src/hooks/answer.ts';
import { type Hook, readHooks } from '../../../src/hooks/config.ts';
import { matches } from '../../../src/hooks/match.ts';
import { RunHooks } from '../../../src/hooks/run-hooks.ts';
import { hooksText } from '../../../src/hosts/cli/customizations/hooks-command.ts';

const tool: Tool = {
  name: 'run_command',
  description: '',
  inputSchema: {},
  effect: 'external',
  source: 'builtin',
  prepare: () => Promise.reject(new Error()),
};
const prepared: PreparedCall = { title: 'Run ls', targets: [], execute: () => Promise.reject(new Error()) };
const STRICTNESS = ['allow', 'ask', 'deny'] as const;

describe('a hook', () => {
  it('never makes a decision less strict, whatever it prints and however it ends', async () => {
    const value = fc.oneof(fc.constantFrom('allow', 'deny', 'ask', 'approve', 'allow_always', true, null, 0), fc.jsonValue());
    const keys = [
      'decision',
      'permissionDecision',
      'hookSpecificOutput',
      'continue',
      'approve',
      'kind',
      'context',
      'notify',
      'covers',
      'grant',
      'reason',
    ];
    const output = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), value).map((each) => JSON.stringify(each)),
      fc.string(),
    );
    const exit = fc.record({ code: fc.constantFrom(0, 0, 0, 1, 2, 126), stdout: output, stderr: fc.string() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(exit, fc.boolean()), { maxLength: 4 }),
        fc.constantFrom(...STRICTNESS),
        fc.boolean(),
        async (all, kind, unattended) => {
          const user = all.map(
            ([, required], index): Hook => ({
              name: `h${index}`,
              moment: 'before_tool',
              command: `${index}`,
              required,
              timeoutMs: 1,
              source: 'user',
            }),
          );
          const hooks = new RunHooks({
            user,
            about: { session: 's', run: 'r', mode: 'agent', workspace: [] },
            start: async ({ command }) => all[Number(command)]?.[0] ?? { stdout: '', stderr: '' },
            signal: new AbortController().signal,
            pending: new Set(),
            log: () => undefined,
          });
          const judge = { decide: async () => ({ kind, rule: 'rule', reason: '' }) } as unknown as Judge;
          const judged = await withHooks(judge, hooks, () => unattended).decide(
            { type: 'tool_call', id: '1', name: tool.name },
            tool,
            prepared,
          );
          assert.ok(STRICTNESS.indexOf(judged.kind) >= STRICTNESS.indexOf(kind));
          assert.ok(judged.rule !== 'hook' || !('covers' in judged));
          const isDenied = all.some(([each, required]) => {
            const answer = answerOf(each);
            return answer.decision === 'deny' || (required && answer.problem !== undefined);
          });
          if (isDenied) assert.equal(judged.kind, 'deny');
        },
      ),
    );
  });

  it('adds at most 1,000 tokens, without hidden characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 500 }), (text, times) => {
        const { context = '' } = answerOf({ code: 0, stdout: JSON.stringify({ context: text.repeat(times) }), stderr: '' });
        assert.ok(tokensOfText(context) <= 1_050);
        assert.ok(!/[\u202a-\u202e\u200b]/.test(context));
      }),
    );
  });

  it('runs for names, globs, actions and servers', () => {
    const call = (more: object = {}) =>
      ({ name: 'edit_file', source: 'builtin', effect: 'mutating', targets: [{ path: 'a', access: 'write' }], ...more }) as never;
    const server = call({ name: 'gh__push', source: 'mcp:gh', targets: [] });
    const command = call({ name: 'run_command', targets: [], command: { text: 'ls', cwd: '.', shell: 'bash' } });
    for (const [tools, given, isMatch] of [
      [undefined, call(), true],
      [['edit'], call(), true],
      [['read'], call(), false],
      [['edit_*'], call(), true],
      [['*'], call(), true],
      [['mcp'], server, true],
      [['mcp:gh'], server, true],
      [['mcp:gh/push'], server, true],
      [['mcp:other'], server, false],
      [['command'], command, true],
      [['read'], command, true],
      [['network', 'delete'], command, false],
    ] as const)
      assert.equal(matches(tools ? { tools: [...tools] } : {}, given), isMatch, `${tools}`);
  });

  it('is defined by a file with a schema, and anything else in it is refused', () => {
    assert.equal(readFileSync('media/hooks.schema.json', 'utf8'), `${hooksText(['schema'], undefined, { KEDGE_HOME: '/nowhere' })}\n`);
    const read = (value: unknown) => readHooks(typeof value === 'string' ? value : JSON.stringify(value), 'workspace');
    const one = { event: 'run_end', command: 'x' };
    assert.deepEqual(read({ hooks: [one] }), {
      hooks: [{ name: 'x', moment: 'run_end', command: 'x', required: false, timeoutMs: 10_000, source: 'workspace' }],
    });
    const refused: unknown[] = [
      ...['', '[]', 'null', '{"hooks": {}}', '{"hooks": [1]}', `{"hooks": [], "x": "${'y'.repeat(16_000)}"}`],
      ...[
        { allow: true },
        { decision: 'allow' },
        { mode: 'agent' },
        { timeout: 1e9 },
        { timeout: 0 },
        { event: 'approve' },
        { command: '' },
        { tools: [] },
      ].map((more) => ({
        hooks: [{ ...one, ...more }],
      })),
      { hooks: Array(21).fill(one) },
      { hooks: [], grants: ['all'] },
      { hooks: [{ ...one, name: 'x'.repeat(41) }] },
    ];
    for (const value of refused) assert.ok('problem' in read(value), JSON.stringify(value).slice(0, 100));
  });

  it('says in a sentence where a file is wrong, and what to do', () => {
    const one = { event: 'run_end', command: 'x' };
    const hooks = (...all: unknown[]) => JSON.stringify({ hooks: all });
    const cases: [string, string | RegExp][] = [
      ['{"hooks": [\n  {"event": "run_end" "command": "x"}\n]}', /^It is not valid JSON at line 2\. Look for a missing comma/],
      ['{"hooks": [', /^It is not valid JSON at line 1\./],
      ['[]', 'The file must contain {"hooks": […]}, a list of at most 20 hooks.'],
      ['{"hooks": {}}', 'The file must contain {"hooks": […]}, a list of at most 20 hooks.'],
      [hooks(...Array(21).fill(one)), 'The file must contain {"hooks": […]}, a list of at most 20 hooks.'],
      ['{"$schema": 1, "hooks": []}', 'The field "$schema" must be text.'],
      ['{"hooks": [], "grants": 1}', 'There is an unknown field "grants" in the file. Remove it; the fields are hooks.'],
      [hooks(one, 1), 'In the field "hooks", hook 2 must be an object such as {"event": "run_end", "command": "…"}.'],
      [hooks({ command: 'x' }), /^The field "event" of hook 1 must be one of before_tool, after_tool, /],
      [hooks(one, { ...one, event: 'approve' }), /^The field "event" of hook 2 must be one of before_tool, /],
      [hooks({ event: 'run_end' }), 'The field "command" of hook 1 must be text of 1 to 4000 characters.'],
      [hooks({ ...one, timeout: 1e9 }), 'The field "timeout" of hook 1 must be a number of seconds above 0 and at most 60.'],
      [hooks({ ...one, tools: [3] }), /^The field "tools" of hook 1 must be a list of 1 to 50 names of tools/],
      [
        hooks({ ...one, 'al\u202Elow': 1 }),
        /^There is an unknown field "al⟨U\+202E⟩low" in hook 1\. Remove it; the fields are name, event, command, /,
      ],
    ];
    for (const [text, expected] of cases) {
      const read = readHooks(text, 'user');
      assert.ok('problem' in read, text);
      if (typeof expected === 'string') assert.equal(read.problem, expected);
      else assert.match(read.problem, expected);
    }
  });
});
