import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { COMMANDS, completion } from '../../../../src/hosts/cli/completion.ts';
import { OPTIONS, UsageError } from '../../../../src/hosts/cli/options/arguments.ts';
import { helpOn } from '../../../../src/hosts/cli/options/help.ts';
import { flags } from '../../../../src/hosts/cli/options/option-table.ts';

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** Returns what bash offers for the last word of a command line. */
function offered(...words: string[]): string[] {
  const line = `COMP_WORDS=(kedge ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _kedge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${completion(['bash'])}\n${line}`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe('the completion', () => {
  it('and the help know every option and every command', () => {
    const named = flags().map(({ name }) => name);
    // --all belongs to `kedge remember`, and its help describes it.
    assert.deepEqual(
      Object.keys(OPTIONS).filter((name) => !named.includes(name)),
      ['all'],
    );
    for (const { name, short, argument } of flags()) {
      const option: { type: string; short?: string } = OPTIONS[name as keyof typeof OPTIONS];
      assert.equal(argument !== undefined, option.type === 'string', name);
      assert.equal(short, option.short, name);
      assert.match(helpOn(), new RegExp(`--${name}\\b`));
    }
    const inHelp = [...helpOn().matchAll(/^ {2}kedge(?:, kedge)? ([a-z]+)/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set([...inHelp, 'help'])].sort(), Object.keys(COMMANDS).sort());
  });

  it('offers commands, their words, options and settings in bash', function () {
    if (!isInstalled('bash')) return this.skip();
    assert.deepEqual(offered('co'), ['config', 'completion']);
    assert.deepEqual(offered('config', 'un'), ['unset']);
    assert.deepEqual(offered('config', 'set', 'max'), ['maxOutputTokens', 'maxTurns', 'maxCalls', 'maxMinutes', 'maxTokens', 'maxUsd']);
    assert.deepEqual(offered('ask', '--te'), ['--temperature']);
    assert.deepEqual(offered('insights', '--'), ['--folder', '--json', '--yes', '--help', '--days', '--csv', '--all']);
    assert.deepEqual(offered('ask', '--model', ''), []);
  });

  for (const [shell, args] of [
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)
    it(`is valid for ${shell}`, function () {
      if (!isInstalled(shell)) return this.skip();
      const { status, stderr } = spawnSync(shell, args, { input: completion([shell]), encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });

  it('is refused for other shells', () => {
    assert.throws(() => completion(['tcsh']), UsageError);
    assert.throws(() => completion([]), /Use kedge completion bash/);
  });
});
