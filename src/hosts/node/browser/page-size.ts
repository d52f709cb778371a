/**
 * Decides whether a page is too large for a text with its elements. The code runs apart from the scripts of the page, which could otherwise
 * answer for it.
 */
import type { Page } from 'playwright-core';

const MAX_NODES = 30_000;
const MAX_CHARS = 1_000_000;
const MAX_FRAMES = 50;
const MAX_TEXT = 100_000;
const TIMEOUT_MS = 5_000;

const MEASURE = `(() => {
  let nodes = 0, chars = 0;
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes += 1;
    chars += node.nodeType === 3 ? node.data.length : 0;
    if (nodes > ${MAX_NODES} || chars > ${MAX_CHARS}) return 'large';
  }
  return 'small';
})()`;

const TEXT = `(() => {
  const parts = [];
  let chars = 0;
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), seen = 0; node && chars < ${MAX_TEXT} && seen < 200000; node = walker.nextNode(), seen += 1) {
    const parent = node.parentElement;
    if (!parent || /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/.test(parent.tagName) || !parent.checkVisibility()) continue;
    const text = node.data.slice(0, ${MAX_TEXT} - chars).trim();
    if (text) parts.push(text);
    chars += text.length + 1;
  }
  return parts.join('\\n');
})()`;

export async function isLargePage(page: Page): Promise<boolean> {
  if (page.frames().length > MAX_FRAMES) return true;
  return (await evaluateApart(page, MEASURE)).some((answer) => answer !== 'small');
}

export async function largePageText(page: Page): Promise<string> {
  return (await evaluateApart(page, TEXT, 1)).join('\n').slice(0, MAX_TEXT);
}

type FrameTree = { frame: { id: string }; childFrames?: FrameTree[] };

async function evaluateApart(page: Page, expression: string, mostFrames = MAX_FRAMES): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await client.send('Page.getFrameTree');
    const answers: string[] = [];
    for (const frameId of idsIn(frameTree).slice(0, mostFrames)) {
      const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId, worldName: 'kedge' });
      const { result } = await client.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        returnByValue: true,
        timeout: TIMEOUT_MS,
      });
      answers.push(typeof result.value === 'string' ? result.value : '');
    }
    return answers;
  } finally {
    await client.detach().catch(() => undefined);
  }
}

function idsIn({ frame, childFrames = [] }: FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(idsIn)];
}
