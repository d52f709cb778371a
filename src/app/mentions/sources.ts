/** Chooses how a mention is read: by one of Kedge's tools, by an MCP server, from the digest of an earlier session, or by the host. */
import type { MentionRef } from '../../core/model/messages.ts';
import type { ExecuteContext, PreparedCall, Tool, ToolOutput } from '../../core/run/tool.ts';
import { listDirectoryTool } from '../../tools/files/list-directory.ts';
import { readFileTool } from '../../tools/files/read-file.ts';
import { getDiagnosticsTool } from '../../tools/languages/get-diagnostics.ts';
import { documentSymbolsTool } from '../../tools/languages/symbols.ts';
import { fetchUrlTool } from '../../tools/network/fetch-url.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';
import { policySettings, withheldFilterOf } from '../run/judge.ts';
import { collectionsFor, collectionText } from './collections.ts';
import { MentionError } from './mention-error.ts';
import { sessionDigest } from './session-digest.ts';

export type MentionPorts = Pick<
  AssistantPorts,
  | 'fileSystem'
  | 'store'
  | 'policy'
  | 'trusted'
  | 'languages'
  | 'fetcher'
  | 'changes'
  | 'terminalOutput'
  | 'mcp'
  | 'documents'
  | 'settings'
  | 'facts'
  | 'windows'
  | 'shellParsers'
  | 'gitSettings'
  | 'unattended'
  | 'commands'
  | 'now'
>;

/** A mention of a message. The host passes the `text` of an attachment, because it is not read from a file. */
export type Pointed = MentionRef & { text?: string };
/** A mention that can be judged and then read. */
export type Prepared = Pick<PreparedCall, 'targets' | 'hosts' | 'privateHost' | 'mcp'> & {
  tool: Pick<Tool, 'name' | 'effect'> & { source?: string };
  /** `most` is the number of characters that are sent. */
  read(signal: AbortSignal, most: number): Promise<ToolOutput['content']>;
};
export type Place = Awaited<ReturnType<typeof placeFor>>;

/** The workspace without the files that `.kedgeignore` excludes, and the current rules. */
export async function placeFor(ports: MentionPorts) {
  const fs = ports.fileSystem();
  const aliases = aliasesIn(fs.folders);
  const { rules } = policySettings(ports);
  const workspace = new Workspace(await withIgnoreFiles(fs), withheldFilterOf(ports));
  return { workspace, aliases, rules };
}

/** Prepares a mention. Nothing is read yet. @throws MentionError if it cannot be read */
export async function prepare(ref: Pointed, { workspace }: Place, ports: MentionPorts): Promise<Prepared> {
  const { path, lines } = ref;
  const never = new AbortController().signal;
  switch (ref.kind) {
    case 'file':
    case 'selection':
    case 'symbol':
      return byTool(readFileTool(workspace), { path: path ?? '', ...(lines && { from_line: lines.from, to_line: lines.to }) });
    case 'folder':
      return byTool(listDirectoryTool(workspace), { path: path ?? '.' });
    case 'problems':
      if (!ports.languages) throw new MentionError('Problems are only available in the editor.');
      return byTool(getDiagnosticsTool(workspace, ports.languages), path === undefined ? {} : { path });
    case 'url':
      if (!ports.fetcher || !ports.trusted()) throw new MentionError('Web pages can be mentioned only in a trusted workspace.');
      return byTool(fetchUrlTool(ports.fetcher), { url: path ?? '' });
    case 'resource': {
      const reader = ref.server === undefined ? undefined : await ports.mcp?.resourceReader?.(ref.server);
      if (!reader) throw new MentionError(`There is no MCP server ${ref.server}. Check the name, or add the server in the settings.`);
      return byTool(reader, { uri: path ?? '' });
    }
    case 'session':
      return {
        tool: { name: 'recall', effect: 'readonly', source: 'builtin' },
        targets: [],
        read: (_, most) => sessionDigest(path ?? '', workspace, ports, most),
      };
    case 'collection': {
      const found = (await collectionsFor(ports)).find(({ name }) => name === path);
      if (!found) throw new MentionError(`There is no collection ${path}. Check the name, or add it on the Documents page.`);
      return {
        tool: { name: 'documents_search', effect: 'readonly', source: 'builtin' },
        targets: [],
        read: async () => collectionText(found),
      };
    }
    case 'changes':
      if (!ports.changes || !ports.trusted()) throw new MentionError('Changes can be mentioned only in a trusted workspace.');
      return { tool: { name: 'changes', effect: 'readonly' }, targets: [], read: (signal) => changesIn(workspace, ports, signal) };
    case 'attachment': {
      const { text } = ref;
      if (text === undefined) throw new MentionError('Its content is not available.');
      return { tool: { name: 'attachment', effect: 'readonly' }, targets: [], read: async () => text };
    }
    case 'terminal': {
      const output = ports.terminalOutput?.();
      if (output === undefined) throw new MentionError('There is no command output to send. Run a command in the terminal first.');
      return { tool: { name: 'terminal', effect: 'readonly' }, targets: [], read: async () => output };
    }
  }
  async function byTool(tool: Tool, input: object): Promise<Prepared> {
    const call = await tool.prepare(input, never);
    const read = async (signal: AbortSignal) => {
      const { content, isError } = await call.execute(contextFor(signal));
      if (isError) throw new MentionError(String(content).split('\n', 1)[0] as string);
      return content;
    };
    return { ...call, tool, read };
  }
}

function contextFor(signal: AbortSignal): ExecuteContext {
  const unused = () => undefined;
  const ask = () => Promise.reject(new Error('A mention cannot ask a question.'));
  return { callId: 'mention', signal, progress: unused, record: unused, ask };
}

export async function changesIn(workspace: Workspace, { changes }: Pick<MentionPorts, 'changes'>, signal: AbortSignal): Promise<string> {
  const { folders } = workspace.fs;
  const isWithheld = workspace.withheldFiles();
  const diffs = await Promise.all(
    folders.map(async ({ name }, folder) => {
      const diff = await changes?.({ folder, path: '' }, (path) => isWithheld({ folder, path }), signal);
      return diff === undefined ? [] : [folders.length > 1 ? `Changes in ${name}:\n${diff}` : diff];
    }),
  );
  if (diffs.flat().length === 0) throw new MentionError('The workspace is not in a Git repository.');
  return diffs.flat().join('\n\n');
}

/** Returns the outline of a file, or undefined if the editor cannot provide it. */
export async function outlineOf(
  ref: MentionRef,
  { workspace }: Place,
  { languages }: MentionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!languages) return undefined;
  try {
    const call = await documentSymbolsTool(workspace, languages).prepare({ path: ref.path }, signal);
    const { content } = await call.execute(contextFor(signal));
    return /^\d+: /.test(String(content)) ? String(content) : undefined;
  } catch {
    return undefined;
  }
}
