import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand, evaluateCommand } from '../../../src/policy/commands/index.ts';

/** The only programs on the shells' PATH; none of them does anything. */
const PROGRAMS = ['ls', 'cat', 'git', 'rg', 'npm', 'env', 'timeout', 'time'];
const COMMANDS = [
  ...[
    'ls -la a b',
    'git status; ls',
    'echo "a b" | cat',
    '[ -f x ] && ls',
    '[[ -f x ]] && ls || git log',
    'if ls\nthen\nls; fi',
    "rg 'a b' ./x",
  ],
  ...[
    'npm test 2>&1 | cat',
    '(ls; git log)',
    '{ ls; cat a; }',
    'case a in a|b) ls ;; *) git log ;; esac',
    'ls 2>/dev/null',
    'CI=1 npm test',
    '! ls',
  ],
  ...[
    "echo $'a\\nb' c",
    'cat <<< "x y"',
    'timeout 5 ls',
    'ls & git log',
    'ls\ngit log',
    'ls "a"\'b\'c\\ d',
    '[ a = b ]',
    'env CI=1 ls',
    'ls &&\nls |\ncat a',
  ],
];
const SIGNS =
  '\\\\,\\\\ ,evil, evil,\nevil\n,;,&,|,\n,\n, ,",\',\\,$,`,(,),{,},<,>,#,!,=,~,*,?,[,],[[,]],((,)),<<,<<<,EOF,-,then,fi,do,done,esac,in,;;,&&,||,|&,&>,>&,2>,1,\t,$\',$",<(,/dev/null,\\\n,if,while,case,for,function,coproc,{ ,; },(),<<EOF\n,\nEOF\n'.split(
    ',',
  );

/** A command with symbols inserted, characters removed, and other commands inserted. */
const mutated = fc
  .tuple(
    fc.constantFrom(...COMMANDS),
    fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...SIGNS, ...SIGNS, ...COMMANDS, '')), { minLength: 1, maxLength: 4 }),
  )
  .map(([command, edits]) =>
    edits.reduce((text, [place, put]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + put + text.slice(put === '' ? at + 1 : at);
    }, command),
  );

describe('what the grammar reads is what shells do', () => {
  for (const [shell, path, options] of [
    ['bash', '/bin/bash', ['--norc', '--noprofile']],
    ['sh', '/bin/sh', []],
  ] as const) {
    it(`${path} finds no other program in what was allowed, and writes no file`, async function () {
      if (!existsSync(path)) return this.skip();
      const parser = await nodeShellParsers(shell);
      const folder = await mkdtemp(join(tmpdir(), 'kedge-shell-'));
      try {
        const programs = join(folder, 'programs');
        const work = join(folder, 'work');
        await Promise.all([mkdir(programs), mkdir(work)]);
        for (const name of PROGRAMS) {
          await writeFile(join(programs, name), '#!/bin/sh\n');
          await chmod(join(programs, name), 0o755);
        }
        const allow = [...PROGRAMS.filter((name) => !['env', 'timeout', 'time'].includes(name)), 'echo', '[', '[['];
        let allowed = 0;
        for (const command of fc.sample(mutated, 4000)) {
          if (evaluateCommand(analyzeCommand(command, shell, parser), { allow, deny: [], ask: [] }).kind !== 'allow') continue;
          if (++allowed > 250) break;
          const { stderr } = spawnSync(path, [...options, '-c', command], {
            cwd: work,
            env: { PATH: programs },
            encoding: 'utf8',
            timeout: 1000,
            input: '',
          });
          assert.doesNotMatch(stderr, /command not found|\d: \S+: not found|Permission denied/, JSON.stringify(command));
          assert.deepEqual(await readdir(work), [], JSON.stringify(command));
        }
        assert.ok(allowed > 50, `only ${allowed} commands were allowed`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
