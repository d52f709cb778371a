/**
 * The time to read input grows linearly with its length, whether it comes from a page, a server, a repository or a model. Tool calls in text have a test of
 * their own.
 */

import { parsedAnswer } from '../../../src/app/answer/parsed-answer.ts';
import { globsIn } from '../../../src/app/context/front-matter.ts';
import { importsIn, isImportsOnly, pathsToTry } from '../../../src/app/context/imports.ts';
import { splitFrontMatter } from '../../../src/core/front-matter.ts';
import { jsonIn } from '../../../src/core/json.ts';
import { user } from '../../../src/core/model/messages.ts';
import { framed } from '../../../src/core/model/notes.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { memoryEntry } from '../../../src/core/words/memory-entry.ts';
import { mentionAt, mentionsIn } from '../../../src/core/words/mention-text.ts';
import { parseSlashCommand } from '../../../src/core/words/slash-commands.ts';
import { decodeMarks, restoreMarks, visibleCommand, visibleText } from '../../../src/core/words/visible-text.ts';
import { Blocks } from '../../../src/documents/formats/blocks.ts';
import { readPage } from '../../../src/documents/formats/marked-up/html.ts';
import { readMarkdown } from '../../../src/documents/formats/marked-up/markdown.ts';
import { markdownOf } from '../../../src/hosts/node/fetch/html.ts';
import { decodedText, isHtml, isText } from '../../../src/hosts/node/fetch/text.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { analyzeCommand } from '../../../src/policy/commands/index.ts';
import { globMatcher } from '../../../src/policy/glob.ts';
import { toModelEvents as anthropicEvents } from '../../../src/providers/anthropic/stream.ts';
import { eventRules } from '../../../src/providers/event-stream.ts';
import type { Reader } from '../../../src/providers/exchange.ts';
import { toModelEvents as geminiEvents } from '../../../src/providers/gemini/stream.ts';
import { toModelEvents as ollamaEvents } from '../../../src/providers/ollama/stream.ts';
import { toModelEvents as chatEvents } from '../../../src/providers/openai-chat/stream.ts';
import { overflowIn } from '../../../src/providers/overflow.ts';
import { readLines } from '../../../src/sessions/log-lines.ts';
import { TerminalText } from '../../../src/tools/commands/command-text.ts';
import { applyHunks } from '../../../src/tools/edit/patch/hunks.ts';
import { parsePatch } from '../../../src/tools/edit/patch/parse.ts';
import { replaceAll } from '../../../src/tools/edit/replace/replace.ts';
import { parseNotebook, renderNotebook } from '../../../src/tools/files/notebook.ts';
import { diffOf } from '../../../src/workspace/changes.ts';
import { mergeText } from '../../../src/workspace/merge.ts';
import { assertGrowsLinearly } from '../../support/clock.ts';

const SERVER = { name: 'A service', secrets: ['a secret'] };
const ESC = '\u001b';

/** Texts by their content: a unit that is repeated, with a text before and after it. */
type Texts = Record<string, string | [unit: string, before: string, behind: string]>;

const PAGES: Texts = {
  'nested lists': '<ul><li>',
  'nested lists with words': '<ul><li>word ',
  'nested elements': '<div>',
  'links that do not end': '<a href="/x">',
  'links in links': '<a href="x">y<a href="z">',
  paragraphs: '<p>',
  'paragraphs with words': '<p>word</p>\n',
  'ends without beginnings': '</p></li></a>',
  'blanks in preformatted text': [' ', '<pre>', '</pre>'],
  'line feeds in preformatted text': ['\n', '<pre>', 'x</pre>'],
  'blanks before line feeds': ['   \n', '<pre>', ''],
  blanks: ' ',
  tables: '<table><tr><td>a</td>',
  headings: '<h1>',
  entities: '&amp;&#65;&nosuch',
  'signs of tags': '<',
  comments: '<!-- a -->',
  'comments that do not end': '<!--',
  attributes: [' a="b"', '<p', '>'],
  'hidden elements': '<script>',
  'nested lists that end': '<ul><li><ol><li>a</ol></ul>',
  'nested tables': '<table><tr><td>x',
  'definition lists': '<dl><dt>a<dd>b',
  'attributes of one element': ['a=b ', '<p ', '>x'],
  'attributes that do not end': ['a=b ', '<p ', ''],
  'a quoted attribute that does not end': ['a ', '<p title="', ''],
  'tags of all kinds': '<b><i><u><code><br><hr><img src=x alt=y>',
};

