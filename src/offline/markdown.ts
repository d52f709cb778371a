/** Formats answers as short lists of places. Each place is written in a form that the host can turn into a link. */
import type { FileHits } from './results.ts';

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

export function inlineCode(text: string, max = 110): string {
  const line = text.trim().replace(/\s+/g, ' ');
  const excerpt = line.length > max ? `${line.slice(0, max)}…` : line;
  if (excerpt === '') return '';
  return excerpt.includes('`') ? `\`\` ${excerpt} \`\`` : `\`${excerpt}\``;
}

export function place(path: string, line: number, text = ''): string {
  const code = inlineCode(text);
  return `${path}:${line}${code && ` ${code}`}`;
}

export function places(files: readonly FileHits[]): string[] {
  return files.flatMap(({ path, hits }) => hits.map(({ line, text }) => place(path, line, text)));
}

/** @param what a noun for the omitted items, such as `files` */
export function bullets(items: readonly string[], max = 25, what = ''): string {
  const lines = items.slice(0, max).map((item) => `- ${item}`);
  if (items.length > max) lines.push(`- … and ${items.length - max} more ${what}`.trimEnd());
  return lines.join('\n');
}

/** Lists every line if there are few, otherwise the first line of each file. */
export function placeList(files: readonly FileHits[], max = 25): string {
  const all = places(files);
  if (all.length <= max) return bullets(all, max);
  const first = files.map(({ path, hits }) => {
    const rest = hits.length > 1 ? `, and ${count(hits.length - 1, 'more line')} there` : '';
    return `${place(path, hits[0]?.line ?? 1, hits[0]?.text)}${rest}`;
  });
  return bullets(first, max, 'files');
}

export function paragraphs(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n');
}

/** Splits text into pieces of a few words for streaming; joined, they are the original text. */
export function pieces(text: string, words = 3): string[] {
  return text.match(new RegExp(`(?:\\s*\\S+){1,${words}}\\s*|\\s+`, 'g')) ?? [];
}
