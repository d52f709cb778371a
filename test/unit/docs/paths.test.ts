import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const roots = ['ARCHITECTURE.md', 'README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md', '.github/EVENTS.md'];
const rooms = globSync(['src/**/README.md', 'webview-ui/README.md', 'test/README.md'], { cwd: root });
const documents = [...roots, ...rooms.map((path) => path.replaceAll('\\', '/'))];

/** Paths that a document names only as examples of what a user could write. */
const examples = new Set([
  ...['src/tools/files/count-lines.ts', 'mcp.json', '.vscode/mcp.json', 'hooks.json', '.kedge/hooks.json'],
  ...['kedge-package.json', 'NAME.kedge.json', 'packages/', 'packages.json'],
]);
/** Returns the names of all files below a folder, because a document may name a file without its folder. */
const fileNamesIn = (folder: string): Set<string> => {
  const patterns = folder === '.' ? ['src/**/*.*', 'webview-ui/**/*.*', 'test/{support,bench}/*', 'scripts/*', '*'] : ['**/*.*'];
  return new Set(globSync(patterns, { cwd: join(root, folder) }).map((path) => basename(path)));
};

/** Whether a path exists, relative to the document, to the root, or to the sample workspace that README.md uses. */
const exists = (path: string, document: string): boolean =>
  examples.has(path) || [join(root, dirname(document)), root, join(root, 'test/sample')].some((from) => existsSync(join(from, path)));

function problemsOf(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8');
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(document), target)));
  const places = [...prose.matchAll(/(?<![\w./-])(?:\.\.\/)*(?:src|test|scripts|webview-ui)\/[\w./-]*[\w/]/g)]
    .map(([path]) => path)
    .filter((path) => !exists(path, document));
  const names = [...prose.matchAll(/`([\w./-]+(?:\.(?:ts|tsx|mjs|cjs|json)|\/))`/g)]
    .map(([, name]) => name as string)
    .filter((name) => !exists(name, document) && !fileNamesIn(roots.includes(document) ? '.' : dirname(document)).has(name));
  return [...new Set([...links, ...places, ...names])];
}

describe('the documents', () => {
  for (const document of documents) {
    it(`${document} names only files and folders that exist`, () => {
      const problems = problemsOf(document);
      assert.deepEqual(problems, [], `${document} names what does not exist: correct the path, or add it to the examples of this test`);
    });
  }

  it('import only modules that exist in their examples', () => {
    const imports = documents.flatMap((document) =>
      [...readFileSync(join(root, document), 'utf8').matchAll(/^ *import .* from '(?:\.\.?\/)+([\w./-]+)';$/gm)].map(
        ([, path]) => path as string,
      ),
    );
    assert.ok(imports.length > 3);
    assert.deepEqual(
      imports.filter((path) => globSync([`src/${path}`, `src/*/${path}`], { cwd: root }).length === 0),
      [],
    );
  });

  it('include a README for each large room', () => {
    const needed = [
      'src/core',
      'src/policy',
      'src/providers',
      'src/text-tools',
      'src/tools',
      'src/app',
      'src/hosts/vscode',
      'src/hosts/node',
    ];
    for (const room of [...needed, 'src/hosts/cli', 'webview-ui', 'test']) assert.ok(documents.includes(`${room}/README.md`), room);
  });

  it('describe each folder of a room in its README', () => {
    for (const document of documents.filter((path) => !roots.includes(path))) {
      const room = dirname(document);
      const text = readFileSync(join(root, document), 'utf8');
      const folders = globSync('*/', { cwd: join(root, room) }).map((folder) => `${relative('.', folder).replaceAll('\\', '/')}/`);
      const missing = folders.filter((folder) => !text.includes(`\`${folder}\``));
      assert.deepEqual(missing, [], `folders that ${document} does not describe`);
    }
  });
});