const MARKDOWN: Texts = {
  headings: '# a\n',
  'headings that end': [' #', '# a', ''],
  'underlined lines': 'a\n-\n',
  fences: '```\n~~~\n',
  lists: '- a\n  - b\n',
  quotes: '> ',
  links: '[a](b)',
  'links that do not end': '[](',
  'long targets': [`[a](${'x'.repeat(100)})`, '', ''],
  tables: ['| `a` | b |\n', '| a | b |\n|---|---|\n', ''],
  'a row of backticks': ['|`', '|a|\n|-|\n', ''],
  elements: '<p>\n\n',
  comments: '<!-- a\n',
  'thematic breaks': '* * *\n\n',
  blanks: ' ',
};

const COMMANDS: Texts = {
  quotes: "'a' ",
  'quotes that do not end': '"a ',
  substitutions: ['$(', 'echo ', ''],
  'substitutions, closed': 'echo $(ls); ',
  expansions: '${a:-',
  'lists of commands': 'ls && ',
  pipes: 'ls | ',
  braces: '{a,b}',
  'globs of stars': ['*', 'ls ', ''],
  parentheses: '(',
  backslashes: '\\',
  'here-documents': 'cat <<A\nb\nA\n',
  assignments: 'A=b ',
  redirections: '> a ',
  blanks: [' ', 'ls', 'x'],
};

const OUTPUTS: Texts = {
  'sequences that do not end': `${ESC}]`,
  'half sequences': `${ESC}[`,
  colours: `${ESC}[31ma${ESC}[0m`,
  'titles that do not end': `${ESC}]0;title`,
  'carriage returns': 'progress\r',
  'one line': 'x',
  backspaces: 'a\b',
  'moves up': `a\n${ESC}[2A`,
  'other control characters': '\0\u0001',
};

const PLAIN: Texts = {
  'hidden letters': '\u200b\u202e',
  marks: '⟨U+202E⟩',
  'halves of marks': '⟨U+',
  blanks: ' ',
  flags: '\u{1f3f4}\u{e0067}\u{e0062}',
  selectors: '\ufe0f',
};

/** Files, and passages that are searched for in them. Both consist of the same lines. */
const LINES: Texts = {
  'like lines': '  a = b\n',
  'empty lines': '\n',
  'lines of blanks': '   \n',
  'different depths': '  a\n    a\n',
  'one long line': 'a b ',
};

function textOf(of: Texts[string], length: number): string {
  const [unit, before, behind] = typeof of === 'string' ? [of, '', ''] : of;
  return before + unit.repeat(Math.ceil(length / unit.length)) + behind;
}

function grows(texts: Texts, read: (text: string) => unknown, length = 100_000): void {
  for (const [what, of] of Object.entries(texts))
    it(what, () => {
      const made = new Map<number, string>();
      const text = (size: number) => made.get(size) ?? made.set(size, textOf(of, size)).get(size) ?? '';
      assertGrowsLinearly((size) => orFailure(() => read(text(size))), length);
    });
}

/** Runs a function that may refuse its input. Refusing it must take linear time, too. */
function orFailure(read: () => unknown): void {
  try {
    read();
  } catch {
    // The input was refused.
  }
}

describe('the time to read a page grows with its length:', () => {
  grows(PAGES, (text) => markdownOf(text, 'https://example.com/'));
});

describe('the time to read a document grows with its length: HTML:', () => {
  grows(PAGES, (text) => readPage(text, new Blocks()));
});

describe('the time to read a document grows with its length: Markdown:', () => {
  grows(MARKDOWN, (text) => readMarkdown(text, new Blocks()));
});

describe('the time to detect the type of a page grows with its length:', () => {
  grows({ blanks: ' ', comments: '<!-- -->', bytes: '\0', signs: '<' }, (text) => {
    const bytes = Buffer.from(text);
    isHtml('', text);
    return isText('', bytes) && decodedText('text/html', bytes);
  });
});

