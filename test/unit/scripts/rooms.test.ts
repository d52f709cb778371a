import assert from 'node:assert/strict';
import { problemsIn, ROOMS, type SourceFile } from '../../../scripts/rooms.ts';

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.map((line) => `${line}\n`).join('') });
const imports = (path: string, ...specifiers: string[]) =>
  file(path, ...specifiers.map((specifier) => `import { x } from '${specifier}';`));

describe('the check of the rooms', () => {
  it('allows a room to import itself and what the table lists', () => {
    const files = [
      imports('src/core/model/messages.ts', '../json.ts'),
      file('src/core/json.ts', 'export const x = 1;'),
      imports('src/policy/decide.ts', '../core/model/messages.ts', './commands/index.ts', 'zod'),
      file('src/policy/commands/index.ts'),
      imports('src/sessions/store.ts', 'node:fs', '../core/json.ts'),
      imports('src/hosts/vscode/kedge.ts', 'vscode', 'node:path', '../node/storage.ts'),
      imports('src/hosts/node/storage.ts', 'node:os'),
      imports('src/mcp/client/index.ts', '@modelcontextprotocol/sdk/client/index.js'),
      imports('src/hosts/cli/program.ts', '../../../package.json'),
    ];
    assert.deepEqual(problemsIn(files), []);
  });

  const crossings: [what: string, from: string, specifier: string, named: string][] = [
    ['a room above', 'src/core/run/run.ts', '../../app/ports.ts', 'src/app/ports.ts'],
    ['a room above, inside core', 'src/core/model/model.ts', '../run/run.ts', 'src/core/run/run.ts'],
    ['a sibling', 'src/tools/define-tool.ts', '../mcp/types.ts', 'src/mcp/types.ts'],
    ['another host', 'src/hosts/cli/kedge.ts', '../vscode/kedge.ts', 'src/hosts/vscode/kedge.ts'],
    ['a host from what both share', 'src/hosts/node/storage.ts', '../cli/main.ts', 'src/hosts/cli/main.ts'],
    ['a file of a room of which others may be imported', 'src/offline/index.ts', '../providers/catalog.ts', 'src/providers/catalog.ts'],
    ['the app from the panel', 'webview-ui/store.ts', '../src/app/ports.ts', 'src/app/ports.ts'],
    ['a test', 'src/app/assistant.ts', '../../test/support/harness.ts', 'test/support/harness.ts'],
    ['vscode outside its host', 'src/hosts/cli/kedge.ts', 'vscode', 'vscode'],
    ['vscode in the panel', 'webview-ui/host.ts', 'vscode', 'vscode'],
    ['Node in the app', 'src/app/assistant.ts', 'node:fs/promises', 'node:fs/promises'],
    ['Node in the panel', 'webview-ui/host.ts', 'node:path', 'node:path'],
    ['a package that core does not have', 'src/core/run/run.ts', 'diff', 'diff'],
    ['a file of a package that is not listed', 'src/tools/define-tool.ts', '@google/genai/web', '@google/genai'],
  ];
  for (const [what, from, specifier, named] of crossings) {
    it(`forbids to import ${what}`, () => {
      const [problem, ...others] = problemsIn([imports(from, specifier)]);
      assert.match(problem ?? '', new RegExp(`^${from} imports ${named}, but .* may import only `));
      assert.deepEqual(others, []);
    });
  }

  it('sees every form of an import', () => {
    for (const line of [
      "import type { Ports } from '../app/ports.ts';",
      "import {\n  type A,\n  b,\n} from '../app/ports.ts';",
      "import * as ports from '../app/ports.ts';",
      "import '../app/ports.ts';",
      "export type { Ports } from '../app/ports.ts';",
      "export * from '../app/ports.ts';",
      "const load = async () => (await import('../app/ports.ts')).ports;",
      "type Ports = typeof import('../app/ports.ts');",
    ])
      assert.equal(problemsIn([file('src/policy/decide.ts', line)]).length, 1, line);
  });

  it('needs a room for every file', () => {
    assert.deepEqual(problemsIn([file('src/new/file.ts')]), [
      'src/new/file.ts belongs to no room. Add its folder to the table in scripts/rooms.ts.',
    ]);
  });

  it('names the files of a circle, of types too, and of lazy imports', () => {
    const [problem, ...others] = problemsIn([
      imports('src/app/start.ts', './a.ts'),
      imports('src/app/a.ts', './b.ts'),
      file('src/app/b.ts', "import type { C } from './c.ts';"),
      file('src/app/c.ts', "export const load = () => import('./a.ts');"),
    ]);
    assert.equal(problem, 'These files import each other in a circle: src/app/a.ts → src/app/b.ts → src/app/c.ts → src/app/a.ts.');
    assert.deepEqual(others, []);
  });

  it('forbids more than 20 source files in a folder, those of its own folders not counted', () => {
    const files = Array.from({ length: 20 }, (_, index) => file(`src/policy/file${index}.ts`));
    assert.deepEqual(problemsIn([...files, file('src/policy/commands/one-more.ts')]), []);
    assert.deepEqual(problemsIn([...files, file('src/policy/one-more.ts')]), [
      'src/policy has 21 source files, and 20 are allowed: make folders by subject.',
    ]);
  });

  it('forbids more than 300 lines in a file', () => {
    const lines = (count: number) => file('webview-ui/styles/panel.css', ...Array.from({ length: count }, () => '/* */'));
    assert.deepEqual(problemsIn([lines(300)]), []);
    assert.deepEqual(problemsIn([lines(301)]), ['webview-ui/styles/panel.css has 301 lines, and 300 are allowed: split it by subject.']);
  });

  it('has a table that names only rooms of its own', () => {
    const named = Object.values(ROOMS)
      .flat()
      .filter((entry) => /^(src|webview-ui)\b/.test(entry) && !/\.ts$|\/\*$/.test(entry));
    assert.deepEqual(
      named.filter((entry) => !(entry in ROOMS)),
      [],
    );
  });
});
