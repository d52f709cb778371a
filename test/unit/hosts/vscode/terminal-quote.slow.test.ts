import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { shellWord, typedCommand } from '../../../../src/hosts/vscode/terminal/terminal-quote.ts';

describe('a word for bash', () => {
  const meantBy = (words: string[]) => {
    const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
    assert.doesNotMatch(script, /\p{Cc}/u);
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  };

  it('means exactly its text, whatever that is, and holds no key that does something', () => {
    const letter = fc.oneof(
      fc.constantFrom(...`'"\\$\`!#*?~;&|<>(){}[] \n\t\r\u0001\u001b\u009bé日`),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }),
    );
    const text = fc.array(letter, { minLength: 1 }).map((letters) => letters.join('').replaceAll('\0', 'x'));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (words) => assert.deepEqual(meantBy(words), words)),
      { numRuns: 60 },
    );
  });

  it('is as short as it can be', () => {
    assert.equal(shellWord('src/a-b.ts'), 'src/a-b.ts');
    assert.equal(shellWord("npm test -- --grep 'x'"), `'npm test -- --grep '\\''x'\\'''`);
  });
});

describe('the line that is typed into a terminal', () => {
  const shell = { name: 'bash', path: 'bash' } as const;
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-1', TIDE: '5' };
  const run = (line: string) => execFileSync('bash', ['-c', line], { encoding: 'utf8', env, cwd: '/' });

  it('runs the command without what is withheld, though the shell of the terminal has it', () => {
    const spec = { text: 'echo "$OPENAI_API_KEY|$TIDE|$PWD"', cwd: '/tmp', shell, withheld: ['OPENAI_API_KEY', 'GH_TOKEN'] };
    assert.equal(run(typedCommand(spec, '/')), '|5|/tmp\n');
    assert.equal(run(typedCommand(spec, '/tmp')), '|5|/\n');
    assert.match(typedCommand(spec, '/tmp'), /^env -u OPENAI_API_KEY -u GH_TOKEN bash -c /);
    assert.match(typedCommand({ ...spec, withheld: [] }, '/tmp'), /^bash -c /);
  });
});