describe('the time to read a command grows with its length:', () => {
  const parse = { parser: undefined as Parameters<typeof analyzeCommand>[2] };
  before(async () => {
    parse.parser = await nodeShellParsers('bash');
  });
  grows(COMMANDS, (text) => analyzeCommand(text, 'bash', parse.parser), 8_000);
});

describe('the time to read the output of a command grows with its length:', () => {
  const read = (piece: number) => (text: string) => {
    let length = 0;
    const terminal = new TerminalText((settled) => (length += settled.length));
    for (let at = 0; at < text.length; at += piece) terminal.write(text.slice(at, at + piece));
    terminal.end();
    return length;
  };
  grows(OUTPUTS, read(Number.POSITIVE_INFINITY));
  describe('in pieces:', () => {
    grows(OUTPUTS, read(64), 40_000);
  });
});

describe('the time to mark invisible characters grows with the length of the text:', () => {
  grows(PLAIN, (text) => [visibleText(text), visibleCommand(text), decodeMarks(text), restoreMarks(text, text)]);
});

describe('the time to remove frames of notes from a text grows with its length:', () => {
  const frames: Texts = {
    'blanks behind a sign': [' ', '<', 'x'],
    'line feeds behind a slash': ['\n', '</', 'x'],
    signs: '< ',
    names: '<kedge_',
  };
  grows(frames, (text) => framed({ role: 'user', content: [...user(text).content, ...user(text).content] }));
});

describe('the time to find a passage grows with the length of the file:', () => {
  grows(LINES, (text) => replaceAll(`${text}x\n`, [{ old_text: ' a\n  c\nx', new_text: 'y' }], 'a.txt'), 40_000);
});

describe('the time to find a passage grows with the length of the passage:', () => {
  grows(LINES, (text) => replaceAll('a\nb\n'.repeat(20), [{ old_text: `${text}z`, new_text: 'y' }], 'a.txt'), 40_000);
});

describe('the time to edit all occurrences of a passage grows with the length of the file:', () => {
  const all = (old_text: string, new_text: string) => (text: string) => replaceAll(text, [{ old_text, new_text, all: true }], 'a.txt');
  grows({ 'typographic quotes': '\u2019', 'lines of them': '\u2019\n' }, all("'", '"'), 40_000);
  describe('with several new lines:', () => {
    grows({ 'one line': 'ab ', 'typographic quotes': 'a\u2019' }, all("a'", '"\n"'), 40_000);
    grows({ letters: ['a', '', '\n'] }, all('a', 'b\nc'), 40_000);
  });
  describe('by its line number:', () => {
    grows({ brackets: '  }\n', 'brackets in one line': '} ' }, all('12\t}', '12\t};'), 40_000);
  });
  describe('of blanks:', () => {
    grows({ blanks: ' ', tabs: '\t' }, all(' ', 'x'), 40_000);
    grows({ 'blanks before a word': [' ', '', 'x\n'] }, all(' ', '  '), 40_000);
  });
});

describe('the time to find the place of a hunk grows with the length of the file:', () => {
  const files: Texts = {
    'a list of objects': ['{\n  "a": 1\n},\n', '[\n', ']\n'],
    'nested objects': '{\n',
    'objects that become deeper': ['{\n {\n  {\n', '', ''],
  };
  const read = (body: string) => (text: string) => {
    for (const section of parsePatch(`*** Begin Patch\n*** Update File: a.txt\n${body}*** End Patch`))
      if (section.kind === 'update') applyHunks(text, section.hunks, 'a.txt');
  };
  const hunks = {
    'that is there often': '@@ {\n-  "a": 1\n+  "a": 2\n',
    'that is not there': '@@ {\n-  "b": 1\n+  "b": 2\n',
    'below several headers': '@@ {\n@@ "a"\n-},\n+}\n',
    'above its header': '@@ {\n   "a": 1\n },\n {\n-  "c": 1\n',
    'of added lines': '@@ {\n+  "b": 1,\n',
  };
  for (const [what, body] of Object.entries(hunks))
    describe(`${what}:`, () => {
      grows(files, read(body), 100_000);
    });
});

