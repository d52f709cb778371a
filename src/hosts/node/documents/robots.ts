/** Reads the robots.txt of a site (RFC 9309), which says which pages programs may fetch on their own. */

/** The name by which Kedge identifies itself. */
const OWN_NAME = 'kedge';
const MAX_LENGTH = 500_000;
const MAX_RULES = 2_000;
const MAX_NAMES = 100;
const MAX_PATTERN = 1_000;

type Rule = { allows: boolean; pattern: string };
export type Robots = { allows(url: URL): boolean };

export const NO_ROBOTS: Robots = { allows: () => true };

export function robotsOf(text: string): Robots {
  const groups = groupsIn(text.slice(0, MAX_LENGTH));
  const rules = (groups.get(OWN_NAME) ?? groups.get('*') ?? []).toSorted(
    (a, b) => b.pattern.length - a.pattern.length || Number(b.allows) - Number(a.allows),
  );
  return { allows: ({ pathname, search }) => rules.find(({ pattern }) => matches(pathname + search, pattern))?.allows ?? true };
}

/** Returns the rules for each program. Several groups for one program count as one. */
function groupsIn(text: string): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  let names: string[] = [];
  let hasRules = false;
  let count = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, field = '', value = ''] = /^\s*([A-Za-z-]{1,40})[ \t]*:(.*)$/.exec(line.split('#', 1)[0] ?? '') ?? [];
    switch (field.toLowerCase()) {
      case 'user-agent':
        if (hasRules) names = [];
        hasRules = false;
        if (names.length < MAX_NAMES) names.push(/^[\w*-]*/.exec(value.trim())?.[0].toLowerCase() ?? '');
        break;
      case 'allow':
      case 'disallow': {
        hasRules = true;
        const pattern = normalized(value.trim());
        if (pattern === '' || pattern.length > MAX_PATTERN || ++count > MAX_RULES) break;
        for (const name of new Set(names.filter((each) => each === OWN_NAME || each === '*'))) {
          const rules = groups.get(name) ?? [];
          rules.push({ allows: field.toLowerCase() === 'allow', pattern });
          groups.set(name, rules);
        }
      }
    }
  }
  return groups;
}

/** Encodes a pattern as the path of an address is encoded. */
function normalized(pattern: string): string {
  if (!pattern.startsWith('/')) return pattern.startsWith('*') ? pattern : '';
  const url = URL.canParse(`http://site${pattern}`) ? new URL(`http://site${pattern}`) : undefined;
  return url ? url.pathname + url.search : '';
}

/** `*` stands for any characters, and `$` for the end of the path. Each part is found once, so the time is linear. */
function matches(path: string, pattern: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = parts.pop();
  if (last === undefined) return !isWhole || path.length === first.length;
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (isWhole) return path.length - last.length >= at && path.endsWith(last);
  return path.indexOf(last, at) >= 0;
}
