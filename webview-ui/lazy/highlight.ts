/** Highlights code. The module is loaded with the first code block in a known language. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dart from 'highlight.js/lib/languages/dart';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import perl from 'highlight.js/lib/languages/perl';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scala from 'highlight.js/lib/languages/scala';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, dart, diff, dockerfile, go, graphql, ini, java, javascript, json, kotlin, lua, makefile },
  ...{ markdown, perl, php, powershell, python, r, ruby, rust, scala, scss, shell, sql, swift, typescript, xml, yaml },
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(['jsonc', 'json5', 'jsonl'], { languageName: 'json' });
hljs.registerAliases(['vue', 'svelte'], { languageName: 'xml' });
hljs.registerAliases(['less'], { languageName: 'scss' });

/** A piece of code. `kind` is the name of a color in `styles/code.css`. */
export type Span = { text: string; kind?: string };

/** Returns undefined for a language that is not known. */
export function highlight(code: string, language: string): Span[] | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  return spansOf(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

/** Reads what highlight.js writes: text with entities, and elements `<span class="hljs-…">`. The innermost element gives the color. */
function spansOf(html: string): Span[] {
  const spans: Span[] = [];
  const open: (string | undefined)[] = [];
  for (const [piece, kind] of html.matchAll(/<span class="(?:hljs-)?([\w-]+)[^>]*>|<\/span>|[^<]+/g)) {
    if (kind !== undefined) open.push(kind);
    else if (piece === '</span>') open.pop();
    else {
      const text = piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
      const inner = open.at(-1);
      spans.push({ text, ...(inner !== undefined && { kind: inner }) });
    }
  }
  return spans;
}
