/** Recognizes documents by the extension of their names. */
import type { DocumentFormat } from './document.ts';

const EXTENSIONS: Record<DocumentFormat, string> = {
  markdown: 'md markdown mdx mkd mdown',
  html: 'html htm xhtml',
  text: 'txt text rst rest adoc asciidoc org log',
  pdf: 'pdf',
  docx: 'docx',
  pptx: 'pptx',
  xlsx: 'xlsx',
  csv: 'csv tsv tab',
  notebook: 'ipynb',
  code: 'ts tsx mts cts js jsx mjs cjs py pyi java kt kts cs go rs c h cc cpp hpp swift rb php scala dart sh lua zig',
};
const FORMATS = new Map<string, DocumentFormat>(
  Object.entries(EXTENSIONS).flatMap(([format, extensions]) =>
    extensions.split(' ').map((extension) => [extension, format as DocumentFormat] as const),
  ),
);
/** Files whose name has no extension, such as README. */
const PLAIN = /^(readme|license|licence|changelog|contributing|authors|notice|security|todo|faq|history)$/i;

/** Returns the format that an extension stands for. */
export function formatOfExtension(extension: string): DocumentFormat | undefined {
  return FORMATS.get(extension);
}

/** Returns undefined if a file with this name is not a document. */
export function formatOfName(name: string): DocumentFormat | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  if (dot <= 0) return PLAIN.test(base) ? 'text' : undefined;
  return formatOfExtension(base.slice(dot + 1).toLowerCase());
}
