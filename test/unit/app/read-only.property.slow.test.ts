import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ToolCall } from '../../../src/core/model/messages.ts';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import type { MutableSessionState } from '../../../src/core/session/session-state.ts';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, resultsOf, snapshotOf } from '../../support/harness.ts';

const CALLS = 10_000;
const CALLS_A_TURN = 100;
const TURNS_A_RUN = 5;

const FILES = {
  'a.txt': 'one\ntwo\none\n',
  'src/b.ts': 'export const b = 1;\r\n',
  'src/deep/c.ts': 'import { b } from "../b";\n',
  'empty.txt': '',
  'bin.dat': new Uint8Array([0, 1, 2, 255]),
  '.git/config': '[core]\n',
  '.vscode/settings.json': '{}\n',
  '.gitignore': 'ignored\n',
  'ignored/x.txt': 'x\n',
  'to-file': '-> src/b.ts',
  'to-dir': '-> src',
  'to-new': '-> src/new.ts',
  'out-file': '-> ../secret.txt',
  'out-dir': '-> ../outside',
  'out-new': '-> ../outside/new.txt',
  'out-parent': '-> ..',
  'out-root': '-> /',
  loop: '-> loop',
  'src/up': '-> ../../outside',
};
const BESIDE = { 'secret.txt': 'secret\n', 'outside/kept.txt': 'kept\n', 'workspace-2/a.txt': 'other\n' };

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...Object.keys(FILES).flatMap((path) => path.split('/')), 'new.txt', 'kept.txt', 'secret.txt', 'outside'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('..', '.', '', '~', 'C:', '\\', '..\\..', 'workspace', 'a\0', '*', '**', '...', ' ', '.git.', 'a.txt:x'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
);
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(FILES), ...Object.keys(BESIDE).map((name) => `../${name}`)) },
  { weight: 4, arbitrary: fc.array(step, { maxLength: 5 }).map((steps) => steps.join('/')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/etc/hostname',
      '/tmp/owned',
      '//host/x',
      'file:///tmp/owned',
      'x/'.repeat(400),
      'x/'.repeat(9_000),
      'n'.repeat(300),
    ),
  },
);
const text = fc.oneof(fc.constantFrom('one', 'two', '', '\n', 'export const b = 1;', 'secret'), fc.string({ maxLength: 20 }));
const edits = fc.array(fc.record({ old_text: text, new_text: text, all: fc.boolean() }), { maxLength: 3 });
/** The patch is well-formed, so that it would be applied if the tool existed. */
const patch = fc
  .array(
    fc.oneof(
      fc.tuple(path, text).map(([path, text]) => `*** Add File: ${path}\n+${text}\n`),
      path.map((path) => `*** Delete File: ${path}\n`),
      fc.tuple(path, path).map(([path, to]) => `*** Update File: ${path}\n*** Move to: ${to}\n@@\n-one\n+1\n`),
      path.map((path) => `*** Update File: ${path}\n@@\n-one\n+1\n`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((sections) => `*** Begin Patch\n${sections.join('')}*** End Patch\n`);
const anything = fc.oneof(
  fc.jsonValue(),
  fc.constant(undefined),
  fc.constantFrom({ path: '../secret.txt', content: 'x' }, [], 'a.txt', null),
);

/** Valid input for each tool, with malicious names. */
const fitting: Record<string, fc.Arbitrary<unknown>> = {
  read_file: fc.record({ path, from_line: fc.integer(), to_line: fc.integer() }, { requiredKeys: ['path'] }),
  list_directory: fc.record({ path }, { requiredKeys: [] }),
  find_files: fc.record({ glob: path }),
  search_text: fc.record({ pattern: text, regex: fc.boolean(), glob: path }, { requiredKeys: ['pattern'] }),
  create_file: fc.record({ path, content: text }),
  replace_in_file: fc.record({ path, edits }),
  apply_patch: fc.record({ input: patch }),
  create_directory: fc.record({ path }),
  move_file: fc.record({ from: path, to: path }),
  delete_file: fc.record({ path }),
  propose_plan: fc.record({
    goal: text,
    steps: fc.array(fc.record({ title: text, files: fc.array(path, { maxLength: 3 }) }), { maxLength: 3 }),
  }),
  update_step: fc.record({ step: fc.integer(), status: text }),
};
const unknown = fc.constantFrom(
  'write_file',
  'bash',
  '__proto__',
  'constructor',
  'toString',
  '',
  'create_file ',
  'CREATE_FILE',
  'functions.create_file',
);
/** Searches are rare, because they take the most time and are the least likely to write. */
const name = fc.constantFrom(
  'create_file',
  'replace_in_file',
  'apply_patch',
  'create_directory',
  'move_file',
  'delete_file',
  'read_file',
  'list_directory',
  'update_step',
  'propose_plan',
);
const huge = fc
  .constantFrom('create_file', 'replace_in_file', 'read_file')
  .map((name) => ({ name, input: { path: 'a.txt', content: 'x'.repeat(200_000), edits: [] } }));

type Asked = Pick<ToolCall, 'name' | 'input' | 'malformed'>;
const fit = (name: string) => (fitting[name] as fc.Arbitrary<unknown>).map((input): Asked => ({ name, input }));
const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 60, arbitrary: name.chain(fit) },
  { weight: 5, arbitrary: fc.constantFrom('find_files', 'search_text').chain(fit) },
  { weight: 10, arbitrary: fc.record({ name, input: anything }) },
  { weight: 10, arbitrary: fc.record({ name: unknown, input: fc.oneof(anything, fitting.create_file as fc.Arbitrary<unknown>) }) },
  { weight: 5, arbitrary: fc.record({ name, malformed: text }) },
  { weight: 1, arbitrary: huge },
);
const streams = fc.array(fc.array(asked, { minLength: CALLS_A_TURN, maxLength: CALLS_A_TURN }), {
  minLength: TURNS_A_RUN,
  maxLength: TURNS_A_RUN,
});

const event = (call: Asked): ModelEvent => ({ type: 'part', part: { type: 'tool_call', id: '', ...call } });

describe('Ask and Plan', () => {
  it(`do not change a byte of the workspace or beside it, whatever ${CALLS.toLocaleString('en')} calls request`, async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(streams, fc.constantFrom<Mode>('ask', 'plan'), async (turns, mode) => {
        // A proposed plan ends the run, so the rest of the turns is used by the next run.
        const script = turns.flatMap((each) => [turn(...each.map(event))]);
        await using kedge = await assistantOn(FILES, [...script, turn(say('Done.'))], { beside: BESIDE });
        answerAll(kedge.session, { approve: true, grant: 'workspace' });
        (kedge.session.state as MutableSessionState).grants.push({ scope: 'session', covers: { kind: 'edits' }, runId: '' });
        const before = await snapshotOf(kedge.parent, { times: true });
        while (kedge.adapter.requests.length <= script.length) await kedge.session.prompt({ text: 'go', mode });

        assert.deepEqual(await snapshotOf(kedge.parent, { times: true }), before);
        for (const type of ['changes_staged', 'file_changed'] as const) assert.deepEqual(eventsOf(kedge.events, type), []);
        // Reading a secret is the only call that needs approval.
        assert.deepEqual(
          eventsOf(kedge.events, 'approval_requested').filter(({ rule, changes }) => rule !== 'secret' || changes.length > 0),
          [],
        );
        const results = resultsOf(kedge.session);
        assert.equal(results.length, CALLS_A_TURN * TURNS_A_RUN);
        for (const { name, isError } of results) if (/create|replace|patch|move|delete/i.test(name)) assert.ok(isError);
        calls += results.length;
      }),
      { numRuns: Math.ceil(CALLS / CALLS_A_TURN / TURNS_A_RUN), endOnFailure: true },
    );
    assert.ok(calls >= CALLS, `${calls} calls`);
  });
});
