/**
 * Fetches the pages of a source on the network: one page, or the pages below it, or those that an `llms.txt` lists. A page can be a document in a
 * format such as PDF. The robots.txt of the site applies to the pages to which links lead. It does not apply to the page that the user names,
 * because fetching it is the request of the user and not of a program.
 */
import type { Source } from '../../../documents/collections.ts';
import type { DocumentFormat } from '../../../documents/document.ts';
import { formatOfName } from '../../../documents/names.ts';
import { SourceDenied, type SourceDocument, SourceError, UPDATE_LIMITS } from '../../../documents/store/sources.ts';
import type { SourcedRule } from '../../../policy/rules.ts';
import type { Page } from '../../../tools/network/fetch-url.ts';
import { encodeText } from '../../../workspace/content.ts';
import type { PageFetcher } from '../fetch/fetch.ts';
import { isHostDenied } from './access.ts';
import { NO_ROBOTS, type Robots, robotsOf } from './robots.ts';

type PageSource = Extract<Source, { kind: 'url' }>;

/** The maximum number of characters of all pages of a source. They are in memory until they are indexed. */
const MAX_CHARACTERS = 100_000_000;
/** The maximum number of links that are read on one page, and the maximum length of an address. */
const MAX_LINKS = 5_000;
const MAX_URL = 2_000;
/** The maximum number of addresses of a site that are remembered. */
const MAX_SEEN = 20_000;
/** The maximum number of pages that are shown as excluded by the site. */
const MAX_EXCLUDED = 20;
/** Matches addresses that are not pages. */
const NOT_PAGES = /\.(png|jpe?g|gif|svg|webp|ico|css|m?js|json|xml|zip|t?gz|tar|woff2?|mp4|webm|mp3|exe|dmg)$/i;

/** @throws SourceError when the first page cannot be fetched, or when a rule denies its host */
export async function* documentsOnPages(
  { url, depth, pages }: PageSource,
  { fetcher, rules }: { fetcher: PageFetcher; rules: readonly SourcedRule[] },
  signal: AbortSignal,
): AsyncGenerator<SourceDocument> {
  const first = new URL(url);
  if (isHostDenied(rules, first.host)) throw new SourceDenied(`A rule denies fetching from ${first.host}.`);
  // The user named this address, so a private address is allowed if the user wrote a private one.
  const privateAllowed = fetcher.isPrivate(first);
  const isList = /\/llms(-full)?\.txt$/.test(first.pathname);
  const seen = new Set([first.href]);
  let level = [first];
  let [count, characters] = [0, 0];
  const away: string[] = [];
  let robots: Robots | undefined;
  let excluded = 0;
  for (let distance = 0; level.length > 0 && count < pages; distance++) {
    const next: URL[] = [];
    for (const address of level) {
      signal.throwIfAborted();
      if (count >= pages) break;
      if (distance > 0) {
        robots ??= await robotsAt(first, fetcher, privateAllowed, signal);
        if (!robots.allows(address)) {
          if (excluded++ < MAX_EXCLUDED) yield documentOf(address, '', EXCLUDED);
          continue;
        }
      }
      const page = await fetched(fetcher, address, privateAllowed, signal);
      const format = formatOfPage(page, address);
      const problem = format ? undefined : problemOf(page);
      if (problem && address === first) throw new SourceError(`${first.href} could not be fetched: ${problem}`);
      count++;
      if (distance > 0 && 'failure' in page === false && page.moved) continue;
      if (isAway(page)) {
        away.push(`${address.href}: ${problem}`);
        continue;
      }
      if (format) {
        yield fileOf(address, format, fetcher, privateAllowed);
        continue;
      }
      const text = 'failure' in page ? '' : (page.text ?? '');
      characters += text.length;
      if (characters > MAX_CHARACTERS) throw new SourceError(`The pages of ${first.href} are too long in total. The rest was left out.`);
      yield documentOf(address, text, problem);
      if (distance >= (isList ? Math.max(1, depth) : depth)) continue;
      for (const link of linksIn(text, address)) {
        if (seen.size >= MAX_SEEN || seen.has(link.href) || !isWithin(link, first, isList)) continue;
        seen.add(link.href);
        next.push(link);
      }
    }
    level = next;
  }
  // These pages, and those to which they link, are kept as they were.
  if (away.length > 0)
    throw new SourceError(`${away.length} of the pages could not be fetched and were left as they were, such as ${away[0]}`);
}