describe('the time to read a patch grows with its length:', () => {
  const patch = (text: string) => `*** Begin Patch\n*** Update File: a.txt\n@@\n${text}\n*** End Patch`;
  grows({ ...LINES, hunks: '@@\n-a\n+b\n', signs: '+\n', marks: '*** ', files: '*** Delete File: a\n' }, (text) => {
    for (const section of parsePatch(patch(text))) if (section.kind === 'update') applyHunks('a\nb\n'.repeat(20), section.hunks, 'a.txt');
  });
});

describe('the time to compare and to merge texts grows with their length:', () => {
  grows(LINES, (text) => [diffOf(Buffer.from(text), Buffer.from(`${text}x\n`)), mergeText(text, `x\n${text}`, `${text}x\n`)], 40_000);
});

describe('the time to read a notebook grows with its length:', () => {
  const cells = (text: string) => `{"nbformat":4,"cells":[${text}{"cell_type":"code","source":["a"],"outputs":[]}]}`;
  grows({ cells: '{"cell_type":"code","source":["a\\n","b"],"outputs":[{"text":["c"]}]},', brackets: '[' }, (text) =>
    renderNotebook(parseNotebook(cells(text)) ?? []),
  );
});

describe('the time to read JSON out of a text grows with its length:', () => {
  grows({ brackets: '[', objects: '{"a":', strings: '"', backslashes: '\\' }, jsonIn);
});

describe('the time to read the answer of a model grows with its length:', () => {
  grows(
    { 'empty lines': ['\n', 'a', 'b'], fences: '```json\n', 'fences that end': '```json\n{}\n```x\n', confidence: 'confidence: *\n' },
    parsedAnswer,
  );
});

describe('the time to match a path grows with its length:', () => {
  grows(
    { stars: '*a', 'any directories': '**/a/', letters: '[a-z]' },
    (text) => globMatcher(text.slice(0, 300))('a/'.repeat(text.length / 100)),
    40_000,
  );
});

describe('the time to read the front matter of a rules file grows with its length:', () => {
  const heads: Texts = {
    'blanks in a value': [' ', 'globs: x', 'y'],
    'blanks behind a list': [' ', 'globs: [x]', 'y'],
    'quotes that do not end': [' "', 'globs: "x', ''],
    'signs of comments': ['#', 'globs: x', ''],
    'comments behind comments': [' #', 'globs: x', ''],
    globs: ['src/*.ts, ', 'globs: ', ''],
    braces: ['{', 'globs: ', ''],
    brackets: ['[', 'globs: ', ''],
    lines: ['  - "*.ts" # x\n', 'globs:\n', ''],
    'lines of blanks': [' ', 'globs:\n  - ', 'y'],
    'lines without a value': 'globs\n',
    'ends with blanks': [' ', '---', 'x'],
  };
  grows(heads, (text) => {
    const { head } = splitFrontMatter(`---\n${text}\n---\nx`);
    return globsIn(head ?? [], 'globs').map((glob) => globMatcher(glob));
  });
});

describe('the time to find imports grows with the length of a rules file:', () => {
  const rules: Texts = {
    imports: '@a ',
    'imports without blanks': ['@a', '', ' b'],
    'imports in a list': '- @a\n',
    'signs of lists': '- ',
    dots: ['.', '@', 'x'],
    'brackets at the end': [')', '@a', ''],
    'escaped blanks': ['\\ ', '@a', 'x'],
    backslashes: ['\\', '@a', ''],
    blanks: [' ', '@a', 'x'],
    backticks: ['`', '', ' @a'],
    'code spans': '`a`` ',
    fences: '```\n',
    'fences that do not end': [' ', '```\n', '`x'],
  };
  grows(rules, (text) => [isImportsOnly(text), importsIn(text).map(pathsToTry)]);
});

describe('the time to find mentions grows with the length of a text:', () => {
  const texts: Texts = {
    mentions: '@a ',
    signs: '@',
    dots: ['.', '@', 'x'],
    'dots between words': ['..a', '@', ''],
    brackets: '(@',
    'quotes that do not end': '@"a ',
    'quoted words': '@"a" ',
    'numbers of lines': [':1', '@a', 'x'],
    'a long number': ['1', '@a:', 'x'],
    'two long numbers': ['1', '@a:1-', 'x'],
    hashes: ['#L1', '@a', 'x'],
    blanks: [' ', '@', 'x'],
  };
  grows(texts, (text) => [mentionsIn(text), mentionAt(text, text.length)]);
});

