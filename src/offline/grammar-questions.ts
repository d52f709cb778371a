import type { Rule } from './grammar-changes.ts';
import { isPronoun, type Reader } from './reader.ts';
import { IDENTIFIER, type Question } from './request.ts';
import { EVERYWHERE, globOf, hasGlob, isFilePath, kindGlob } from './scope.ts';

type Match = RegExpExecArray;

/** A space in a rule matches any whitespace. Capturing groups are passed to `read`. */
const rule = (words: string[], read: Rule<Question>['read']): Rule<Question> => ({
  words: new RegExp(`^${words.join('').replaceAll(' ', '\\s+')}$`, 'is'),
  read,
});

const IN = '(?:in|within|across|throughout|inside|under)';
const IN_PLACE = `(?: ${IN} (.+))?`;
const ME_ALL_THE = '(?:me )?(?:all )?(?:the )?';
const SHOW = '(?:show|read|print|open|display|cat|view)(?: me)?(?: the)?';
const FIND = `(?:find|list|show|search for|locate) ${ME_ALL_THE}`;
const HOW_MANY = '(?:how many|count(?: the)?(?: number of)?) ';
const THERE = '(?: (?:are there|is there|are|exist|do (?:we|i) have|does it have))?';
const WHAT_IS = "what(?:'s|’s| is| are| does)";
const PROJECT = '(?:this|the|my|our) (?:whole |entire )?(?:project|repo|repository|code ?base|workspace|code|app|application)';

