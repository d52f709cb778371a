import type { Place } from '../../../documents/document.ts';

/** Returns a place as users write it: `line 12`, `page 3`, `sheet Costs, row 4`. */
export function placeText({ line, page, slide, sheet, row }: Place): string {
  if (page !== undefined) return `page ${page}`;
  if (slide !== undefined) return `slide ${slide}`;
  if (sheet !== undefined) return row === undefined ? `sheet ${sheet}` : `sheet ${sheet}, row ${row}`;
  if (row !== undefined) return `row ${row}`;
  return line === undefined ? '' : `line ${line}`;
}
