import assert from 'node:assert/strict';
import { createTwoFilesPatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { ToolError } from '../../../src/core/run/tool.ts';
import { applyHunks } from '../../../src/tools/edit/patch/hunks.ts';
import { type Hunk, parsePatch, type Section } from '../../../src/tools/edit/patch/parse.ts';
import { opsOf } from '../../../src/tools/edit/replace/render.ts';
import { editsByPatch } from '../../../src/tools/index.ts';
import { sources, trueEdits } from '../../support/mutated-edits.ts';

const wrap = (body: string) => `*** Begin Patch\n${body}*** End Patch`;

/** Formats these sections as a patch, as a model would write it. */
function written(sections: readonly Section[]): string {
  const hunkText = ({ headers, ops, endOfFile }: Hunk) =>
    [
      ...(headers.length > 0 ? headers.map((header) => `@@ ${header}`) : ['@@']),
      ...ops.map(({ sign, text }) => sign + text),
      ...(endOfFile ? ['*** End of File'] : []),
    ]
      .map((line) => `${line}\n`)
      .join('');
  const text = sections.map((section) => {
    if (section.kind === 'delete') return `*** Delete File: ${section.path}\n`;
    if (section.kind === 'add') return `*** Add File: ${section.path}\n${section.content.replace(/^/gm, '+').replace(/\+$/, '')}`;
    return `*** Update File: ${section.path}\n${section.to === undefined ? '' : `*** Move to: ${section.to}\n`}${section.hunks.map(hunkText).join('')}`;
  });
  return wrap(text.join(''));
}

describe('the patch format', () => {
  const word = fc.stringMatching(/^[a-z *@+-]{0,6}[a-z]$/);
  const op = fc.record({ sign: fc.constantFrom(' ' as const, '-' as const, '+' as const), text: word });
  const hunk = fc.record({
    headers: fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 2 }),
    ops: fc.array(op, { minLength: 1, maxLength: 5 }),
    endOfFile: fc.boolean(),
  });
  const path = fc.stringMatching(/^[a-z]{1,5}(\/[a-z]{1,5})?\.ts$/);
  const section: fc.Arbitrary<Section> = fc.oneof(
    fc.record({ kind: fc.constant('delete' as const), path }),
    fc.record({
      kind: fc.constant('add' as const),
      path,
      content: fc.array(word, { minLength: 1 }).map((lines) => lines.map((line) => `${line}\n`).join('')),
    }),
    fc.record({ kind: fc.constant('update' as const), path, to: path, hunks: fc.array(hunk, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('update' as const), path, hunks: fc.array(hunk, { minLength: 1, maxLength: 3 }) }),
  );

  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 4 }), (sections) =>
        assert.deepEqual(parsePatch(written(sections)), structuredClone(sections)),
      ),
      { numRuns: 1_000 },
    );
  });

  // Lines of a hunk that look like two names of the same file are taken for file names.
  it('is read from any unified diff, also when lines look like file names', () => {
    const lines = fc.array(fc.constantFrom('a', ' a', '-- a', '-- b', '++ c', '++ d', '@@ a', '-', '+', 'index 0..1', '--- a', '+++ b'), {
      minLength: 1,
      maxLength: 12,
    });
    const file = fc.record({ old: lines, now: fc.oneof(lines, fc.constant(undefined)), context: fc.nat(3) });
    const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 3 }), (files) => {
        const changed = files.filter(({ old, now }) => now === undefined || text(old) !== text(now));
        fc.pre(changed.length > 0);
        const patch = changed.map(({ old, now, context }, index) =>
          createTwoFilesPatch(`a/${index}.sql`, now ? `b/${index}.sql` : '/dev/null', text(old), text(now ?? []), '', '', { context }),
        );
        const expected = changed.map(({ old, now, context }, index) =>
          now
            ? structuredPatch('', '', text(old), text(now), '', '', { context }).hunks.map((hunk) => hunk.lines)
            : `*** Delete File: ${index}.sql`,
        );
        const read = parsePatch(patch.join('')).map((section) =>
          section.kind === 'update'
            ? section.hunks.map(({ ops }) => ops.map(({ sign, text }) => sign + text))
            : `*** Delete File: ${section.path}`,
        );
        assert.deepEqual(read, expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('decodes file names that git quotes', () => {
    const read = (name: string) => parsePatch(`--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-a\n+b\n`).map(({ path }) => path);
    assert.deepEqual(read('"\\303\\244 \\"b\\" \\\\.txt"'), ['ä "b" \\.txt']);
    assert.deepEqual(read('"a'), ['"a']);
    const renamed = parsePatch('diff --git "a/\\303\\266" b/o\nrename from "\\303\\266"\nrename to o\n');
    assert.deepEqual(renamed, [{ kind: 'update', path: 'ö', to: 'o', hunks: [] }]);
    assert.deepEqual(read('"a\\x"'), ['"a\\x"']);
  });

  it('accepts any input or refuses it with a reason', () => {
    const line = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: a',
      '*** Delete File: ',
      '*** Move to: b',
      '@@',
      '@@ x',
      '*** End of File',
      ' c',
      '-d',
      '+e',
      '',
      'f',
      '***',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        try {
          parsePatch(lines.join('\n'));
        } catch (error) {
          assert.match(String(error), /^ToolError: .*Nothing was changed\.$/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the hunks of a patch', () => {
  it('turn one text into the other for any change', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '  d', ''), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('\n', '\r\n'), fc.boolean(), (from, to, ending, open) => {
        fc.pre(from.length > 1 && from.join() !== to.join() && from.at(-1) !== '' && to.at(-1) !== '');
        const text = (each: readonly string[]) => each.join(ending) + (open ? '' : ending);
        const whole: Hunk = { headers: [], ops: opsOf(from.join('\n'), to.join('\n')), endOfFile: false };
        assert.equal(applyHunks(text(from), [whole], 'a.txt').text, text(to));
      }),
      { numRuns: 2_000 },
    );
  });

  it('with context only change nothing', () => {
    const context: Hunk = { headers: [], ops: ['b', 'c'].map((text) => ({ sign: ' ', text })), endOfFile: false };
    const change: Hunk = { headers: [], ops: [{ sign: '-', text: 'd' }], endOfFile: false };
    assert.equal(applyHunks('a\nb\nc\nd\n', [context, change], 'a.txt').text, 'a\nb\nc\n');
    assert.throws(() => applyHunks('a\nb\nc\nd\n', [context], 'a.txt'), /changes nothing in a.txt/);
  });
});

