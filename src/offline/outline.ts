/** Extracts a file's outline (declarations with line numbers) and its introductory comment. */

export type Entry = { line: number; text: string; depth: number };

type Language = { files: RegExp; entry: RegExp };

const SHORTHANDS: Record<string, string> = {
  METHOD: '(?!(?:if|for|while|switch|catch|return|function)\\b)[\\w$]+\\s*(?:<[^>]*>)?',
  MODIFIER:
    '(?:public|private|protected|internal|static|final|abstract|sealed|override|open|data|async|virtual|case|export|synchronized)\\s+',
};
const any = (...patterns: RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source.replace(/[A-Z]{6,}/g, (name) => SHORTHANDS[name] ?? name)).join('|'));

const LANGUAGES: Language[] = [
  {
    files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/i,
    entry: any(
      /^(?:export\s+|declare\s+|default\s+)*(?:(?:async\s+)?function\b|(?:abstract\s+)?class\b|interface\b|type\s+[\w$]+.*=)/,
      /^(?:export\s+|declare\s+)*(?:(?:const\s+)?enum\b|namespace\b|(?:const|let|var)\s+[\w$]+)|^export\s+(?:default\b|\*|\{)/,
      /^(?: {2}|\t| {4})(?:(?:public|private|protected|static|async|get|set|override|readonly|abstract)\s+)*[*#]?METHOD\([^;]*\{\s*$/,
      /^\s*(?:describe|it|test|suite)(?:\.\w+)?\(\s*['"`]/,
    ),
  },
  { files: /\.pyi?$/i, entry: /^\s*(?:async\s+)?(?:def|class)\s+\w+|^[A-Z][A-Z0-9_]+\s*(?::[^=]+)?=/ },
  { files: /\.go$/i, entry: /^(?:func|type|var|const|package)\b/ },
  {
    files: /\.rs$/i,
    entry: any(
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern(?:\s+"C")?)\s+)*(?:fn|struct|enum|trait|impl|mod)\b/,
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:type|static|const|union)\b|^\s*macro_rules!/,
    ),
  },
  {
    files: /\.(?:java|cs|kt|kts|scala|swift|dart|groovy)$/i,
    entry: any(
      /^\s*(?:MODIFIER)*(?:class|interface|enum|record|struct|object|trait|protocol|extension|func?|def|namespace|package)\b\s*\S+/,
      /^\s+(?:MODIFIER)+[\w<>[\],.? ]+\s+\w+\s*\([^;]*$/,
    ),
  },
  {
    files: /\.(?:c|h|cc|cpp|cxx|hpp|hh|m|mm)$/i,
    entry: any(
      /^(?:typedef\b|struct\b|enum\b|union\b|class\b|namespace\b|template\b|#\s*define\s+\w+|@(?:interface|implementation)\b)/,
      /^(?!return|else|if|for|while|switch)[A-Za-z_][\w:<>,*&\s]*[\s*&]~?\w+(?:::~?\w+)*\s*\([^;]*$/,
    ),
  },
  { files: /\.rb$/i, entry: /^\s*(?:class|module|def)\s+\S+/ },
  {
    files: /\.php$/i,
    entry: /^\s*(?:(?:abstract|final|public|private|protected|static)\s+)*(?:function|class|interface|trait|enum|namespace)\s+\S+/,
  },
  { files: /\.(?:sh|bash|zsh)$/i, entry: /^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\)\s*\{?)/ },
  { files: /\.(?:sql)$/i, entry: /^\s*(?:create|alter)\s+/i },
  { files: /\.(?:css|scss|less)$/i, entry: /^[^\s}/@][^;]*\{|^@(?:media|mixin|keyframes|layer|container|font-face)/ },
  { files: /\.(?:html?|xml)$/i, entry: /<(?:title|h[1-6]|main|nav|section|header|footer|form|script|template)\b[^>]*>/i },
  { files: /\.(?:md|markdown|mdx)$/i, entry: /^#{1,6}\s+\S/ },
  { files: /\.(?:ya?ml)$/i, entry: /^(?: {2})?["']?[\w./@-]+["']?:(?:\s|$)/ },
  { files: /\.(?:toml|ini|cfg|conf|properties)$/i, entry: /^\s*\[.+\]|^[\w.-]+\s*=/ },
  { files: /(?:^|\/)(?:Make|make)file$|\.mk$/, entry: /^[\w./%$()-]+\s*:(?!=)/ },
  { files: /(?:^|\/)Dockerfile/, entry: /^(?:FROM|ENTRYPOINT|CMD|EXPOSE|WORKDIR|RUN|COPY)\b/i },
  { files: /\.lua$/i, entry: /^\s*(?:local\s+)?function\s+\S+/ },
  { files: /\.(?:ex|exs)$/i, entry: /^\s*(?:defmodule|defp?|defmacro)\s+\S+/ },
];

const ANY: Language = {
  files: /./,
  entry: /^\s*(?:(?:export|public|private|static|async)\s+)*(?:function|class|interface|struct|enum|trait|module|def|fn|func|type)\s+\w+/,
};

/** Returns the declarations in a file. Unknown file types are searched for common keywords. */
export function outlineOf(path: string, lines: readonly string[], from = 1): Entry[] {
  if (/\.(?:jsonc?|json5)$/i.test(path)) return jsonKeys(lines, from);
  const { files, entry } = LANGUAGES.find((language) => language.files.test(path)) ?? ANY;
  const markdown = /\.\(\?:md/.test(files.source);
  const entries: Entry[] = [];
  let fenced = false;
  for (const [index, line] of lines.entries()) {
    if (markdown && /^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced || !entry.test(line)) continue;
    const depth = markdown
      ? (/^#+/.exec(line)?.[0].length ?? 1) - 1
      : Math.ceil((/^[ \t]*/.exec(line)?.[0].replaceAll('\t', '  ').length ?? 0) / 4);
    entries.push({ line: from + index, text: cleanHeading(line, markdown), depth: Math.min(depth, 3) });
  }
  return entries;
}

function cleanHeading(line: string, markdown: boolean): string {
  if (markdown)
    return line
      .trim()
      .replace(/^#+\s*/, '')
      .replace(/\s*#+$/, '');
  return line
    .trim()
    .replace(/\s*\{\s*$/, '')
    .replace(/\s*=\s*[{[(]?\s*$/, '')
    .replace(/[:,]$/, '');
}

/** Returns the keys in the first two levels of a JSON file. */
function jsonKeys(lines: readonly string[], from: number): Entry[] {
  const entries: Entry[] = [];
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    const key = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*(.*)$/.exec(line);
    if (key && depth >= 1 && depth <= 2) {
      const value = (key[2] as string).replace(/,\s*$/, '');
      entries.push({ line: from + index, text: /^[[{]$/.test(value) ? (key[1] as string) : `${key[1]}: ${value}`, depth: depth - 1 });
    }
    const bare = line.replace(/"(?:[^"\\]|\\.)*"/g, '');
    depth += (bare.match(/[{[]/g)?.length ?? 0) - (bare.match(/[}\]]/g)?.length ?? 0);
  }
  return entries;
}

/** Returns the first comment, or the first paragraph of a text file, without markup. */
export function leadOf(path: string, lines: readonly string[]): string {
  const isText = /\.(?:md|markdown|mdx|txt|rst|adoc)$/i.test(path);
  return shorten(isText ? firstParagraph(lines) : firstComment(lines.slice(0, 60)));
}

function shorten(text: string, max = 400): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, line.lastIndexOf(' ', max))} …` : line;
}

export function firstParagraph(lines: readonly string[]): string {
  const words = lines.map((line) => line.trim());
  const skip = /^(?:#|!?\[!?\[|!\[|<|```|---|===|:|\|)/;
  const start = words.findIndex((line) => line !== '' && !skip.test(line) && /\p{L}/u.test(line));
  if (start < 0) return '';
  const end = words.findIndex((line, index) => index > start && (line === '' || skip.test(line)));
  return words.slice(start, end < 0 ? undefined : end).join(' ');
}

function firstComment(lines: readonly string[]): string {
  const start = lines.findIndex((line) => /^\s*(?:\/\*|\/\/|#(?![!\w])|"""|'''|<!--|--\s|;;)/.test(line));
  if (start < 0) return '';
  const first = lines[start] as string;
  const closing = /^\s*\/\*/.test(first) ? '*/' : /^\s*<!--/.test(first) ? '-->' : /^\s*("""|''')/.exec(first)?.[1];
  const rest = lines.slice(start);
  const end = rest.findIndex((line, index) =>
    closing ? line.slice(index === 0 ? 3 : 0).includes(closing) : !/^\s*(?:\/\/|#|--|;;)/.test(line),
  );
  return rest
    .slice(0, end < 0 ? undefined : end + (closing ? 1 : 0))
    .map((line) => line.replace(/^\s*(?:\/\*+|\*+\/|\*|\/\/+!?|#+|"""|'''|<!--|--|;;+)\s?/, '').replace(/\s*(?:\*\/|-->|"""|''')\s*$/, ''))
    .join(' ');
}
