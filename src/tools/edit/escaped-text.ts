/**
 * Detects escaped line breaks and code fences in text that a model wants to write. Such a call is refused, because the file would be
 * invalid.
 */
import { ToolError } from '../../core/run/tool.ts';

/** File types in which a code fence is never valid. */
const CODE =
  /\.(?:py|[cm]?[jt]sx?|java|kts?|swift|go|rs|cs|php|s?css|less|json|ya?ml|toml|html?|vue|svelte|xml|c|h|cc|cpp|hpp|rb|lua|sh|sql)$/i;
const FENCED = /^\s*(`{3,}|~{3,})[\w+-]*[ \t]*\r?\n[\s\S]*\n\1\s*$/;
const ENDS_ESCAPED = /(?<!\\)(?:\\r)?\\n$/;

/** @throws ToolError when the complete content of a new file is escaped or inside a code fence. */
export function expectContent(content: string, path: string): void {
  if (!/[\r\n]/.test(content) && ENDS_ESCAPED.test(content))
    throw new ToolError(
      `The content of ${path} is one line that ends with the characters \\n. Write line breaks instead of \\n. If the file must contain these characters, add a line break after them. Nothing was changed.`,
    );
  if (CODE.test(path) && FENCED.test(content))
    throw new ToolError(
      `The content of ${path} is in a code fence, which would become a part of the file. Remove the code fence. Nothing was changed.`,
    );
}

/** @throws ToolError when the old text ends with a line break and the new text ends with an escaped one. */
export function expectBreak(old: string, now: string, what: string): void {
  if (/[\r\n]$/.test(old) && ENDS_ESCAPED.test(now))
    throw new ToolError(
      `${what} ends with the characters \\n, but old_text ends with a line break. Write line breaks instead of \\n. If the file must contain these characters, add a line break after them. Nothing was changed.`,
    );
}
