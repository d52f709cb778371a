/** A call that tells whether a guess is right could be used to read a secret letter by letter. */
import assert from 'node:assert/strict';
import type { Mode } from '../../../src/core/session/events.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';
import { wordServices } from '../../support/languages.ts';

const FILES = { '.env': 'API_KEY=hunter2\n', 'private/map.txt': 'API_KEY=hunter2\n', 'a.txt': 'API_KEY=\n', 'z.txt': 'one\n' };
const [RIGHT, WRONG] = ['hunter2', 'hunter3'];

type Attack = [what: string, mode: Mode, name: string, input: (file: string, guess: string) => unknown];
const ATTACKS: Attack[] = [
  ['a search', 'ask', 'search_text', (_, guess) => ({ pattern: guess })],
  [
    'a search by a regular expression, in that file alone',
    'ask',
    'search_text',
    (file, guess) => ({ pattern: `KEY=${guess}$`, regex: true, glob: file }),
  ],
  ['a search with look-around', 'plan', 'search_text', (_, guess) => ({ pattern: `(?<=KEY=)${guess}`, regex: true })],
  ['the references of a name', 'ask', 'find_references', (file, guess) => ({ path: file, line: 1, symbol: guess })],
  ['where a name is defined', 'ask', 'go_to_definition', (file, guess) => ({ path: file, line: 1, symbol: guess })],
  ['an edit', 'agent', 'replace_in_file', (file, guess) => ({ path: file, edits: [{ old_text: guess, new_text: 'x' }] })],
  [
    'an edit of which another part never fits',
    'agent',
    'replace_in_file',
    (file, guess) => ({
      path: file,
      edits: [
        { old_text: guess, new_text: 'x' },
        { old_text: 'no', new_text: 'x' },
      ],
    }),
  ],
  ['a patch', 'agent', 'apply_patch', (file, guess) => ({ input: patch(`*** Update File: ${file}\n@@\n-API_KEY=${guess}\n+x\n`) })],
  [
    'a patch that fails in another file',
    'agent',
    'apply_patch',
    (file, guess) => ({ input: patch(`*** Update File: ${file}\n@@\n-API_KEY=${guess}\n+x\n*** Update File: z.txt\n@@\n-two\n+x\n`) }),
  ],
  [
    'a patch of several such files',
    'agent',
    'apply_patch',
    (file, guess) => ({ input: patch(`*** Update File: ${file}\n@@\n-API_KEY=${guess}\n+x\n*** Update File: other.pem\n@@\n-x\n+y\n`) }),
  ],
  ['a new name', 'agent', 'rename_symbol', (file, guess) => ({ path: file, line: 1, symbol: guess, new_name: 'x' })],
];

const patch = (sections: string) => `*** Begin Patch\n${sections}*** End Patch\n`;

describe('a guess at the content of a file that needs approval to be read', () => {
  for (const [what, mode, name, input] of ATTACKS)
    for (const file of ['.env', 'private/map.txt'])
      for (const unattended of [false, true])
        it(`gets the same answer, right or wrong: ${what}, ${file}${unattended ? ', in an unattended run' : ''}`, async () => {
          const told = async (guess: string) => {
            await using kedge = await assistantOn(
              { ...FILES, 'other.pem': 'x\n' },
              [turn(call(name, input(file, guess))), turn(say('Done.'))],
              {
                policy: () => ({ rules: [{ effect: 'ask', path: 'private/**', from: 'user' }], problems: [] }),
                languages: wordServices,
                unattended,
              },
            );
            answerAll(kedge.session, { approve: false });
            const model = { provider: 'scripted', model: name === 'apply_patch' ? 'gpt-scripted' : 'scripted' };
            kedge.granted.covers.push({ kind: 'edits' });
            await kedge.session.prompt({ text: 'go', mode, model });
            const asked = eventsOf(kedge.events, 'approval_requested').length;
            return { asked, results: resultTexts(kedge.session).map((result) => result.replaceAll(guess, 'GUESS')) };
          };
          assert.deepEqual(await told(RIGHT), await told(WRONG));
        });

  it('gets the reason of its failure if the user approves, in one approval', async () => {
    const edit = call('replace_in_file', { path: '.env', edits: [{ old_text: 'API_KEY=hunter3', new_text: 'x' }] });
    await using kedge = await assistantOn(FILES, [turn(edit), turn(say('Done.'))]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const [asked] = eventsOf(kedge.events, 'approval_requested');
    assert.equal(asked?.title, 'Tell the model why its change to .env fails');
    assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR old_text of edit 1 is not in \.env[\s\S]*hunter2/);
  });

  it('needs no approval if the file does not exist', async () => {
    const edits = [{ old_text: 'API_KEY=hunter3', new_text: 'x' }];
    const patch = '*** Begin Patch\n*** Delete File: no.pem\n*** End Patch\n';
    for (const [model, name, input] of [
      ['any', 'replace_in_file', { path: 'no.pem', edits }],
      ['gpt-5', 'apply_patch', { input: patch }],
    ] as const) {
      await using kedge = await assistantOn(FILES, [turn(call(name, input)), turn(say('Done.'))]);
      await kedge.session.prompt({ text: 'go', mode: 'agent', model: { provider: 'scripted', model } });
      assert.match(resultTexts(kedge.session)[0] ?? '', /^ERROR There is no file no\.pem/);
    }
  });

  it('is shown as an edit, and made, if it is right and approved', async () => {
    const edit = call('replace_in_file', { path: '.env', edits: [{ old_text: 'hunter2', new_text: 'hunter3' }] });
    await using kedge = await assistantOn(FILES, [turn(edit), turn(say('Done.'))]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ rule, changes }) => [rule, changes.length]),
      [['secret', 1]],
    );
    assert.equal(await kedge.read('.env'), 'API_KEY=hunter3\n');
  });
});
