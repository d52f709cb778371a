import assert from 'node:assert/strict';
import { NO_ROBOTS, robotsOf } from '../../../../src/hosts/node/documents/robots.ts';

const allowed = (text: string, path: string) => robotsOf(text).allows(new URL(path, 'https://example.com'));

describe('robots.txt', () => {
  for (const [what, text, yes, no] of [
    [
      'excludes by the beginning of a path',
      'User-agent: *\nDisallow: /private',
      ['/', '/privat', '/a/private'],
      ['/private', '/private/a', '/privates'],
    ],
    ['excludes nothing by an empty rule', 'User-agent: *\nDisallow:', ['/', '/a'], []],
    ['can exclude everything', 'User-agent: *\nDisallow: /', [], ['/', '/a?b']],
    [
      'prefers the longest rule, and then the one that allows',
      'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\nAllow: /c',
      ['/a/b', '/c'],
      ['/a/c'],
    ],
    ['prefers the group for Kedge', 'User-agent: *\nDisallow: /\n\nUser-agent: Kedge/1.0\nDisallow: /x', ['/a'], ['/x']],
    ['ignores groups for others', 'User-agent: Other\nDisallow: /\n', ['/a'], []],
    [
      'has groups for several programs',
      'user-agent: other\nuser-agent: KEDGE\ndisallow: /a\nuser-agent: third\ndisallow: /b',
      ['/b'],
      ['/a'],
    ],
    ['has several groups for one program', 'User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b', ['/c'], ['/a', '/b']],
    [
      'has patterns',
      'User-agent: *\nDisallow: /*.pdf$\nDisallow: /a/*/b*c\nDisallow: /end$',
      ['/x.pdf?a', '/a/b', '/end/'],
      ['/x.pdf', '/a/x/b/y/c/z', '/end'],
    ],
    ['has queries and accents', 'User-agent: *\nDisallow: /*?print\nDisallow: /café', ['/a'], ['/a?print=1', '/caf%C3%A9']],
    [
      'has comments and other fields',
      '# Hello\nSitemap: https://example.com/x\nUser-agent: * # all\nCrawl-delay: 1\nDisallow: /a # not this',
      ['/b'],
      ['/a'],
    ],
    ['is ignored if it is no such file', '<html><body>User-agent: nothing</body></html>', ['/a'], []],
  ] as const)
    it(what, () => {
      for (const path of yes) assert.ok(allowed(text, path), path);
      for (const path of no) assert.ok(!allowed(text, path), path);
    });

  it('takes linear time', () => {
    const stars = robotsOf(`User-agent: *\nDisallow: /${'*a'.repeat(450)}$`);
    assert.ok(stars.allows(new URL(`https://example.com/${'a'.repeat(449)}${'b'.repeat(1_000)}`)));
    const many = robotsOf(`User-agent: *\n${'Disallow: /a*b\n'.repeat(30_000)}`);
    assert.ok(many.allows(new URL(`https://example.com/${'a'.repeat(1_900)}`)));
    assert.ok(NO_ROBOTS.allows(new URL('https://example.com/')));
  });
});
