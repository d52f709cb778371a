/** Slips in a text that a model wants to write, which nothing in a file can show; pure. Each is refused: the file would be broken by it. */
import { ToolError } from '../../core/run/tool.ts';

/** In these a code fence is part of no valid file. */
const CODE =
  /\.(?:py|[cm]?[jt]sx?|java|kts?|swift|go|rs|cs|php|s?css|less|json|ya?ml|toml|html?|vue|svelte|xml|c|h|cc|cpp|hpp|rb|lua|sh|sql)$/i;
const FENCED = /^\s*(`{3,}|~{3,})[\w+-]*[ \t]*\r?\n[\s\S]*\n\1\s*$/;
const ENDS_ESCAPED = /(?<!\\)(?:\\r)?\\n$/;

/** @throws ToolError where the content of a new file is escaped as a whole, or in a code fence. */
export function expectContent(content: string, path: string): void {
  if (!/[\r\n]/.test(content) && ENDS_ESCAPED.test(content))
    throw new ToolError(
      `The content of ${path} is one line that ends with the letters \\n: write line breaks as such, not escaped. If the letters are meant, put a line break behind them. Nothing was changed.`,
    );
  if (CODE.test(path) && FENCED.test(content))
    throw new ToolError(
      `The content of ${path} is in a code fence, which would be a part of the file. Leave the fence out. Nothing was changed.`,
    );
}

/** @throws ToolError where a passage ends with its line, and what is to stand there ends with an escaped line break. */
export function expectBreak(old: string, now: string, what: string): void {
  if (/[\r\n]$/.test(old) && ENDS_ESCAPED.test(now))
    throw new ToolError(
      `${what} ends with the letters \\n where old_text ends with a line break: write line breaks as such, not escaped. If the letters are meant, put a line break behind them. Nothing was changed.`,
    );
}
