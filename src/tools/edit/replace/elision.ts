/** Finds placeholders such as `// ... existing code ...`, which stand for code that a model omitted. */

/** Each placeholder with words contains at least one of these words. */
const CORE = words(`rest remaining remainder existing unchanged unmodified omitted elided truncated snip snipped same previous other others
  original keep kept`);
/** The other words that occur in placeholders. A comment with further words is most likely meant literally. */
const FILLER =
  words(`a above after again all already and any are args arguments array as attributes be before below block blocks body brevity
  case cases change changed changes class classes code columns comments component components config configuration constants constructor
  content contents css currently data declarations defined definition definitions dependencies document element elements else endpoints
  entries etc everything exactly export exports field fields file files fixtures for from function functions getters go goes handler handlers
  helper helpers here hook hooks html identical implementation implementations import imports in initialization intact interfaces is it item
  items jsx key keys line lines list logic markup method methods middleware model models modified module more my needed no not object of
  option options or our page parameters part parts previously program properties property props queries query remain remains route routes row rows rule
  rules schema script section sections setters setting settings setup shown state statements stay stays stuff style styles table template test
  tests text that the there this to tsx type types untouched value values variables view views was with your`);

/** Matches the dots of a placeholder. A longer row of dots is a separator line. */
const DOTS = '(?:(?<!\\.)\\.{3,5}(?!\\.)|…)';
const BEGINS_WITH_DOTS = new RegExp(`^${DOTS}`);
const ENDS_WITH_DOTS = new RegExp(`${DOTS}$`);
/** Matches placeholders without dots, which name the remaining code and say that it is unchanged. */
const PHRASE =
  /^(?:(?:the )?(?:rest|remainder)(?: of .*)?|(?:the |all )?(?:remaining|existing|other) .*) (?:(?:is|are|remains?|stays?|goes?|kept|left) )?(?:the )?(?:unchanged|same|as (?:is|before)|here|omitted|intact|untouched|unmodified|identical)(?: as (?:before|above)| for brevity)?$|^(?:the )?rest(?: of (?:the |this |your )?(?:code|file|class|function|method|module|implementation)s?)$|^(?:keep |the )?existing (?:code|implementation)$/;

/** Matches a line that is only a comment, in any language. `doc` matches when it is part of a documentation comment. */
const COMMENT = /^(?:(?<doc>\/\/[/!]|\*(?!\/))|\{?\/\*+|\/\/|#+|--+|<!--|;+|%+|\{#|\(\*|rem\s)(?<text>.*?)(?:\*+\/\}?|--+>|#\}|\*\))?$/i;
/** Matches a comment after code or within it. */
const BESIDE = /\s(?:\/\/|#|--)\s+([^'"`;{}=]*)$|(?<!['"`])\/\*+(.*?)\*+\/|(?<!['"`])<!--(.*?)-->/g;

const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt|tex|org)$/i;
/** Languages in which three dots between braces are not code. */
const WITHOUT_DOTS = /\.(?:[cm]?[jt]sx?|java|kts?|swift|go|rs|cs|php|s?css|less|json|html?|vue|svelte|xml|c|h|cc|cpp|hpp|rb|sh|sql)$/i;
/** Languages in `WITHOUT_DOTS` in which a line of three dots can be a part of a parameter list, or text. */
const WITH_LINES_OF_DOTS = /\.(?:[jt]sx|html?|vue|svelte|xml|c|h|cc|cpp|hpp)$/i;

const MAX_LENGTH = 300;

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** Returns the first line of the new text that is a placeholder and does not occur in the old text. */
export function elisionIn(now: string, old: string, path: string): string | undefined {
  if (!/\.{3}|…|rest|remain|existing/i.test(now)) return undefined;
  const oldLines = new Set(old.split(/[\r\n]+/).map((line) => line.trim()));
  return now
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .find((line) => !oldLines.has(line) && isElision(line, path));
}

/** Returns true if a line is a placeholder. The line must not have surrounding whitespace. */
export function isElision(line: string, path: string): boolean {
  if (line.length > MAX_LENGTH) return false;
  const { doc, text } = COMMENT.exec(line)?.groups ?? {};
  if (text !== undefined) return leavesOut(text) || (isOnlyDots(text) && !doc && !DOCUMENT.test(path));
  if (/^(?:\.{3,5}|…|\[(?:\.{3}|…)\])$/.test(line)) return WITHOUT_DOTS.test(path) && !WITH_LINES_OF_DOTS.test(path);
  if (
    /^[([<]?\s*(?:\.{3}|…|the |rest|remaining|existing|other)/i.test(line) &&
    /\s/.test(line) &&
    !/[,;]$/.test(line) &&
    leavesOut(line, 0)
  )
    return true;
  if (WITHOUT_DOTS.test(path) && /[)\w]\s*(?:=>\s*)?\{\s*(?:\.{3}|…)\s*\}[;,)]*$/.test(line)) return true;
  return [...line.matchAll(BESIDE)].some(([, behind, within, markup]) => {
    const comment = behind ?? within ?? markup ?? '';
    return hasDots(comment) && (leavesOut(comment) || (behind === undefined && isOnlyDots(comment) && !DOCUMENT.test(path)));
  });
}

const bare = (text: string) => text.trim().replace(/^[\s([<{*=-]+|[\s)\]>}*=:-]+$/g, '');
const isOnlyDots = (text: string) => new RegExp(`^${DOTS}$`).test(bare(text));
const hasDots = (text: string) => BEGINS_WITH_DOTS.test(bare(text)) || ENDS_WITH_DOTS.test(bare(text));

/** Returns true if a comment says that code was omitted. It may contain up to `most` words that are not in `CORE` or `FILLER`. */
function leavesOut(comment: string, most = 1): boolean {
  const text = bare(comment);
  const commentWords = text.replaceAll(new RegExp(DOTS, 'g'), ' ').match(/[\p{L}\p{N}_`'-]+/gu) ?? [];
  const lower = commentWords.map((word) => word.toLowerCase());
  if (commentWords.length > 12 || !lower.some((word) => CORE.has(word))) return false;
  const others = commentWords.filter((_, index) => !CORE.has(lower[index] as string) && !FILLER.has(lower[index] as string));
  const [begins, ends] = [BEGINS_WITH_DOTS.test(text), ENDS_WITH_DOTS.test(text)];
  if (begins && ends) return others.length <= Math.max(most, 3);
  if (begins) return others.length <= most;
  if (ends)
    return (
      /^(?:the |all |your |\(|\[)*(?:rest|remaining|remainder|existing|other|previous|same|unchanged|keep)\b/i.test(text) &&
      others.every(isName)
    );
  return others.every(isName) && PHRASE.test(lower.join(' '));
}

function isName(word: string): boolean {
  return /[a-z][A-Z]|_|`|\d/.test(word);
}