const EXCLUDED = 'The robots.txt of the site does not allow programs to fetch this page. To index it anyway, add it as a page of its own.';

/** @throws SourceError if it is unknown what programs may fetch */
async function robotsAt(first: URL, fetcher: PageFetcher, privateAllowed: boolean, signal: AbortSignal): Promise<Robots> {
  const address = new URL('/robots.txt', first);
  const page = await fetched(fetcher, address, privateAllowed, signal);
  if (isAway(page) || ('failure' in page === false && page.moved))
    throw new SourceError(`Only ${first.href} was fetched, because ${address.href} is not available for the moment: ${problemOf(page)}`);
  return 'failure' in page || page.status >= 400 ? NO_ROBOTS : robotsOf(page.text ?? '');
}

/** The types of documents that are no text. */
const TYPES: Readonly<Record<string, DocumentFormat>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const UNKNOWN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream'];

/** Returns the format if a page is a document that is no text, such as a PDF. */
function formatOfPage(page: Fetched, { pathname }: URL): DocumentFormat | undefined {
  if ('failure' in page || page.status >= 400 || page.moved || page.text !== undefined) return undefined;
  const type = page.type.toLowerCase();
  const byName = formatOfName(pathname);
  return TYPES[type] ?? (UNKNOWN_TYPES.includes(type) && Object.values(TYPES).some((format) => format === byName) ? byName : undefined);
}

/** It is fetched when it is read, because several large documents would need much memory. */
function fileOf(address: URL, format: DocumentFormat, fetcher: PageFetcher, privateAllowed: boolean): SourceDocument {
  return {
    key: address.href,
    name: `document.${format}`,
    bytes: (signal) => fetcher.download(address, { privateAllowed, most: UPDATE_LIMITS.bytes }, signal),
  };
}

type Fetched = Page | { failure: string };

async function fetched(fetcher: PageFetcher, address: URL, privateAllowed: boolean, signal: AbortSignal): Promise<Fetched> {
  try {
    return await fetcher.get(address, { privateAllowed }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return { failure: (error as Error).message };
  }
}

/** Returns true if the page may be there again later. */
function isAway(page: Fetched): boolean {
  return 'failure' in page || page.status >= 500 || page.status === 408 || page.status === 429;
}

function problemOf(page: Fetched): string | undefined {
  if ('failure' in page) return page.failure;
  if (page.moved) return `it redirects to another host: ${page.moved}`;
  if (page.status >= 400) return `the server answered with HTTP ${page.status}.`;
  return page.text === undefined ? `its type is ${page.type || 'unknown'}, which is not text.` : undefined;
}

function documentOf(address: URL, text: string, problem: string | undefined): SourceDocument {
  return {
    key: address.href,
    // The text of a page is Markdown.
    name: 'page.md',
    async bytes() {
      if (problem) throw new Error(problem);
      return encodeText(text);
    },
  };
}

/** Returns the targets of the links in a Markdown text. */
function linksIn(text: string, base: URL): URL[] {
  const links: URL[] = [];
  for (const [, target = ''] of text.matchAll(/\]\(<?([^\s()<>]{1,2000})/g)) {
    if (links.length >= MAX_LINKS) break;
    if (!URL.canParse(target, base.href)) continue;
    const link = new URL(target, base);
    link.hash = '';
    if (
      /^https?:$/.test(link.protocol) &&
      !link.username &&
      !link.password &&
      link.href.length <= MAX_URL &&
      !NOT_PAGES.test(link.pathname)
    )
      links.push(link);
  }
  return links;
}

/** Returns true for an address of the same site, below the directory of the first page. The pages of a list can be anywhere on the site. */
function isWithin(link: URL, first: URL, isList: boolean): boolean {
  if (link.origin !== first.origin) return false;
  return isList || link.pathname.startsWith(first.pathname.slice(0, first.pathname.lastIndexOf('/') + 1));
}
