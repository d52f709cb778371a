/** Loads and runs the shell grammars, which are WebAssembly files. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Language, type Node, Parser, type TreeCursor } from 'web-tree-sitter';
import type { ShellNode, ShellParser } from '../../../policy/commands/shells/syntax.ts';

/** No real command is nested this deep, and a deeper recursion could exhaust the stack. */
const MAX_DEPTH = 150;
/** Ordinary commands take less than a millisecond. A command that is built to take long is treated as not parsable. */
const MAX_MILLISECONDS = 200;

export async function loadGrammar(grammar: 'bash' | 'powershell'): Promise<ShellParser> {
  await Parser.init({ wasmBinary: await readWasm('web-tree-sitter.wasm', 'web-tree-sitter') });
  const language = await Language.load(await readWasm(`tree-sitter-${grammar}.wasm`, '@vscode/tree-sitter-wasm/wasm'));
  const parser = new Parser();
  parser.setLanguage(language);
  return { parse: (command) => parse(parser, command) };
}

/** Reads a WebAssembly file: beside the built program, where it is compressed, or in the npm package when the sources run without a build. */
async function readWasm(name: string, folder: string): Promise<Uint8Array> {
  const bundled = join(import.meta.dirname, `${name}.br`);
  if (existsSync(bundled)) return promisify(brotliDecompress)(await readFile(bundled));
  return readFile(join(import.meta.dirname, '../../../../node_modules', folder, name));
}

function parse(parser: Parser, command: string): ShellNode | undefined {
  let tree: ReturnType<Parser['parse']> = null;
  let cursor: TreeCursor | undefined;
  try {
    parser.reset();
    const deadline = performance.now() + MAX_MILLISECONDS;
    tree = parser.parse(command, null, { progressCallback: () => performance.now() > deadline });
    cursor = tree?.walk();
    return cursor ? nodeAt(cursor, command, 0) : undefined;
  } catch {
    return undefined;
  } finally {
    // A cursor that is left to the garbage collector frees memory that it no longer owns, which breaks every later parse.
    cursor?.delete();
    tree?.delete();
  }
}

function nodeAt(cursor: TreeCursor, command: string, depth: number): ShellNode {
  if (depth > MAX_DEPTH) throw new Error('The command is nested too deeply.');
  const children: ShellNode[] = [];
  const node: Node = cursor.currentNode;
  const field = cursor.currentFieldName ?? undefined;
  if (cursor.gotoFirstChild()) {
    do children.push(nodeAt(cursor, command, depth + 1));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  const { startIndex: start, endIndex: end } = node;
  const hasError = node.hasError || node.isMissing;
  return { type: node.type, field, text: command.slice(start, end), start, end, isNamed: node.isNamed, hasError, children };
}
