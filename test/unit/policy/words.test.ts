/** The words that the analysis reports must be those that a shell passes to the program, for any mixture of quotes and escapes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand } from '../../../src/policy/commands/index.ts';

const LETTERS = [...'abC019.-_/=:,+@%^~#!*?[]{}()<>|&;$`\\\'" \t\nxuUnNe\u00e9\u{1f600}'];
const letter = fc.constantFrom(...LETTERS);
/** An unquoted tilde expands to a home directory. The analysis keeps it unchanged, and the policy requires approval for it. */
const plain = fc.constantFrom(...'abC019.-_/=:,+@%^#!{}*?[]\u00e9');
const run = (of: fc.Arbitrary<string>) => fc.array(of, { maxLength: 4 }).map((letters) => letters.join(''));
const piece = fc.oneof(
  { weight: 4, arbitrary: run(plain) },
  { weight: 3, arbitrary: letter.map((each) => `\\${each}`) },
  { weight: 1, arbitrary: fc.constantFrom('\\\\', '\\\\\\', '\\\n', '$$', '$', '"', "'") },
  { weight: 3, arbitrary: run(letter.filter((each) => each !== "'")).map((text) => `'${text}'`) },
  {
    weight: 3,
    arbitrary: run(
      fc.oneof(
        letter,
        letter.map((each) => `\\${each}`),
      ),
    ).map((text) => `"${text}"`),
  },
  {
    weight: 2,
    arbitrary: run(
      fc.oneof(
        letter,
        letter.map((each) => `\\${each}`),
        fc.constantFrom('\\x41', '\\101', '\\u00e9', '\\cA', '\\0'),
      ),
    ).map((text) => `$'${text}'`),
  },
);
const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const command = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `show ${words.join(' ')}`);

/** Prints the number of words and each word, for every command in the arguments. */
const SHOW = `show() { printf '%s\\0' "$#" "$@"; }; for each in "$@"; do eval "$each" 2>/dev/null || printf 'failed\\0'; printf 'next\\0'; done`;

describe('a word in the analysis', () => {
  for (const [shell, path, options] of [
    ['bash', '/bin/bash', ['--norc', '--noprofile']],
    ['sh', '/bin/sh', []],
  ] as const) {
    it(`is what ${path} hands to the program`, async function () {
      if (!existsSync(path)) return this.skip();
      const parser = await nodeShellParsers(shell);
      const read = fc.sample(command, 6_000).flatMap((text) => {
        // These expand to numbers whose values do not matter here.
        if (/\$[$?#!]/.test(text)) return [];
        const { commands, opaque, dangers } = analyzeCommand(text, shell, parser);
        const [only] = commands;
        const isKnown = opaque.length === 0 && dangers.length === 0 && commands.length === 1;
        const isWordsAlone = only?.words.map(({ source }) => source).join(' ') === text;
        if (!only || !isKnown || !isWordsAlone || only.words.some(({ value, glob }) => value === undefined || glob)) return [];
        return [{ text, words: only.words.slice(1).map(({ value }) => value as string) }];
      });
      assert.ok(read.length > 1_000, `only ${read.length} commands were read`);
      const folder = await mkdtemp(join(tmpdir(), 'kedge-words-'));
      try {
        for (let at = 0; at < read.length; at += 500) {
          const batch = read.slice(at, at + 500);
          const { stdout } = spawnSync(path, [...options, '-c', SHOW, 'sh', ...batch.map(({ text }) => text)], {
            cwd: folder,
            env: { PATH: '', LC_ALL: 'C.UTF-8', HOME: '/nowhere' },
            encoding: 'utf8',
          });
          const results = stdout.split('next\0').slice(0, -1);
          for (const [index, { text, words }] of batch.entries())
            assert.equal(results[index], [words.length, ...words, ''].join('\0'), JSON.stringify(text));
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }).timeout(60_000);
  }
});
