/** Recognizes lines that declare a name, judging by the line alone. */
import { escapeRegex } from '../core/escape-regex.ts';

/** `strong` is certainly a declaration; `weak` may also be a usage (a property, assignment or heading). */
export type Standing = 'strong' | 'weak' | 'use';

const WORDS = [
  'function\\*?|class|interface|type|enum|namespace|module|const|let|var|def|fn|func|fun|struct|trait|union|mod|macro|macro_rules!|object',
  'record|protocol|extension|val|sub|proc|package|typedef|data|newtype|defn-?|defun|defmodule|defp|defmacro|actor|library|contract|event',
  'constant|annotation|inline|static|final|extern',
].join('|');
const SECOND = 'mut|ref|rec|async|class|enum|struct|fun|unsafe';
const SQL = 'table|view|function|procedure|index|trigger|type|schema';
const MODIFIERS = [
  'public|private|protected|internal|static|async|get|set|override|readonly|abstract|export|default|final|virtual|sealed',
  'synchronized|native|declare|accessor',
].join('|');
const IMPORTS =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#\s*include|require\b|export\s*(?:type\s*)?\{|export\s*\*|\}\s*from\b)/;
const STATEMENTS =
  /^\s*(?:return|else|new|throw|await|yield|case|in|of|delete|typeof|if|while|for|switch|and|or|not|assert|print|echo|raise|go|defer)\b/;
const TYPED = /\.(?:c|h|cc|cpp|cxx|hpp|hh|java|cs|dart|scala|groovy|m|mm|php|swift|kt|zig|sol|proto)$/i;
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/i;

const PLAIN_WORDS = WORDS.replace(/[*?!\\-]+/g, '');

/** Returns a regular expression that finds declarations of a name. The list of all uses is limited, so it may not contain them. */
export function declarationPattern(name: string): string {
  return `\\b(${PLAIN_WORDS})\\b[^=;(]{0,60}\\b${escapeRegex(name)}\\b`;
}

export function standingOf(line: string, name: string, path: string): Standing {
  const n = `(?<![\\w$])${escapeRegex(name)}(?![\\w$])`;
  const is = (source: string, flags = '') => new RegExp(source, flags).test(line);
  if (IMPORTS.test(line) && !is(`^\\s*import\\s+${n}\\s*=`)) return 'use';
  if (/^\s*(?:\/\/|#(?!define)|\*|\/\*|--(?!\w)|;;|<!--|"""|''')/.test(line))
    return /\.(?:md|markdown|mdx)$/i.test(path) && is(`^#+ .*${n}`) ? 'weak' : 'use';
  if (STATEMENTS.test(line)) return 'use';

  if (is(`(?:^|[\\s(;{])(?:${WORDS})\\s+(?:(?:${SECOND})\\s+)?(?:\\[[^\\]]*\\]\\s*)?(?:\\w+(?:\\.|::))?${n}`)) return 'strong';
  if (is(`^\\s*func\\s*\\([^)]*\\)\\s*${n}`) || is(`^\\s*#\\s*define\\s+${n}`)) return 'strong';
  if (is(`^\\s*impl(?:<[^>]*>)?\\s+(?:.*\\s+for\\s+)?${n}`)) return 'weak';
  if (is(`^\\s*create\\s+(?:(?:or\\s+replace|temp|temporary|unique)\\s+)*(?:${SQL})\\s+(?:if\\s+not\\s+exists\\s+)?["\`\\[]?${n}`, 'i'))
    return 'strong';
  if (SCRIPT.test(path)) {
    if (is(`^\\s*(?:(?:${MODIFIERS})\\s+)*[*#]?\\s*${n}\\s*(?:<[^>]*>)?\\([^)]*\\)?\\s*(?::[^={]+)?\\{?\\s*$`) && /\{\s*$/.test(line))
      return 'strong';
    if (is(`^\\s*(?:(?:${MODIFIERS})\\s+)*#?${n}\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|\\w+\\s*=>)`))
      return 'strong';
    if (is(`^\\s*(?:(?:${MODIFIERS})\\s+)+#?${n}[?!]?\\s*[:=;(]`)) return 'strong';
    if (is(`^\\s*${n}\\??\\s*:\\s*\\S`)) return 'weak';
  }
  if (/\.go$/.test(path) && (is(`^\\s+${n}\\s+(?:struct|interface|func|map)\\b`) || is(`^type\\s+${n}`))) return 'strong';
  if (/\.(?:css|scss|less|sass)$/i.test(path) && (is(`^\\s*[.#&]?-?${n}[^;]*\\{`) || is(`^\\s*(?:--|\\$|@)${n}\\s*:`))) return 'strong';
  if (/\.(?:sh|bash|zsh)$/.test(path) && is(`^\\s*(?:function\\s+)?${n}\\s*\\(\\)`)) return 'strong';
  if (TYPED.test(path)) {
    const type = '(?:[\\w:<>,\\[\\]?*&.]+\\s+)+[*&]*';
    if (is(`^\\s*${type}(?:\\w+::)?${n}\\s*\\([^;]*$`)) return 'strong';
    if (is(`^\\s*${type}${n}\\s*(?:=[^=]|;|\\[|\\()`)) return 'weak';
  }
  if (is(`^${n}\\s*(?::\\s*[^=]+)?=(?![=>])`) || is(`^["']?${n}["']?\\s*:(?!:)`))
    return /\.(?:py|rb|toml|ya?ml|sh|bash|mk|env|ini)$/i.test(path) ? 'strong' : 'weak';
  if (is(`^\\s*["']?${n}["']?\\s*(?:[:=](?![=>:])|:=)`)) return 'weak';
  if (/\.rb$/.test(path) && is(`^\\s*attr_\\w+\\s.*:${n}`)) return 'weak';
  return 'use';
}

/** Returns true if the line calls the name instead of only mentioning it. */
export function isCall(line: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${escapeRegex(name)}\\s*(?:<[^<>()]*>)?[!?]?(?:\\(|::<[^>]*>\\()`).test(line);
}
