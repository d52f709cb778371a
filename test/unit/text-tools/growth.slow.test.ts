/**
 * The parser's work grows linearly with the length of the text, so that an answer of a malicious or broken model cannot block the program.
 */
import assert from 'node:assert/strict';
import { user } from '../../../src/core/model/messages.ts';
import { TextToolParser } from '../../../src/text-tools/parser.ts';
import { QuotedCalls } from '../../../src/text-tools/quoted-calls.ts';
import { TOOLS } from './tools.ts';

const CALL = '<tool_call>{"name": "read_file", "arguments": {"path": "a.ts"}}</tool_call>';
const FENCE = '```json\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n```\n';
const M3 = ']<]minimax[>[';

/** The repeated text, with the text before and after it. */
const TEXTS: [what: string, unit: string, before?: string, behind?: string][] = [
  ['marks', '<tool_call>'],
  ['halves of calls', '<tool_call>{"name": "read_file", '],
  ['halves of calls, each closed', '<tool_call>{"name": "read_file", </tool_call>'],
  ['comments that end far behind', '{/*\n', '', '*/!'],
  ['comments in marks', '<tool_call>{/*\n', '', '*/!'],
  ['parameters that end far behind', '<invoke name="read_file"><parameter name="path">', '', '</parameter>!'],
  ['parameters on lines', '<invoke name="read_file"><parameter name="path">\n', '', '</parameter>!'],
  [
    'openers of parameters in one value',
    '<parameter name="path">',
    '<invoke name="read_file"><parameter name="path">',
    '</parameter></invoke>',
  ],
  ['functions', '<function=read_file>'],
  ['functions with parentheses', '<function=read_file>({'],
  ['fences of JSON', '```json\n{"a":\n'],
  ['fences that are no calls', '```json\n{"a": 1}\n```\n'],
  ['brackets', '['],
  ['brackets on lines', '[\n'],
  ['objects on lines', '{"a":\n'],
  ['lists that fail at their end', '[1],\n', '[1,\n', '!'],
  ['calls that fail at their end', '{"name": "read_file", "arguments": {}},\n', '[', '!'],
  ['quotes in a string', '" ', '<tool_call>{"name": "read_file", "arguments": {"path": "'],
  ['backslashes in a string', '\\', '<tool_call>{"name": "read_file", "arguments": {"path": "'],
  ['backticks', '`'],
  ['code spans', '`a``b '],
  ['strings in backticks', '{a:`\n'],
  ['pairs', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>'],
  [
    'keys in one value',
    '<arg_key>path</arg_key>',
    '<tool_call>read_file\n<arg_key>limit</arg_key>\n<arg_value>',
    '</arg_value></tool_call>',
  ],
  ['CDATA that is not closed', '<param name="content"><![CDATA[x</param>', '<function name="write_file">'],
  ['CDATA that closes nothing', '<![CDATA[x]]>', '<function name="write_file"><param name="content">', '!</param></function>'],
  ['own tags in one value', '</path>', '<read_file><path>', '</read_file>'],
  ['tool tags', '<read_file>'],
  ['elements of MiniMax M3', `${M3}<item>`, `${M3}<invoke name="read_file">`],
  ['marks of MiniMax M3', M3],
  ['arguments of Kimi K3', '<|open|>argument key="a" type="string"<|sep|>', '<|open|>call tool="read_file"<|sep|>'],
  ['calls of Kimi K3', '<|open|>call tool="read_file"<|sep|>'],
  ['YAML', '<tool_call>\nname: read_file\n'],
  ['keys of YAML', 'a: 1\n', '<tool_call>\nname: read_file\n', '</tool_call>'],
  ['YAML, closed', '<tool_call>\nname: [\n</tool_call>\n'],
  ['calls', CALL],
  ['calls in sentences', `The file has ${CALL} in it. `],
  ['calls in fences', FENCE],
  ['calls in fences, with words', `${FENCE}That is it.\n`],
  ['calls of LangChain', 'Action: read_file\n'],
  ['names before objects', 'read_file\n{'],
  ['names before arguments', 'read_file[ARGS]{"path": \n'],
  ['calls of Qwen-Agent', '✿FUNCTION✿: read_file\n'],
  ['channels', '<|channel|>commentary to=functions.read_file'],
  ['channels with messages', '<|channel|>commentary to=functions.read_file<|message|>{'],
  ['thoughts', '<think>'],
  ['ends of thoughts', '</think>\n'],
  ['white space behind a call', ' ', CALL],
  ['blank lines behind a call', '\n', FENCE],
  ['code by its indentation, behind long lines', `${'x'.repeat(4000)}\n\n    y\n`],
  ['quotations', `> ${CALL}\n`],
  ['a long word', 'x'],
  ['tokens of DeepSeek', '<｜tool▁call▁begin｜>function<｜tool▁sep｜>'],
  ['lists of Python', '[read_file(path='],
];

function read(text: string, size: number, shown?: QuotedCalls): number {
  const begun = process.cpuUsage();
  const parser = new TextToolParser(TOOLS, shown);
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  parser.end();
  const { user: own, system } = process.cpuUsage(begun);
  return (own + system) / 1000;
}

/**
 * Eight times the text must take less than 24 times the work (quadratic growth would be 64). The minimum of several runs excludes the
 * effect of other programs.
 */
function expectGrowth(work: (length: number) => number, length: number): void {
  const short = Math.max(4, Math.min(work(length), work(length)));
  let long = work(8 * length);
  if (long >= 24 * short) long = Math.min(long, work(8 * length));
  assert.ok(long < 24 * short, `${length} characters took ${short} ms, 8 times as many ${long} ms`);
}

describe('calls as text: a long text', () => {
  for (const [index, [what, unit, before = '', behind = '']] of TEXTS.entries()) {
    for (const size of index % 4 === 0 ? [Number.POSITIVE_INFINITY, 32] : [Number.POSITIVE_INFINITY]) {
      it(`takes linear time: ${what}, ${size === 32 ? 'in pieces' : 'at once'}`, () => {
        expectGrowth((length) => read(before + unit.repeat(Math.ceil(length / unit.length)) + behind, size), 5000);
      }).timeout(60_000);
    }
  }

  for (const [what, unit] of [
    ['the call', `${CALL}\n`],
    ['its name', 'read_file '],
    ['its arguments', 'path a.ts '],
    ['calls of Python', 'read_file("b.ts") '],
    ['escapes', '\\u003c\\n&quot;'],
  ] as const) {
    it(`takes linear time if the model was shown ${what} many times`, () => {
      expectGrowth(
        (length) => read(`${CALL}\n`, 100, new QuotedCalls({ system: '', messages: [user(unit.repeat(Math.ceil(length / unit.length)))] })),
        5000,
      );
    }).timeout(60_000);
  }
});
