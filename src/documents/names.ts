/** Recognizes documents by the extension of their names. */
import type { DocumentFormat } from './document.ts';

const EXTENSIONS: Record<Exclude<DocumentFormat, 'code'>, string> = {
  markdown: 'md markdown mdown mdx',
  html: 'html htm xhtml',
  text: 'txt text rst adoc asciidoc org',
  pdf: 'pdf',
  docx: 'docx',
  pptx: 'pptx',
  xlsx: 'xlsx',
  csv: 'csv tsv',
  notebook: 'ipynb',
};
const CODE =
  'ts tsx mts cts js jsx mjs cjs py rb go rs java kt kts swift c h cc cpp hpp cs php scala sh bash ps1 lua r pl dart ex exs erl hs ml clj sql';
const FORMATS = new Map<string, DocumentFormat>(
  Object.entries({ ...EXTENSIONS, code: CODE }).flatMap(([format, extensions]) =>
    extensions.split(' ').map((extension) => [extension, format as DocumentFormat] as const),
  ),
);
/** Files whose name has no extension, such as README. */
const PLAIN = /^(readme|license|licence|changelog|contributing|authors|notice|security|todo|faq|history)$/i;

/** Returns undefined if a file with this name is not a document. */
export function formatOfName(name: string): DocumentFormat | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  if (dot <= 0) return PLAIN.test(base) ? 'text' : undefined;
  return FORMATS.get(base.slice(dot + 1).toLowerCase());
}
