/** Detects escaped line breaks and code fences in text that a model wants to write. They would break the file, so the call is refused. */
import { ToolError } from '../../core/run/tool.ts';

/** File types in which a code fence is never valid. */
const CODE =
  /\.(?:py|[cm]?[jt]sx?|java|kts?|swift|go|rs|cs|php|s?css|less|json|ya?ml|toml|html?|vue|svelte|xml|c|h|cc|cpp|hpp|rb|lua|sh|sql)$/i;
const FENCED = /^\s*(`{3,}|~{3,})[\w+-]*[ \t]*\r?\n[\s\S]*\n\1\s*$/;
const ENDS_ESCAPED = /(?<!\\)(?:\\r)?\\n$/;

/** @throws ToolError when the whole content of a new file is escaped or inside a code fence. */
export function expectContent(content: string, path: string): void {
  if (!/[\r\n]/.test(content) && ENDS_ESCAPED.test(content))
    throw new ToolError(
      `The content of ${path} is one line that ends with the letters \\n: write line breaks as such, not escaped. If the letters are meant, put a line break after them. Nothing was changed.`,
    );
  if (CODE.test(path) && FENCED.test(content))
    throw new ToolError(
      `The content of ${path} is in a code fence, which would be a part of the file. Leave the fence out. Nothing was changed.`,
    );
}

/** @throws ToolError when the old text ends with a line break and the new text ends with an escaped one. */
export function expectBreak(old: string, now: string, what: string): void {
  if (/[\r\n]$/.test(old) && ENDS_ESCAPED.test(now))
    throw new ToolError(
      `${what} ends with the letters \\n where old_text ends with a line break: write line breaks as such, not escaped. If the letters are meant, put a line break after them. Nothing was changed.`,
    );
}
