import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { elisionIn, isElision } from '../../../src/tools/edit/replace/elision.ts';

/** Placeholders as models write them, by file type. */
const ELISIONS: Readonly<Record<string, readonly string[]>> = {
  'a.ts': [
    '// ... existing code ...',
    '// ...existing code...',
    '// … existing code …',
    '//... rest of code ...',
    '// ...',
    '//...',
    '// [...]',
    '// ... (rest of the file)',
    '// ... rest of the methods',
    '// ... rest of handleSubmit',
    '// ... rest of component unchanged',
    '// ... other imports',
    '// ... other methods ...',
    '// ... keep existing code',
    '// ... existing imports ...',
    '// ... same as before ...',
    '// ... previous code ...',
    '// ... remaining tests ...',
    '// ... omitted for brevity',
    '// ... unchanged ...',
    '// ... existing validation logic ...',
    '// (rest of the code remains the same)',
    '// rest of the code remains the same',
    '// The rest of the file is unchanged',
    '// Rest of the function stays the same',
    '// remaining methods unchanged',
    '// existing code here',
    '// existing code',
    '// Existing code...',
    '// rest of the code...',
    '// other methods...',
    '/* ... existing code ... */',
    '/* ... */',
    '/* rest of the code remains unchanged */',
    '/** ... existing methods ... */',
    '* ... existing methods ...',
    '{/* ... existing JSX ... */}',
    '{/* ... rest of the component ... */}',
    '{/* ... */}',
    '...',
    '…',
    '... existing code ...',
    '...existing code...',
    '... rest of the file ...',
    '(rest of methods ...)',
    '[... rest of code ...]',
    '// === ... existing code ... ===',
    'function f() { ... }',
    'const f = () => { ... };',
    'function f() { /* ... */ }',
    'return x; // ... existing code ...',
    'class A { // ... rest unchanged',
  ],
  'a.py': [
    '# ... existing code ...',
    '# ...existing code...',
    '# ... rest unchanged',
    '# ... rest of the class ...',
    '# ... (rest of the function)',
    '# ...',
    '#...',
    '# rest of the code remains unchanged',
    '# existing implementation',
    '# ... other methods remain the same',
    '(rest of methods ...)',
    '... existing code ...',
    'pass  # ... existing code ...',
  ],
  'a.html': [
    '<!-- ... existing markup ... -->',
    '<!-- rest of the page unchanged -->',
    '<!-- ... -->',
    '<div><!-- ... existing content ... --></div>',
  ],
  'a.sql': ['-- ... existing columns ...', '-- ...', '/* ... rest of the query ... */'],
  'a.tsx': ['// ... existing code ...', '{/* ... */}', 'function f() { ... }', '... existing code ...'],
  'a.c': ['/* ... existing code ... */', 'int f() { ... }', '... existing code ...'],
  'a.lua': ['-- ... existing code ...', '-- rest of the function unchanged'],
  'a.tex': ['% ... rest of the document ...'],
  'a.ini': ['; ... existing settings ...', '# ... existing settings ...'],
  'a.clj': [';; ... existing code ...'],
  'a.bat': ['rem ... existing code ...', 'REM ... rest of the script ...'],
  'a.yaml': ['# ... existing jobs config ...', '# ... rest of the file', '# ...'],
  'a.sh': ['# ... rest of the script ...', '...'],
  'a.css': ['/* ... existing styles ... */', '/* ... */'],
  'a.rs': ['// ... existing code ...', '//! ... rest of the module ...', '/// ... existing methods ...'],
  'a.erb': ['<%# ... %>', '<!-- ... rest of the template ... -->'].slice(1),
  'a.j2': ['{# ... existing blocks ... #}'],
  'a.ml': ['(* ... existing code ... *)'],
  'a.md': ['<!-- ... rest of the document ... -->', '... rest of the document ...', '(rest of the file unchanged)'],
};