describe('the time to read a command of the user grows with its length:', () => {
  const commands: Texts = {
    blanks: [' ', '', 'x'],
    'blanks behind the name': [' ', '/remember', 'x'],
    'blanks behind an option': [' ', '/remember --all', 'x'],
    'line feeds': ['\n', '/compact', 'x'],
    slashes: '/',
    words: ['a ', '/remember ', ''],
  };
  grows(commands, (text) => [parseSlashCommand(text), memoryEntry(text)]);
});

describe('the time to read an error about the context window grows with its length:', () => {
  grows({ digits: '1', words: ' context length is ', commas: '1,', signs: '> ', requests: 'requested 1' }, overflowIn);
});

describe('the time to read a log grows with its length:', () => {
  const line = JSON.stringify({ seq: 1, at: 1, runId: 'r', type: 'turn_started', turn: 1 } satisfies AgentEvent);
  grows({ events: `${line}\n`, 'empty lines': '\n', 'lines that are no events': '{"seq":\n', 'one line': '{"a":', zeros: '\0' }, (text) =>
    readLines(Buffer.from(text)),
  );
});

describe('the time to read the lines of a stream grows with their length:', () => {
  const lines: Texts = {
    data: 'data: {"a":1}\n\n',
    comments: ': ping\n',
    names: 'event: a\n',
    fields: 'data\n',
    json: '{"a":1}\n',
    blanks: ' \n',
    'one line': 'x',
  };
  for (const names of ['keep', 'add', 'drop'] as const)
    describe(`${names} names:`, () => {
      grows(lines, (text) => {
        const rules = eventRules(SERVER, names);
        const bytes = Buffer.from(text);
        for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
          end = bytes.indexOf(10, start) < 0 ? bytes.length : bytes.indexOf(10, start);
          if (!rules.isUsual(bytes, start, end)) rules.rewrite(bytes.toString('utf8', start, end));
        }
        return rules.end?.();
      });
    });
});

/** Passes the events to the reader of a wire, and reads all results. */
function drive<T>(make: (server: typeof SERVER) => Reader<T, unknown>, events: Iterable<unknown>): void {
  const reader = make(SERVER);
  let waits = reader.next();
  for (const event of events) {
    while (!waits.done && waits.value !== undefined) waits = reader.next();
    if (waits.done) return;
    waits = reader.next(event as T);
  }
  while (!waits.done && waits.value !== undefined) waits = reader.next();
}

const times = <T>(count: number, event: T) => Array.from({ length: count }, () => event);
const chatCall = (more: object) => ({ choices: [{ index: 0, delta: { tool_calls: [more] } }] });

describe('the time to read an answer grows with its length:', () => {
  const answers: Record<string, (count: number) => void> = {
    'Chat Completions, words': (count) => drive(chatEvents, times(count, { choices: [{ index: 0, delta: { content: 'a ' } }] })),
    'Chat Completions, thoughts and words': (count) =>
      drive(chatEvents, times(count, { choices: [{ index: 0, delta: { reasoning: 'a', content: 'b' } }] })),
    'Chat Completions, arguments': (count) =>
      drive(chatEvents, [
        chatCall({ index: 0, id: '1', function: { name: 'a', arguments: '{"a": "' } }),
        ...times(count, chatCall({ index: 0, function: { arguments: 'x"' } })),
      ]),
    'Chat Completions, arguments without index or id': (count) =>
      drive(chatEvents, times(count, chatCall({ function: { arguments: '{' } }))),
    'Anthropic, words': (count) =>
      drive(anthropicEvents, [
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...times(count, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a ' } }),
      ]),
    'Anthropic, arguments': (count) =>
      drive(anthropicEvents, [
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: '1', name: 'a', input: {} } },
        ...times(count, { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '[' } }),
      ]),
    'Gemini, words': (count) => drive(geminiEvents, times(count, { candidates: [{ content: { parts: [{ text: 'a ' }] } }] })),
    'Ollama, words': (count) => drive(ollamaEvents, times(count, { message: { role: 'assistant', content: 'a ' }, done: false })),
  };
  for (const [what, read] of Object.entries(answers)) it(what, () => assertGrowsLinearly((size) => orFailure(() => read(size)), 10_000));
});
