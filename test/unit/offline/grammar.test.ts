import assert from 'node:assert/strict';
import { parseRequest } from '../../../src/offline/grammar.ts';

const all = { paths: [], globs: [] };
const globs = (...these: string[]) => ({ paths: [], globs: these });
const paths = (...these: string[]) => ({ paths: these, globs: [] });

function table(rows: Record<string, object>): void {
  for (const [text, expected] of Object.entries(rows)) {
    it(text.replaceAll('\n', '⏎'), () => assert.deepEqual(parseRequest(text), expected));
  }
}

describe('the offline grammar: questions', () => {
  const where = (name: string, wanted = 'definition') => ({ kind: 'where', name, wanted });
  const text = (wanted: string, scope: object = all, regex = false) => ({ kind: 'text', text: wanted, regex, scope });
  table({
    'Where is tideLevel defined?': where('tideLevel'),
    'where is tideLevel': where('tideLevel'),
    'WHERE IS `tideLevel` DECLARED': where('tideLevel'),
    'where is the function tideLevel() used?': where('tideLevel', 'uses'),
    'Where do we use TideTable?': where('TideTable', 'uses'),
    'who calls tideLevel': where('tideLevel', 'calls'),
    'find definition of TideTable': where('TideTable'),
    'Please find the definition of the class TideTable.': where('TideTable'),
    'show me all references to tideLevel': where('tideLevel', 'uses'),
    'find tideLevel': where('tideLevel'),
    'where is the tide level computed': where('tide level'),
    'where is tide.ts': { kind: 'files', glob: '**/tide.ts' },
    "find text 'high water'": text('high water'),
    "search for text 'in the sea' in src/**/*.ts": text('in the sea', globs('src/**/*.ts')),
    'search for TODO in src': text('TODO', globs('src/**')),
    'search src for high water': text('high water', globs('src/**')),
    'search for /tide(s)?/': text('tide(s)?', all, true),
    "grep 'a b' in src/tide.ts": text('a b', paths('src/tide.ts')),
    'find TODOs in src': text('TODO', globs('src/**')),
    'list files': { kind: 'list', path: '' },
    'list files in src/': { kind: 'list', path: 'src' },
    'list src/core': { kind: 'list', path: 'src/core' },
    'list files in .': { kind: 'list', path: '' },
    'what files are in src?': { kind: 'list', path: 'src' },
    'find files *.test.ts': { kind: 'files', glob: '**/*.test.ts' },
    'find all files matching src/**/*.md': { kind: 'files', glob: 'src/**/*.md' },
    'find files named tide': { kind: 'files', glob: '**/*tide*' },
    'list all ts files in src': { kind: 'files', glob: 'src/**/*.{ts,tsx,mts,cts}' },
    'what is in src/tide.ts?': { kind: 'explain', what: 'src/tide.ts' },
    "what's in src": { kind: 'explain', what: 'src' },
    'outline ./src/tide.ts': { kind: 'explain', what: 'src/tide.ts' },
    'Can you summarise README.md for me?': { kind: 'explain', what: 'README.md' },
    'explain tideLevel': { kind: 'explain', what: 'tideLevel' },
    'what does tideLevel do?': { kind: 'explain', what: 'tideLevel' },
    'explain the Makefile': { kind: 'explain', what: 'Makefile' },
    'src/tide.ts': { kind: 'explain', what: 'src/tide.ts' },
    'how is this project laid out?': { kind: 'overview' },
    'What is this project about?': { kind: 'overview' },
    'give me an overview of the code base': { kind: 'overview' },
    'explain this project': { kind: 'overview' },
    'how many files are there?': { kind: 'count', what: 'files', text: '', scope: all },
    'how many py files in src?': { kind: 'count', what: 'files', text: '', scope: globs('src/**/*.py') },
    'how many lines does src/tide.ts have?': { kind: 'count', what: 'lines', text: '', scope: paths('src/tide.ts') },
    'how many lines of code in src': { kind: 'count', what: 'lines', text: '', scope: globs('src/**') },
    'how many TODOs are there in src': { kind: 'count', what: 'occurrences', text: 'TODO', scope: globs('src/**') },
    'count the occurrences of tideLevel in *.md': { kind: 'count', what: 'occurrences', text: 'tideLevel', scope: globs('**/*.md') },
    "how many times does 'high water' appear": { kind: 'count', what: 'occurrences', text: 'high water', scope: all },
    'show lines 3-9 of src/tide.ts': { kind: 'read', path: 'src/tide.ts', from: 3, to: 9 },
    'show me src/tide.ts:12': { kind: 'read', path: 'src/tide.ts', from: 12, to: 12 },
    'read src/tide.ts lines 3 to 9': { kind: 'read', path: 'src/tide.ts', from: 3, to: 9 },
    'is there a function called tideLevel?': where('tideLevel'),
    'how many files import tideLevel in src': { kind: 'count', what: 'importers', text: 'tideLevel', scope: globs('src/**') },
    hello: { kind: 'greeting' },
    'Hi there!': { kind: 'greeting' },
    'read package.json': { kind: 'read', path: 'package.json' },
  });
});

