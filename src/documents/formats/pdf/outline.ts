/** Reads the outline of a PDF, which other programs show as bookmarks. */
import type { PDFDocumentProxy } from 'unpdf/pdfjs';

export type OutlineEntry = { title: string; level: number; page: number | undefined };

const MAX_ENTRIES = 5_000;
const MAX_DEPTH = 6;

type Item = { title: string; dest: unknown; items?: Item[] };

/** Returns the entries in reading order. A damaged outline is treated as missing. */
export async function outlineOf(pdf: PDFDocumentProxy): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = [];
  const walk = async (items: readonly Item[], level: number): Promise<void> => {
    for (const { title, dest, items: below = [] } of items) {
      if (entries.length >= MAX_ENTRIES) return;
      entries.push({ title: title.slice(0, 500), level, page: await pageOf(pdf, dest) });
      if (level < MAX_DEPTH) await walk(below, level + 1);
    }
  };
  try {
    await walk(((await pdf.getOutline()) ?? []) as Item[], 1);
  } catch {
    // Headings are then told by their size only.
  }
  return entries;
}

async function pageOf(pdf: PDFDocumentProxy, dest: unknown): Promise<number | undefined> {
  try {
    const target = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
    const [page] = Array.isArray(target) ? target : [];
    if (typeof page === 'number') return page + 1;
    return page ? (await pdf.getPageIndex(page)) + 1 : undefined;
  } catch {
    return undefined;
  }
}
