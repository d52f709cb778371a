import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { EventBody } from '../../../../src/core/session/events.ts';
import type { ApprovalRequest } from '../../../../src/core/session/session-state.ts';
import { parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import { approvalText } from '../../../../src/hosts/cli/output/approval-text.ts';
import { paintFor } from '../../../../src/hosts/cli/output/terminal.ts';
import { linesOf } from '../../../../src/hosts/cli/questions.ts';
import { runSession } from '../../../../src/hosts/cli/run-session.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { assistantOn } from '../../../support/harness.ts';

const paint = paintFor({ write: () => undefined });
type Body = Extract<EventBody, { type: 'approval_requested' }>;
const asked = (body: Partial<Body>): string =>
  approvalText({ title: 'A call', rule: 'r', reason: 'It asks.', changes: [], ...body } as ApprovalRequest, paint);

describe('an approval in the terminal', () => {
  it('shows the server, the description and the arguments of an MCP tool', () => {
    const mcp = { server: 'github', tool: 'create issue', description: 'Creates an issue.' };
    assert.equal(
      asked({ mcp, input: { title: 'Hi', labels: ['a'] } }),
      [
        'Call a tool of an MCP server',
        'MCP server: github',
        'Tool: create issue',
        'Description from the server: Creates an issue.',
        'Arguments:',
        '  {',
        '    "title": "Hi",',
        '    "labels": [',
        '      "a"',
        '    ]',
        '  }',
        'It asks.',
      ].join('\n'),
    );
  });

  it('offers edits outside the plan for the run only', () => {
    const covers = [{ kind: 'edits', beyondPlan: true }] as const;
    assert.equal(
      asked({ covers: [...covers] })
        .split('\n')
        .at(-1),
      'To allow edits outside the plan: r = for this run',
    );
  });

  it('shows the folder of a command, whether it keeps running, and its time limit', () => {
    const command = { text: 'npm test\nFolder: .', cwd: 'vendor/evil', shell: 'bash', background: true, timeoutSeconds: 1_800 } as const;
    assert.equal(
      asked({ command }),
      [
        'Run a command',
        'Command:',
        '  npm test',
        '  Folder: .',
        'In the folder: vendor/evil',
        'Background: The command keeps running after the tool call has ended.',
        'Time limit: 1800 s',
        'It asks.',
      ].join('\n'),
    );
    assert.equal(asked({ command: { text: 'ls', cwd: '.', shell: 'bash' } }), 'Run a command\nCommand:\n  ls\nIt asks.');
  });

  it('shows a complete address, and the host of the connection', () => {
    const address = `https://xn--80ak6aa92e.example/${'a'.repeat(1_500)}?token=secret`;
    assert.equal(
      asked({ address, hosts: ['xn--80ak6aa92e.example'] }),
      [
        'Fetch a web page',
        'Address:',
        `  ${address}`,
        'Host: xn--80ak6aa92e.example (an encoded name with letters beyond a-z)',
        'It asks.',
      ].join('\n'),
    );
  });

  it('says that its details were not recorded', () => {
    assert.match(asked({}), /^A call\nDetails: An older version of Kedge requested this approval/);
  });

  it('says how much of a very long change is not shown, and shows all of it on request', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `line ${index}`);
    await using kedge = await assistantOn({}, [
      turn(call('create_file', { path: 'long.txt', content: `${lines.join('\n')}\n` })),
      turn(say('Ok.')),
    ]);
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
    const { write } = process.stderr;
    const input = new PassThrough();
    const typed = ['d', 'y'];
    const shown: string[] = [''];
    process.stderr.write = ((text: string) => {
      shown[shown.length - 1] += text;
      if (!text.endsWith('> ')) return true;
      shown.push('');
      setImmediate(() => input.write(`${typed.shift()}\n`));
      return true;
    }) as typeof write;
    Object.defineProperty(process, 'stdin', { value: Object.assign(input, { isTTY: true }), configurable: true });
    try {
      linesOf(process.stdin);
      await runSession(
        kedge.session,
        () => kedge.session.prompt({ text: 'go', mode: 'agent' }),
        parseCommand(['agent', 'go']),
        new AbortController().signal,
      );
    } finally {
      process.stderr.write = write;
      Object.defineProperty(process, 'stdin', stdin);
    }
    const [first = '', second = ''] = shown;
    assert.match(first, /… 501 more lines of this diff are not shown here\.\n[\s\S]*d = show the complete diff/);
    assert.ok(!first.includes('line 2499'));
    assert.deepEqual(
      lines.filter((line) => !second.split('\n').includes(`+${line}`)),
      [],
    );
    assert.doesNotMatch(second, /not shown here/);
    assert.equal(await kedge.read('long.txt'), `${lines.join('\n')}\n`);
  });
});
