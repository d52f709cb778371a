/**
 * Reads globs from the front matter of a rules file, which is the text between two lines `---` at its beginning. Only one key is read, and
 * not as YAML: rules files usually contain globs without quotes, such as `applyTo: **\/*.ts`, which are not valid YAML.
 */

/**
 * Returns the globs of a key. They can be one text with commas, a list in brackets, or a list with one line for each glob. Returns an
 * empty list if the key is missing or has no value.
 */
export function globsIn(head: readonly string[], key: string): string[] {
  const at = head.findIndex((line) => line.startsWith(`${key}:`));
  if (at < 0) return [];
  const value = withoutComment((head[at] as string).slice(key.length + 1).trim());
  if (value !== '') return value.startsWith('[') && value.endsWith(']') ? listOf(value.slice(1, -1)) : listOf(unquoted(value));
  const rest = head.slice(at + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && !/^\s*- /.test(line));
  return rest.slice(0, end < 0 ? rest.length : end).flatMap((line) => listOf(withoutComment(line.trim().replace(/^- /, '').trim())));
}

/** Splits at commas that are not inside braces: `*.{ts,tsx}` is one glob. */
function listOf(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '{') depth++;
    if (letter === '}') depth = Math.max(0, depth - 1);
    if (letter === ',' && depth === 0) items.push('');
    else items[items.length - 1] += letter;
  }
  return items.map((item) => unquoted(item.trim())).filter((item) => item !== '');
}

function unquoted(text: string): string {
  const quote = text[0];
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1).trim() : text;
}

/** A comment begins with a `#` after a space. After a quoted text or a list, only spaces may precede it. */
function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  const closing = { '"': '"', "'": "'", '[': ']' }[text[0] ?? ''];
  if (closing === undefined) return text.split(/\s#/, 1)[0]?.trimEnd() ?? '';
  const end = text.indexOf(closing, 1) + 1;
  return end > 0 && /^\s+#/.test(text.slice(end)) ? text.slice(0, end) : text;
}