export const QUESTION_RULES: Rule<Question>[] = [
  rule([`how(?:'s|’s| is| are) (?:this|${PROJECT}|things) (?:laid out|organi[sz]ed|structured|built|set up|arranged)`], overview),
  rule([`${WHAT_IS} (?:this|${PROJECT})(?: (?:about|for|do))?`], (match, reader) => attached(reader) ?? overview(match, reader)),
  rule(
    [
      '(?:(?:give|show)(?: me)? )?(?:(?:an?|the) )?(?:(?:project|workspace) )?',
      `(?:overview|structure|layout)(?: of (?:this|${PROJECT}))?`,
    ],
    overview,
  ),
  rule([`(?:explain|describe|summari[sz]e|outline) ${PROJECT}`], (match, reader) =>
    /\scode$/i.test(match[0]) && reader.attached ? attached(reader) : overview(match, reader),
  ),

  rule(
    [
      HOW_MANY,
      '(?:times (?:does|do|is|are)|(?:occurrences?|uses?|usages|mentions|instances|matches|references|calls) (?:of|to|for)) (.+?)',
      `(?: (?:occurs?|appears?|(?:are|is) there|exists?|used|called|mentioned))?${IN_PLACE}`,
    ],
    occurrences,
  ),
  rule([HOW_MANY, `files (import|use|call|mention|contain|reference|name)s? (.+?)${IN_PLACE}`], ([match, verb, text, place], reader) => {
    const question = occurrences([match, text, place] as unknown as Match, reader);
    return question?.kind === 'count' ? { ...question, what: /^import$/i.test(verb as string) ? 'importers' : 'users' } : undefined;
  }),
  rule([HOW_MANY, `((?:TODO|FIXME|XXX|HACK)s?)(?: comments)?${THERE}${IN_PLACE}`], occurrences),
  rule(
    [HOW_MANY, `lines(?: of code)?(?: (?:are there|are|does|do|has|have))?(?: (?:${IN}|of)(?=\\s))?(?: (.+?))?(?: (?:have|has))?`],
    countLines,
  ),
  rule([HOW_MANY, `((?:[\\w.+#*]+ )?files?)${THERE}${IN_PLACE}`], countFiles),
  rule([HOW_MANY, '(?:files )?(?:match(?:ing)? )?(\\S*[*]\\S*)(?: files)?(?: are there)?'], ([, glob], reader) => ({
    kind: 'count',
    what: 'files',
    text: '',
    scope: { paths: [], globs: [globOf(reader.value(glob as string))] },
  })),

  rule(
    [
      '(?:is there|do (?:we|you) have|does (?:it|this) have) (?:an?|any) (?:\\w+ )?(?:called|named) (\\S+)(?: (?:here|defined|in (?:this|the) \\w+))?',
    ],
    ([, name], reader) => where(name, 'defined', reader),
  ),
  rule(['where (?:do|does|did|can) (?:we|it|you|i|the \\w+) (use|call|define|declare|implement|find) (.+)'], ([, verb, name], reader) =>
    where(name, verb, reader),
  ),
  rule(
    [
      "where(?:'s|’s| is| are| does| do)? (.+?)",
      '(?: (defined|declared|implemented|located|computed|calculated|handled|stored|created|come from|live|used|called',
      '|referenced|imported|invoked))?',
    ],
    ([, name, verb], reader) => where(name, verb, reader),
  ),
  rule(
    ['(?:(?:find|show|go to|goto|locate|give|get|look up) )?', ME_ALL_THE, '(?:definition|declaration|implementation)s? (?:of|for) (.+)'],
    ([, name], reader) => where(name, 'defined', reader),
  ),
  rule(
    ['(?:(?:find|show|list|get) )?', ME_ALL_THE, '(callers?|calls|uses?|usages?|references?) (?:of|to|for) (.+)'],
    ([, verb, name], reader) => where(name, verb, reader),
  ),
  rule(['(?:who|what|which \\w+) (calls?|uses?|imports?|references?|invokes?) (.+)'], ([, verb, name], reader) =>
    where(name, verb, reader),
  ),

  rule(
    [
      '(?:find|search|look|grep|locate) (?:for )?(?:(?:all|the|lines|files|with|containing|that contain) )*',
      `(?:text|string|phrase|words?|pattern|regex(?:p| pattern)?) (.+?)${IN_PLACE}`,
    ],
    ([, text, place], reader) => search(text, place, reader),
  ),
  rule([FIND, `(TODO|FIXME)s?(?: comments)?${IN_PLACE}`], ([, text, place], reader) => search(text?.toUpperCase(), place, reader)),
  rule([FIND, `files? (?:that )?(?:containing|contain|with) (?:the )?(?:text )?(.+?)${IN_PLACE}`], ([, text, place], reader) =>
    search(text, place, reader),
  ),
  rule([FIND, 'files? (?:(?:matching|match|named|called|like) )?(\\S+)'], ([, glob], reader) => files(glob, reader)),
  rule([FIND, `([\\w.+#*]+ files)${IN_PLACE}`], kindsOfFiles),
  rule(['(?:search|grep|look) (?:(?:in|through) )?(\\S+) for (.+)'], ([, place, text], reader) => search(text, place, reader)),
  rule([`(?:search|grep|look) (?:for )?(.+?)${IN_PLACE}`], ([, text, place], reader) => search(text, place, reader)),
  rule([`find (.+?) ${IN} (.+)`], ([, text, place], reader) => search(text, place, reader)),
  rule(['(?:find|locate) (.+)'], find),

  rule(
    [
      '(?:(?:what|which) files are (?:there )?(?:in|under|inside)',
      '|(?:list|ls|dir)(?: (?:me|all|of|the|files|entries|contents?|everything|directory|folder|in|under|inside))*)',
      '(?: (\\S+?)/?)?(?: (?:directory|folder))?',
    ],
    list,
  ),
  rule([`show ${ME_ALL_THE}(?:files|entries|directory|folder)(?: (?:in|of|under))?(?: (\\S+?)/?)?`], list),
  rule(
    [`(?:${SHOW} )?lines? (\\d+)(?:\\s*(?:-|–|to|through|until|\\.\\.+|and)\\s*(\\d+))? (?:of|in|from) (.+)`],
    ([, from, to, path], reader) => read(path, from, to, reader),
  ),
  rule(
    [`(?:${SHOW} )?(?:(?:file|contents? of) )*(\\S+?)(?::|#L|,? lines? )(\\d+)(?:\\s*(?:-|–|to|through)\\s*L?(\\d+))?`],
    ([, path, from, to], reader) => read(path, from, to, reader),
  ),
  rule([`${SHOW} (?:(?:all of|file|contents? of|the) )*(.+)`], ([, path], reader) => read(path, undefined, undefined, reader)),

  rule(
    [
      `(?:${WHAT_IS}|outline|summari[sz]e|explain|describe`,
      '|(?:show|give|get)(?: me)? (?:(?:an?|the) )?(?:outline|overview|summary|structure) of)',
      '(?: (in|inside))? (.+?)(?: (?:do|does|doing|mean|means|contains?|about|for|to me))?',
    ],
    explain,
  ),
  rule(['(\\S+)'], ([, path], reader) => {
    const file = reader.value(path as string);
    return isFilePath(file) ? explainPath(file) : undefined;
  }),
];

function overview(_found: Match, _reader: Reader): Question {
  return { kind: 'overview' };
}