describe('the offline grammar: changes', () => {
  const rename = (from: string, to: string, scope: object = all) => ({ kind: 'rename', from, to, scope });
  const replace = (from: string, to: string, scope: object = all) => ({ kind: 'replace', from, to, scope });
  table({
    'rename tideLevel to waterLevel': rename('tideLevel', 'waterLevel'),
    'Could you please rename the function `tideLevel` to `waterLevel`?': rename('tideLevel', 'waterLevel'),
    'rename tideLevel to waterLevel in src, please!': rename('tideLevel', 'waterLevel', globs('src/**')),
    'rename tideLevel to waterLevel in the whole project': rename('tideLevel', 'waterLevel'),
    'Rename tideLevel to waterLevel everywhere.': rename('tideLevel', 'waterLevel'),
    'rename a_b to c_d in all ts files': rename('a_b', 'c_d', globs('**/*.{ts,tsx,mts,cts}')),
    'rename x to y in src/a.ts and test/a.test.ts': rename('x', 'y', paths('src/a.ts', 'test/a.test.ts')),
    'replace \'low tide\' by "ebb" in docs/*.md': replace('low tide', 'ebb', globs('docs/*.md')),
    "rename x to y in 'a long name.md' and src": rename('x', 'y', { paths: ['a long name.md'], globs: ['src/**'] }),
    'replace foo with bar': replace('foo', 'bar'),
    "replace all occurrences of 'x' with ''": replace('x', ''),
    "replace 'it's with' by 'it is by'": replace("it's with", 'it is by'),
    "change '1 in 2' to '2 in 2' in a.md": replace('1 in 2', '2 in 2', paths('a.md')),
    "create notes.md with 'hello'": { kind: 'create', path: 'notes.md', content: 'hello\n' },
    'create a new file called notes.md containing hello world': { kind: 'create', path: 'notes.md', content: 'hello world\n' },
    'create notes.md with "one\\ntwo"': { kind: 'create', path: 'notes.md', content: 'one\ntwo\n' },
    'create src/a.ts containing:\n```ts\n// rename a to b\n\nexport {};\n```': {
      kind: 'create',
      path: 'src/a.ts',
      content: '// rename a to b\n\nexport {};\n',
    },
    'create an empty file src/a.ts': { kind: 'create', path: 'src/a.ts', content: '' },
    'move src/tide.ts to src/water.ts': { kind: 'move', from: 'src/tide.ts', to: 'src/water.ts', beside: false },
    'rename src/tide.ts to water.ts': { kind: 'move', from: 'src/tide.ts', to: 'water.ts', beside: true },
    'move src/tide.ts to lib/': { kind: 'move', from: 'src/tide.ts', to: 'lib/tide.ts', beside: false },
    'delete src/old.ts': { kind: 'delete', path: 'src/old.ts' },
    'remove the file LICENSE': { kind: 'delete', path: 'LICENSE' },
    "append 'the end' to notes.md": { kind: 'append', path: 'notes.md', text: 'the end' },
    "add the line 'the end' to the end of notes.md": { kind: 'append', path: 'notes.md', text: 'the end' },
    'append this to notes.md:\n```\na\nb\n```': { kind: 'append', path: 'notes.md', text: 'a\nb\n' },
    'rename a to b; delete c.ts': { kind: 'several', requests: [rename('a', 'b'), { kind: 'delete', path: 'c.ts' }] },
    '1. rename a to b in src\n2. rename c to d': { kind: 'several', requests: [rename('a', 'b', globs('src/**')), rename('c', 'd')] },
    'rename a to b and rename c to d': { kind: 'several', requests: [rename('a', 'b'), rename('c', 'd')] },
  });
});

describe('the offline grammar: unknown requests', () => {
  const texts = ['', 'write a poem', 'fix the bug in tide.ts', 'what is the capital of France?', 'delete duplicates', 'explain this'];
  const more = [
    'add a test to src/a.ts',
    'refactor everything in src to use promises',
    'rename tideLevel',
    'create a class Foo in src/foo.ts',
    'delete *',
  ];
  table(Object.fromEntries([...texts, ...more].map((text) => [text, { kind: 'unknown' }])));
});

describe('the offline grammar: attachments', () => {
  const file = '<file path="src/a.ts">\nrename x to y\n</file>';
  const part = '<file path="src/a.ts" lines="3-9">\nconst a = 1;\n</file>';
  table({
    [`explain this\n\n${file}`]: { kind: 'explain', what: 'src/a.ts' },
    [`what is this?\n\n${part}`]: { kind: 'explain', what: 'src/a.ts', from: 3, to: 9 },
    [file]: { kind: 'explain', what: 'src/a.ts' },
    [`rename x to z in this file\n\n${part}`]: { kind: 'rename', from: 'x', to: 'z', scope: paths('src/a.ts') },
    [`delete this file\n\n${file}`]: { kind: 'delete', path: 'src/a.ts' },
    [`how many lines are in this file?\n\n${file}`]: { kind: 'count', what: 'lines', text: '', scope: paths('src/a.ts') },
    [`where is b?\n\n${file}\n\n${part}`]: { kind: 'where', name: 'b', wanted: 'definition' },
  });
});
