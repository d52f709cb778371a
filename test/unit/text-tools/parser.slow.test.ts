import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ToolSpec } from '../../../src/core/model/model.ts';
import type { Told } from '../../../src/text-tools/call-detection.ts';
import { type TextToolEvent, TextToolParser } from '../../../src/text-tools/parser.ts';
import { assertGrowsLinearly } from '../../support/clock.ts';
import { TOOLS } from './tools.ts';

type Case = {
  name: string;
  text: string;
  tools?: ToolSpec[];
  /** `text` is the expected visible text, by default the input. `unclear` lists the doubts that must be reported to the model. */
  expect: { text?: string; reasoning?: string; calls: { name: string; input?: unknown; malformed?: string }[]; unclear?: Told[] };
};

/** TEXT_TOOLS_DIR runs the same test with another folder of cases. */
const FOLDER = process.env.TEXT_TOOLS_DIR ?? path.join(import.meta.dirname, '../../fixtures/text-tools');

function join(events: TextToolEvent[], told = false) {
  const textOf = (type: 'text' | 'reasoning') => events.map((event) => (event.type === type ? event.text : '')).join('');
  const calls = events.filter((event) => event.type === 'call').map(({ type: _, ...call }) => call);
  const unclear = events.filter((event) => event.type === 'unclear').map(({ doubt }) => doubt);
  const reasoning = textOf('reasoning');
  return { text: textOf('text'), ...(reasoning ? { reasoning } : {}), calls, ...(told ? { unclear } : {}) };
}

function parse({ tools = TOOLS, expect }: Pick<Case, 'tools' | 'expect'>, ...chunks: string[]) {
  const parser = new TextToolParser(tools);
  return join([...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.end()], expect.unclear !== undefined);
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const all = files.map((file) => ({ file, cases: JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Case[] }));

for (const { file, cases } of all) {
  describe(`calls as text: ${file.replace('.json', '')}`, () => {
    for (const test of cases) {
      const { name, text, expect } = test;
      const expected = { ...expect, text: expect.text ?? text };

      it(name, () => assert.deepEqual(parse(test, text), expected));

      it(`${name}: split anywhere`, () => {
        for (let at = 1; at < text.length; at++) {
          assert.deepEqual(parse(test, text.slice(0, at), text.slice(at)), expected, `split at ${at}`);
        }
        assert.deepEqual(parse(test, ...text.split('')), expected, 'character by character');
      });
    }
  });
}

describe('calls as text: the cases', () => {
  const count = (wanted: (test: Case) => boolean) => all.flatMap(({ cases }) => cases).filter(wanted).length;

  it('are 200 with a call and 60 without, at least', function () {
    if (process.env.TEXT_TOOLS_DIR) this.skip();
    assert.ok(count(({ expect }) => expect.calls.length > 0) >= 200);
    assert.ok(count(({ expect }) => expect.calls.length === 0) >= 60);
  });
});

describe('calls as text: an answer that is cut off anywhere', () => {
  for (const { file, cases } of all) {
    it(`executes complete calls only: ${file.replace('.json', '')}`, () => {
      // Only the words after a call show that it was part of a sentence or an example, so such cases are excluded.
      const certain = cases.filter(({ name, expect }) => !name.includes('woven') && !expect.unclear);
      for (const test of certain) {
        const { name, text, expect } = test;
        for (let end = 0; end < text.length; end++) {
          // Malformed calls are never executed.
          const calls = parse(test, text.slice(0, end)).calls.filter(({ malformed }) => malformed === undefined);
          const whole = expect.calls.filter(({ malformed }) => malformed === undefined);
          assert.deepEqual(calls, whole.slice(0, calls.length), `${name}, cut at ${end}: ${text.slice(0, end)}`);
        }
      }
    });
  }
});

describe('calls as text: during streaming', () => {
  const first = (parser: TextToolParser, text: string) => join(parser.feed(text)).text;

  it('prose is displayed immediately, without waiting for the end of a line', () => {
    const parser = new TextToolParser(TOOLS);
    assert.equal(first(parser, 'Hello'), 'Hello');
    assert.equal(first(parser, ' wor'), ' wor');
    assert.equal(first(parser, 'ld if (a < b'), 'ld if (a < b');
    assert.equal(first(parser, ' && c <d'), ' && c <d');
    assert.equal(first(parser, ') <div>[x](y) {'), ') <div>[x](y) {');
  });

  it('code in a fence is displayed immediately', () => {
    const parser = new TextToolParser(TOOLS);
    assert.equal(first(parser, '```ts\nconst a = '), '```ts\nconst a =');
    assert.equal(first(parser, '[1, {'), ' [1, {');
  });

  it('data is displayed as soon as it cannot be a call any more', () => {
    const parser = new TextToolParser(TOOLS);
    assert.equal(first(parser, '{"na'), '');
    assert.equal(first(parser, 'me": "kedge", '), '{"name": "kedge",');
    assert.equal(first(parser, '"version": '), ' "version":');
  });

  it('no part of a call is displayed', () => {
    const parser = new TextToolParser(TOOLS);
    const text = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>';
    assert.equal([...text].map((char) => first(parser, char)).join(''), '');
  });

  it('a call of 1 MB is read in pieces of 4 characters in linear time', () => {
    const read = (lines: number) => {
      const content = 'const a = { b: "c" };\n'.repeat(lines);
      const text = `<tool_call>\n${JSON.stringify({ name: 'write_file', arguments: { path: 'a', content } })}\n</tool_call>`;
      const parser = new TextToolParser(TOOLS);
      const events: TextToolEvent[] = [];
      for (let at = 0; at < text.length; at += 4) events.push(...parser.feed(text.slice(at, at + 4)));
      events.push(...parser.end());
      assert.deepEqual(join(events).calls, [{ name: 'write_file', input: { path: 'a', content } }]);
    };
    assertGrowsLinearly(read, 48_000);
  });
});