function attached({ attached: reference }: Reader): Question | undefined {
  if (!reference) return undefined;
  const { path, from, to } = reference;
  return { kind: 'explain', what: path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function explainPath(what: string): Question {
  return { kind: 'explain', what: what.replaceAll('\\', '/').replace(/^\.\//, '') };
}

function where(name: string | undefined, verb: string | undefined, reader: Reader): Question | undefined {
  const wanted = /^(?:call|invo)/i.test(verb ?? '') ? 'calls' : /^(?:us|refer|import)/i.test(verb ?? '') ? 'uses' : 'definition';
  const bare = reader.name((name as string).replace(/^(?:is|are)\s+/i, ''));
  if (wanted === 'definition' && isFilePath(bare)) return { kind: 'files', glob: bare.includes('/') ? bare : `**/${bare}` };
  return bare === '' || bare.split(/\s+/).length > 5 || /[\n\r]/.test(bare) ? undefined : { kind: 'where', name: bare, wanted };
}

function search(words: string | undefined, place: string | undefined, reader: Reader): Question | undefined {
  const knownScope = reader.scope(place);
  const text = knownScope ? reader.value(words as string) : `${reader.value(words as string)} in ${reader.value(place as string)}`;
  const bare = text.replace(/^(?:the )?(?:text|string|word|phrase) (?=.)/i, '');
  if (bare === '' || /[\n\r]/.test(bare)) return undefined;
  const regex = /^\/(.+)\/[a-z]*$/.exec(bare)?.[1];
  return { kind: 'text', text: regex ?? bare, regex: regex !== undefined, scope: knownScope ?? EVERYWHERE };
}

function occurrences([, text, place]: Match, reader: Reader): Question | undefined {
  const scope = reader.scope(place);
  const bare = reader.value(text as string).replace(/^((?:TODO|FIXME|XXX|HACK))s$/i, '$1');
  const normalized = /^(?:TODO|FIXME|XXX|HACK)$/i.test(bare) ? bare.toUpperCase() : bare;
  return scope && normalized !== '' ? { kind: 'count', what: 'occurrences', text: normalized, scope } : undefined;
}

function countLines([, place]: Match, reader: Reader): Question | undefined {
  const scope = reader.scope(place ?? undefined);
  return scope && { kind: 'count', what: 'lines', text: '', scope };
}

function countFiles([, kind, place]: Match, reader: Reader): Question | undefined {
  const scope = reader.scope(place);
  const glob = kindGlob(kind as string);
  if (!scope || !glob) return scope && { kind: 'count', what: 'files', text: '', scope };
  return { kind: 'count', what: 'files', text: '', scope: { paths: [], globs: [under(scope.globs[0], glob)] } };
}

/** Restricts a glob to a directory: `src/**` and `**\/*.ts` become `src/**\/*.ts`. */
function under(directory: string | undefined, glob: string): string {
  return directory?.endsWith('/**') ? `${directory}${glob.slice(2)}` : glob;
}

function kindsOfFiles([, kind, place]: Match, reader: Reader): Question | undefined {
  const scope = reader.scope(place);
  const glob = kindGlob(kind as string);
  return scope && glob ? { kind: 'files', glob: under(scope.globs[0], glob) } : undefined;
}

function files(glob: string | undefined, reader: Reader): Question | undefined {
  const pattern = reader.value(glob as string);
  if (/^(?:in|under|inside|of)$/i.test(pattern)) return undefined;
  if (hasGlob(pattern) || isFilePath(pattern)) return { kind: 'files', glob: pattern.includes('/') ? pattern : `**/${pattern}` };
  return { kind: 'files', glob: `**/*${pattern}*` };
}

function find([, what]: Match, reader: Reader): Question | undefined {
  const mark = reader.mark(what as string);
  if (mark === "'" || mark === '"' || mark === '“') return search(what, undefined, reader);
  const name = reader.name(what as string);
  if (hasGlob(name) || isFilePath(name)) return files(name, reader);
  return IDENTIFIER.test(name) ? { kind: 'where', name, wanted: 'definition' } : search(what, undefined, reader);
}

function list([, path]: Match, reader: Reader): Question | undefined {
  const bare = reader.value(path ?? '').replace(/\/+$/, '');
  if (hasGlob(bare)) return files(bare, reader);
  return { kind: 'list', path: /^\.?$|^(?:project|workspace|repo|root|here|this)$/i.test(bare) ? '' : bare };
}

function read(path: string | undefined, from: string | undefined, to: string | undefined, reader: Reader): Question | undefined {
  const file = reader.filePath(path as string);
  if (file === undefined) return undefined;
  const range = from ? { from: Number(from), to: Number(to ?? from) } : reader.isAttached(path as string) ? reader.attached : undefined;
  return { kind: 'read', path: file, ...(range?.from !== undefined && { from: range.from, to: range.to ?? range.from }) };
}

function explain([, inside, what]: Match, reader: Reader): Question | undefined {
  if (reader.isAttached(what as string)) return attached(reader);
  if (isPronoun(what as string)) return undefined;
  const path = reader.file(what as string) ?? (inside ? reader.name(what as string) : undefined);
  if (path !== undefined && !/\s/.test(path)) return explainPath(path);
  const name = reader.name(what as string);
  return IDENTIFIER.test(name) ? { kind: 'explain', what: name } : undefined;
}
