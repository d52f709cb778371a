/** Describes tool calls for clients: their kind, the files that they concern, and the diffs of their changes. */
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolResult } from '../../../core/model/messages.ts';
import type { ChangeSummary, Target } from '../../../core/session/effects.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import { decodeText } from '../../../workspace/content.ts';
import { parsePath } from '../../../workspace/paths.ts';
import type { BlobStore } from '../../../workspace/types.ts';
import type { NodeFileSystem } from '../../node/files/file-system.ts';
import { diffMarkdown, resultMarkdown, textContent } from './markdown.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_directory: 'read',
  command_output: 'read',
  get_diagnostics: 'read',
  find_files: 'search',
  search_text: 'search',
  go_to_definition: 'search',
  find_references: 'search',
  document_symbols: 'search',
  workspace_symbols: 'search',
  recall: 'search',
  create_file: 'edit',
  create_directory: 'edit',
  replace_in_file: 'edit',
  apply_patch: 'edit',
  apply_code: 'edit',
  rename_symbol: 'edit',
  delete_file: 'delete',
  move_file: 'move',
  run_command: 'execute',
  fetch_url: 'fetch',
  browse: 'fetch',
  propose_plan: 'think',
  update_step: 'think',
  todo: 'think',
  remember: 'think',
};

/** A longer file is displayed as a unified diff instead of its complete contents. */
const MAX_DIFF_CHARS = 400_000;

export function kindOf(tool: string): ToolKind {
  return Object.hasOwn(KINDS, tool) ? (KINDS[tool] as ToolKind) : 'other';
}

/** The files of a session as clients name them. */
export class ClientPaths {
  readonly #fs: NodeFileSystem;
  readonly #blobs: BlobStore;

  constructor(fs: NodeFileSystem, blobs: BlobStore) {
    this.#fs = fs;
    this.#blobs = blobs;
  }

  /** Returns the absolute path of a path in the workspace. A path that is not in the workspace is returned unchanged. */
  absolute(path: string): string {
    try {
      return this.#fs.absolute(parsePath(path, this.#fs.folders));
    } catch {
      return path;
    }
  }

  locations(targets: readonly Target[]): ToolCallLocation[] {
    return targets.map(({ path }) => ({ path: this.absolute(path) }));
  }

  /** Returns the diffs of changes. Hidden characters in them are made visible. */
  async diffs(changes: readonly ChangeSummary[]): Promise<ToolCallContent[]> {
    return Promise.all(changes.map((change) => this.#diff(change)));
  }

  async #diff(change: ChangeSummary): Promise<ToolCallContent> {
    const [before, after] = await Promise.all([this.#text(change.before), this.#text(change.after)]);
    const isWhole = (change.before === undefined || before !== undefined) && (change.after === undefined || after !== undefined);
    if (isWhole && (before?.length ?? 0) + (after?.length ?? 0) <= MAX_DIFF_CHARS && !change.path.endsWith('/'))
      return { type: 'diff', path: this.absolute(change.path), oldText: before ?? null, newText: after ?? '' };
    return textContent(diffMarkdown(change));
  }

  async #text(hash: string | undefined): Promise<string | undefined> {
    const bytes = hash === undefined ? undefined : await this.#blobs.get(hash).catch(() => undefined);
    const text = bytes && decodeText(bytes);
    return text === undefined ? undefined : visibleText(text);
  }
}

/** Returns the content of a result: text as code, and images. */
export function resultContent({ content }: ToolResult): ToolCallContent[] {
  return content.flatMap((part): ToolCallContent[] => {
    if (part.type === 'image') return [{ type: 'content', content: { type: 'image', data: part.data, mimeType: part.mediaType } }];
    if (part.type === 'note' && part.about === 'rules') return [];
    return part.text.trim() ? [textContent(resultMarkdown(part.text))] : [];
  });
}
