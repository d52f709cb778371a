/** Grants with random folders and commands: an allowed command only runs code of a granted folder, and that code is always allowed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { type CommandJudged, judgedOn } from '../../support/command-judge.ts';

const NAMES = ['a', 'b', 'pkg', 'vendor', 'node_modules'];
const MANIFESTS = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'build.gradle'];

/** Directories by path, with the files that make them projects. The top folder is always a project. */
const tree = fc
  .array(
    fc.tuple(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), fc.option(fc.constantFrom(...MANIFESTS), { freq: 2 })),
    {
      minLength: 4,
      maxLength: 14,
    },
  )
  .map((rows) => new Map(rows.map(([parts, manifest]) => [parts.join('/'), manifest ?? undefined])));

const place = fc.nat(1000);
type Way = 'cwd' | 'cd' | 'argument' | 'file' | 'dotted' | 'test' | 'glob' | 'option' | 'spare';
const ways = fc.constantFrom<Way>('cwd', 'cd', 'argument', 'file', 'dotted', 'test', 'glob', 'option', 'spare');

/** Creates a command that runs the code of `to` when started in `from`. */
function commandFor(way: Way, to: string): string {
  switch (way) {
    case 'cwd':
      return 'pytest';
    case 'cd':
      return `cd ${to} && pytest`;
    case 'argument':
      return `pytest ${to}`;
    case 'file':
      return `pytest -x ${to}/test_a.py`;
    case 'dotted':
      return `pytest ./${to}//.`;
    case 'test':
      return `pytest ${to}/test_a.py::test_b`;
    case 'glob':
      return `pytest ./${to.replace(/.(?=$|\/)/g, '?')}`;
    case 'option':
      return `pytest --ignore=x --deselect ${to}`;
    case 'spare':
      return `pytest -q "${to}"`;
  }
}

const parentOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.');

describe('a grant of a command, over random folders', () => {
  it('covers the code of its folder, and no other', async () => {
    const uses = fc.array(fc.tuple(place, place, ways), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(tree, uses, async (manifests, calls) => {
        const files: Record<string, string> = { 'package.json': '{}' };
        for (const [path, manifest] of manifests) {
          files[`${path}/test_a.py`] = 'x';
          if (manifest) files[`${path}/${manifest}`] = 'x';
        }
        const directories = new Set(['.']);
        for (const path of manifests.keys()) for (let at = path; at !== '.'; at = parentOf(at)) directories.add(at);
        const all = [...directories];
        const begins = (path: string) =>
          manifests.get(path) !== undefined || /(?:^|\/)(?:vendor|node_modules)$/.test(path) || holdsInstalled(path);
        const holdsInstalled = (path: string) => directories.has(`${path}/node_modules`);
        /** Whether the path belongs to the same project as the folder. */
        const isSameCode = (home: string, path: string): boolean =>
          path === home || (path !== '.' && !begins(path) && isSameCode(home, parentOf(path)));

        /** Directories that belong to this project, excluding nested projects and installed packages. */
        const inner = (path: string, depth: number): string[] => {
          const children =
            depth === 0 ? [] : all.filter((each) => each !== '.' && parentOf(each) === path && !each.endsWith('node_modules'));
          return children.flatMap((child) => (begins(child) ? [child] : inner(child, depth - 1)));
        };

        await using on: CommandJudged = await judgedOn(files);
        for (const [first, second, way] of calls) {
          const home = all[first % all.length] as string;
          const to = all[second % all.length] as string;
          if (to === '.' && way !== 'cwd') continue;
          const grants: Permission[] = [
            { kind: 'command', prefix: ['pytest'], folders: way === 'cwd' || way === 'cd' ? [home] : ['.', home] },
          ];
          const command = commandFor(way, to);
          const { kind, rule, reason } = await on.judge(command, ['cd'], way === 'cwd' ? to : '.', { grants });
          const isGlob = way === 'glob';
          const namesDirectory = !['cwd', 'cd', 'file', 'test'].includes(way);
          const named = isGlob ? all.filter((each) => each !== '.' && sameLengths(each, to)) : [to];
          const meant = namesDirectory ? named.flatMap((each) => [each, ...inner(each, 2)]) : named;
          const homes = way === 'cwd' || way === 'cd' ? [home] : ['.', home];
          const isCovered = meant.every((each) => homes.some((from) => isSameCode(from, each)));
          const what = `${command} in ${way === 'cwd' ? to : '.'}, granted in ${homes.join(', ')}: ${rule} ${reason}`;
          if (!isCovered) assert.equal(kind, 'ask', what);
          // Installed packages always need approval, and a pattern may match files beside the directories.
          else if (!isGlob && !/node_modules/.test(`${to} ${home}`)) assert.equal(kind, 'allow', what);
        }
      }),
      { numRuns: 60 },
    );
  }).timeout(120_000);
});

function sameLengths(one: string, other: string): boolean {
  const pattern = new RegExp(`^${other.replace(/.(?=$|\/)/g, '[^/]')}$`);
  return pattern.test(one);
}