/** Lines that look like placeholders but are part of the code. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  'a.ts': [
    '// ... and so on',
    '// ... and then the second one is tried',
    '// Loading...',
    '// TODO: handle the rest...',
    '// Skip the rest of the line.',
    '// The rest of the arguments are passed on.',
    '// Remove existing entries',
    '// Remove existing entries...',
    '// Keep existing values',
    '// Other methods',
    '// Same as above',
    '// unchanged',
    '// Existing users are not asked again.',
    '// Wait for the remaining workers to finish...',
    '// e.g. a, b, c, ...',
    '// [1, 2, ...]',
    '// f(...args)',
    '* @param rest the remaining arguments',
    '* ...',
    '* // ...',
    '/// ...',
    '...rest,',
    '...existing,',
    '...other',
    '...args',
    '...props.rest,',
    '...(rest && { rest }),',
    'return [...existing, ...rest];',
    'const { a, ...rest } = b;',
    'f(...rest);',
    '<Button {...rest} />',
    'const { ...other } = all;',
    'function f(...rest: string[]) {',
    "const text = '... existing code ...';",
    "it('refuses // ... existing code ...', () => {",
    "console.log('Loading...');",
    'log(`rest of it...`);',
    'const rest = 1; // the rest',
    'if (rest) { // other',
    'const url = "http://example.org/...";',
    '"paths": ["./src/..."],',
    'type T = { [key: string]: unknown };',
    '// remaining',
    '// the rest',
    '// existing',
    '// original',
    '// Everything else is an error.',
    '// All other cases.',
    '// the remaining ones are merged below',
  ],
  'a.py': [
    '...',
    'def f(): ...',
    'def f(self, *args, **kwargs) -> None: ...',
    'x: tuple[int, ...]',
    'return a[..., 0]',
    'a[...] = 0',
    '# 1, 2, 3, ...',
    '# ... and so on',
    '# the rest is up to the caller',
    '# same as in base class',
    '... def f():',
    '>>> f()',
    '*rest, last = items',
  ],
  'a.pyi': ['...', 'def f(x: int) -> int: ...'],
  'a.yaml': ['...', '---', '# existing users'],
  'a.md': [
    '...',
    '// ...',
    '# ...',
    '## Rest of the world',
    '- the rest of the story',
    'and the rest...',
    '<!-- more -->',
    '/* ... */',
    '...and the rest is history',
  ],
  'a.txt': ['...', '... and so it was'],
  'a.go': ['func f(args ...string) {', 'append(a, b...)', 'return append(rest, other...)', '// rest is what is left', '// ... or nothing'],
  'a.h': ['...', '/* ........................ */', '...)', '...);', '"of the form ``/* ... */``"'],
  'a.c': ['...', 'int printf(const char *, ...);', '#define LOG(...) log(__VA_ARGS__)', '#else', '#include "rest.h"'],
  'a.cpp': ['...', 'template <typename... Ts>', 'f(std::forward<Ts>(ts)...);', 'catch (...) {'],
  'a.lua': ['...', 'return {...}', 'local args = { ... }', 'local a, b = ...', 'print(...)'],
  'a.tsx': ['...', '…', '<p>', '{...rest}'],
  'a.vue': ['...', '…'],
  'a.rs': ['..', '..=', 'let [first, .., last] = x;', 'S { a, ..rest }'],
  'a.css': ['/* Other */', '/* The rest of the page */', '.rest { }'],
  'a.sh': ['echo "waiting ..."', '# the rest goes to stdin', 'shift # the other'],
  'a.sql': ["select '...' as rest;", '-- the remaining rows are archived by a job'],
  'a.html': ['...', '…', '<p>...</p>', '<p>Loading ...</p>', '<!-- other -->'],
};

describe('code that a model left out', () => {
  for (const [path, lines] of Object.entries(ELISIONS))
    it(`is detected in ${path}`, () =>
      assert.deepEqual(
        lines.filter((line) => !isElision(line, path)),
        [],
      ));

  for (const [path, lines] of Object.entries(MEANT))
    it(`is not detected in literal text, in ${path}`, () =>
      assert.deepEqual(
        lines.filter((line) => isElision(line, path)),
        [],
      ));

  it('is allowed when the old text has it, too', () => {
    assert.equal(elisionIn('a\n  // ...\nb', 'x\n// ...\ny', 'a.ts'), undefined);
    assert.equal(elisionIn('a\n  // ...\nb', 'x\ny', 'a.ts'), '// ...');
  });

  it('is not detected in complete code', async () => {
    const root = join(import.meta.dirname, '../../../src');
    const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const found: string[] = [];
    for (const file of files) {
      // This file contains placeholders as data.
      if (file.endsWith('replace-elision.ts')) continue;
      const elision = elisionIn(await readFile(join(root, file), 'utf8'), '', file);
      if (elision !== undefined) found.push(`${file}: ${elision}`);
    }
    assert.deepEqual(found, []);
  });
});
