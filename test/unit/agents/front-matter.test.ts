import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineIn, listIn, MAX_CHARACTERS, readFrontMatter } from '../../../src/agents/front-matter.ts';

function read(text: string) {
  const result = readFrontMatter(text);
  assert.ok(!('problem' in result), 'problem' in result ? result.problem : '');
  return result;
}

function problem(text: string): string {
  const result = readFrontMatter(text);
  return 'problem' in result ? result.problem : assert.fail('The file was read.');
}

describe('front matter of agents, prompts and skills', () => {
  it('returns the fields and the body', () => {
    const { fields, body } = read('\uFEFF---\r\nname: reviewer\r\ntools: [read, search]\r\n---\r\nReview.\r\n');
    assert.equal(lineIn(fields, 'name', 50), 'reviewer');
    assert.deepEqual(listIn(fields, 'tools'), ['read', 'search']);
    assert.equal(body, 'Review.\n');
  });

  it('reads a file without front matter, and one with an empty one', () => {
    assert.deepEqual(read('Review.'), { fields: new Map(), body: 'Review.' });
    assert.deepEqual(read('---\n# nothing\n\n---\nReview.'), { fields: new Map(), body: 'Review.' });
  });

  it('reads lists with commas, and does not split inside of parentheses', () => {
    const { fields } = read('---\ntools: Read, Bash(git add, git commit),, Grep\n---\n');
    assert.deepEqual(listIn(fields, 'tools'), ['Read', 'Bash(git add, git commit)', 'Grep']);
  });

  it('distinguishes a missing list from one of a wrong form', () => {
    const { fields } = read('---\nnothing:\nobject: {a: 1}\nnumbers: [1, 2]\nnested: [[read]]\nyes: true\n---\n');
    assert.equal(listIn(fields, 'tools'), undefined);
    for (const name of ['nothing', 'object', 'numbers', 'nested', 'yes']) assert.equal(listIn(fields, name), 'invalid', name);
  });

  it('reads descriptions with colons, which are not valid YAML', () => {
    const { fields } = read('---\ndescription: Use it so: user says "go". Then: go\nmodel: sonnet\n---\n');
    assert.equal(lineIn(fields, 'description', 100), 'Use it so: user says "go". Then: go');
    assert.equal(fields.get('model'), 'sonnet');
  });

  it('marks invisible characters, and shortens long lines', () => {
    const { fields, body } = read(`---\nname: "re\u200Bviewer"\ndescription: ${'x'.repeat(300)}\n---\nhid\u202Eden`);
    assert.equal(lineIn(fields, 'name', 50), 're⟨U+200B⟩viewer');
    assert.equal(lineIn(fields, 'description', 100)?.length, 100);
    assert.equal(body, 'hid⟨U+202E⟩den');
  });

  it('names the line of a mistake', () => {
    assert.match(problem('---\nname: a\ntools: [read\n---\n'), /^Line 3: the front matter is not valid YAML: /);
    assert.match(problem('---\nname: a\nname: b\n---\n'), /^Line 3: .*duplicated/);
    assert.match(problem('---\nname: a\n'), /^Line 1: .*no closing line/);
    assert.match(problem('---\n- a\n---\n'), /^Line 2: /);
  });

  it('resolves no aliases and no tags, and limits depth, fields and size', () => {
    assert.match(problem('---\na: &a [x]\nb: *a\n---\n'), /aliases/);
    assert.match(problem('---\na: !!js/function "x"\n---\n'), /tag/);
    assert.match(problem(`---\na: ${'['.repeat(9)}${']'.repeat(9)}\n---\n`), /maxDepth/);
    assert.match(problem(`---\n${Array.from({ length: 51 }, (_, at) => `k${at}: 1`).join('\n')}\n---\n`), /more than 50 fields/);
    assert.match(problem(`---\na: ${'x'.repeat(16_000)}\n---\n`), /longer than 16000/);
    assert.match(problem('x'.repeat(MAX_CHARACTERS + 1)), /longer than/);
  });

  it('keeps fields with the names of object members apart from these members', () => {
    const { fields } = read('---\n__proto__: {tools: "*"}\nconstructor: 1\n---\n');
    assert.equal(listIn(fields, 'tools'), undefined);
    assert.equal(Object.getPrototypeOf({}).tools, undefined);
    assert.deepEqual([...fields.keys()], ['__proto__', 'constructor']);
  });

  it('reads any text without throwing', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('---', 'name: a', 'tools:', '  - read', '? [a]', '<<: *x', '!!binary |', '%YAML 1.2'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const result = readFrontMatter(`---\n${lines.join('\n')}\n---\nbody`);
        return 'problem' in result ? result.problem.length > 0 : typeof result.body === 'string';
      }),
    );
  });
});