describe('the form of edits', () => {
  it('is a patch for models that are trained on patches', () => {
    for (const model of ['gpt-6.1-sol', 'gpt-5', 'openai/gpt-5.2-codex', 'o4-mini', 'chatgpt-latest', 'codex-mini', 'gpt-oss:20b'])
      assert.ok(editsByPatch({ provider: 'any', model }), model);
    for (const model of ['offline', 'claude-sonnet-5-5', 'gemini-3.8-flash', 'qwen3', 'default', 'my-gpt', 'olmo', 'scripted'])
      assert.ok(!editsByPatch({ provider: 'any', model }), model);
    assert.ok(!editsByPatch(undefined));
  });
});

describe('a patch whose lines all have one blank too few', () => {
  const file = '  /**\n   * Old.\n   */\n  run(spec: Spec): Promise<Result>;\n';
  const patched = (...lines: string[]) => {
    const [section] = parsePatch(wrap(`*** Update File: a.ts\n@@\n${lines.join('\n')}\n`));
    return applyHunks(file, (section as Extract<Section, { kind: 'update' }>).hunks, 'a.ts').text;
  };

  it('is distinguished by its added lines from one whose context lines lack their marks', () => {
    const context = ['   */', '  run(spec: Spec): Promise<Result>;'];
    assert.equal(patched(...context, '+ if (changed) {', '+   call();', '+ }'), `${file}  if (changed) {\n    call();\n  }\n`);
    assert.equal(patched(...context, '+  if (changed) {', '+    call();', '+  }'), `${file}  if (changed) {\n    call();\n  }\n`);
  });
});

describe('a patch whose context lines lack the blank that marks them', () => {
  const files = sources();

  it('changes no line of the file except those that it removes', () => {
    let applied = 0;
    fc.assert(
      fc.property(trueEdits(files), fc.constantFrom('all', 'first', 'others'), ({ source, from, old, now }, which) => {
        const ops = opsOf(old.join('\n'), now.join('\n'));
        fc.pre(ops.every(({ sign, text }) => sign !== ' ' || !/^[-+@*\\]/.test(text)));
        const first = ops.findIndex(({ sign }) => sign === ' ');
        const lacksSign = (index: number) => which === 'all' || (which === 'first') === (index === first);
        const lines = ops.map(({ sign, text }, index) => (sign === ' ' && lacksSign(index) ? text : sign + text));
        const right = source.lines.toSpliced(from, old.length, ...now);
        const added = ops.filter(({ sign }) => sign !== '-').flatMap(({ sign }, index) => (sign === '+' ? [from + index] : []));
        const withoutAdded = (all: readonly string[]) => all.filter((_, index) => !added.includes(index));
        let result: string;
        try {
          const [section] = parsePatch(wrap(`*** Update File: a\n@@\n${lines.join('\n')}\n`));
          result = applyHunks(`${source.lines.join('\n')}\n`, (section as Extract<Section, { kind: 'update' }>).hunks, 'a').text;
        } catch (error) {
          assert.ok(error instanceof ToolError, String(error));
          return;
        }
        applied++;
        assert.deepEqual(withoutAdded(result.replace(/\n$/, '').split('\n')), withoutAdded(right));
      }),
      { numRuns: 1_000 },
    );
    assert.ok(applied > 500, `${applied} were applied`);
  });
});
