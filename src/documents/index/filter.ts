/** Translates filters of documents into SQL. */
import type { SearchOptions } from '../collections.ts';

/** Returns the pattern for SQLite's `glob`: a path without wildcards stands for itself and everything below it. */
export function globPattern(path: string): string {
  const literal = path.replaceAll('[', '[[]');
  return /[*?]/.test(path) ? literal.replace(/\*+/g, '*') : `${literal.replace(/\/$/, '')}*`;
}

/** Returns the conditions for the columns of the table of documents, whose names begin with `prefix`, and their values. */
export function filterConditions(filter: SearchOptions['filter'], prefix = ''): { conditions: string[]; values: string[] } {
  const conditions: string[] = [];
  const values: string[] = [];
  if (filter?.path) {
    conditions.push(`${prefix}key glob ?`);
    values.push(globPattern(filter.path));
  }
  if (filter?.format) {
    conditions.push(`${prefix}format = ?`);
    values.push(filter.format);
  }
  return { conditions, values };
}
