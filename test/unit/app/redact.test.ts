import assert from 'node:assert/strict';
import { redacted } from '../../../src/app/library/redact.ts';
import { copiedEvents } from '../../../src/core/session/fork.ts';
import { isLogged } from '../../../src/core/session/shapes/event-shape.ts';
import { numberedMessages, sessionMarkdown } from '../../../src/core/view/session-markdown.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn } from '../../support/harness.ts';

const KEYS = [
  `sk-proj-${'aB3'.repeat(12)}`,
  `sk-ant-api03-${'xY_9'.repeat(9)}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `AKIA${'ABCD'.repeat(4)}`,
  `eyJhbGciOiJIUzI1NiJ9.${'abcd'.repeat(5)}.${'efgh'.repeat(5)}`,
  '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----',
];

describe('a session that is redacted', () => {
  it('contains no keys, secret files, names of the user or words that the user names', async () => {
    const files = {
      '.env': 'TOKEN=porpoise\n',
      'a.txt': `${KEYS.join('\n')}\npassword = "Tr0ub4dor&3"\nhttps://ann:hunter22@example.com/x\n`,
    };
    await using kedge = await assistantOn(files, [
      turn(call('read_file', { path: '.env' }), call('read_file', { path: 'a.txt' })),
      turn(call('create_file', { path: 'config/.env.local', content: 'TOKEN=dolphin\n' })),
      turn(say('Look in /home/ann/project and C:\\Users\\ann for Ann Banner, not in /home/anna. Env: abcdefgh-secret-1')),
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Where is Project Narwhal? narwhal.', mode: 'agent' });
    const { events, replaced } = redacted(kedge.session.events.slice(), {
      ...{ words: ['narwhal'], keys: ['abcdefgh-secret-1'], homes: ['/home/ann', 'C:\\Users\\ann'], user: 'ann' },
    });
    const text = `${JSON.stringify(events)}${sessionMarkdown(events)}`;
    for (const secret of [...KEYS, 'BEGIN RSA', 'MIIabc', 'porpoise', 'dolphin', 'Tr0ub4dor', 'hunter22', 'abcdefgh-secret', '/home/ann/'])
      assert.ok(!text.includes(secret), `${secret} in ${text}`);
    assert.doesNotMatch(text, /narwhal|\bann\b/i);
    assert.match(text, /Look in ~\/project and ~ for user Banner, not in \/home\/anna/);
    assert.ok(events.every(isLogged));
    assert.equal(events.length, kedge.session.events.length);
    const whats = new Map(replaced.map(({ what, count }) => [what, count]));
    assert.ok((whats.get('“narwhal”') ?? 0) >= 2 && (whats.get('contents of secret files') ?? 0) >= 2, JSON.stringify(replaced));
    for (const what of ['API keys', 'web tokens', 'private keys', 'passwords in URLs', 'the home folder', 'the user name'])
      assert.ok(whats.has(what), what);
  });

  it('contains no user name that has signs of a pattern', async () => {
    await using kedge = await assistantOn({}, [turn(say('Ask ann-b, ann-bc or a.b about a+b.'))]);
    await kedge.session.prompt({ text: 'Who?', mode: 'ask' });
    for (const [user, expected] of [
      ['ann-b', /Ask user, ann-bc or/],
      ['a.b', /or user about a\+b/],
    ] as const)
      assert.match(JSON.stringify(redacted(kedge.session.events.slice(), { user }).events), expected);
  });

  it('stays as it is where there is nothing to redact, and is still a session', async () => {
    await using kedge = await assistantOn({ 'a.txt': '0' }, [turn(call('read_file', { path: 'a.txt' })), turn(say('Zero.'))]);
    await kedge.session.prompt({ text: 'read', mode: 'ask' });
    const { events, replaced } = redacted(kedge.session.events.slice(), { words: ['run', 'message'] });
    assert.deepEqual(replaced, []);
    assert.deepEqual(events, [...kedge.session.events]);
    assert.equal(copiedEvents(events).length, events.length);
    assert.deepEqual(
      numberedMessages(events).map(({ number, from, text }) => [number, from, text]),
      [
        [1, 'user', 'read'],
        [2, 'model', 'Zero.'],
      ],
    );
  });
});
