/**
 * What users point at: files, folders, selections, problems, changes, pages. A mention is read by the tool with which a model would read it,
 * and judged by the same policy. Where a model would need an approval, the user has to confirm the mention.
 */
import { isSameMention, MAX_MENTION_CHARS, MAX_MENTIONS, maxMentionsChars, type RefusedMention } from '../../core/model/mentions.ts';
import type { ImagePart, MentionRef, ModelRef, NotePart } from '../../core/model/messages.ts';
import type { Judgement, PreparedCall, Tool, ToolOutput } from '../../core/run/tool.ts';
import { type MentionToken, mentionsIn } from '../../core/words/mention-text.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import { decide } from '../../policy/decide.ts';
import { withheldFilter } from '../../policy/unreadable-files.ts';
import { listDirectoryTool } from '../../tools/files/list-directory.ts';
import { readFileTool } from '../../tools/files/read-file.ts';
import { getDiagnosticsTool } from '../../tools/languages/get-diagnostics.ts';
import { documentSymbolsTool } from '../../tools/languages/symbols.ts';
import { fetchUrlTool } from '../../tools/network/fetch-url.ts';
import { aliasesIn } from '../../workspace/aliases.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { windowOf } from '../models/context-window.ts';
import type { AssistantPorts } from '../ports.ts';
import { policySettings } from '../run/judge.ts';
import { isCutOff, type Kept, limited } from './content.ts';
import { MentionError } from './mention-error.ts';

export type MentionPorts = Pick<
  AssistantPorts,
  'fileSystem' | 'policy' | 'trusted' | 'languages' | 'fetcher' | 'changes' | 'terminalOutput' | 'settings' | 'facts' | 'windows' | 'now'
>;

/** Why the user has to confirm a mention. `key` names the files, so that an answer counts only for the files that were shown. */
export type Confirmation = { key: string; reason: string };
export type Confirm = (question: Confirmation, ref: MentionRef) => boolean | Promise<boolean>;
export type ReadMentions = { parts: (NotePart | ImagePart)[]; refused: RefusedMention[] };
/** What a message points at. The host passes the `text` of an attachment, which is not read from anywhere. */
export type Pointed = MentionRef & { text?: string };
/** `unknown` lists the mentions that name no file or folder. */
export type MentionsInText = { refs: MentionRef[]; unknown: MentionToken[] };

/** A mention that can be judged and then read. */
type Prepared = Pick<PreparedCall, 'targets' | 'hosts' | 'privateHost'> & {
  tool: Pick<Tool, 'name' | 'effect'>;
  read(signal: AbortSignal): Promise<ToolOutput['content']>;
};
type Place = Awaited<ReturnType<typeof placeFor>>;

/** Checks what the user points at. Returns it with the kind that it has, and a question if the user has to confirm it. @throws MentionError */
export async function checkMention(ref: MentionRef, ports: MentionPorts): Promise<{ ref: MentionRef; question?: Confirmation }> {
  return explained(async () => {
    const place = await placeFor(ports);
    const known = await withKind(ref, place);
    const judgement = judge(await prepare(known, place, ports), place, ports);
    return { ref: known, ...(judgement.question && { question: judgement.question }) };
  });
}

/**
 * Reads mentions for a message. Of a mention that is refused or not confirmed, nothing is read. All of them together fit into a part of the
 * `model`'s context window.
 */
export async function readMentions(
  refs: readonly Pointed[],
  ports: MentionPorts,
  confirm: Confirm,
  signal: AbortSignal,
  model?: ModelRef,
): Promise<ReadMentions> {
  const all: ReadMentions = { parts: [], refused: [] };
  const place = await placeFor(ports);
  const pointed = withoutRepeats(refs);
  let room = maxMentionsChars(model && windowOf(model, ports));
  let left = Math.min(pointed.length, MAX_MENTIONS);
  for (const [index, ref] of pointed.entries()) {
    try {
      signal.throwIfAborted();
      if (index >= MAX_MENTIONS) throw new MentionError(`A message can contain at most ${MAX_MENTIONS} mentions.`);
      // What a short mention does not need is left to those that follow.
      const share = Math.floor(room / left);
      left -= 1;
      const parts = await explained(() => readMention(ref, { place, ports, confirm, room: share, signal }));
      for (const part of parts) if (part.type === 'note') room = Math.max(0, room - part.text.length);
      all.parts.push(...parts);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof MentionError)) throw error;
      all.refused.push({ ref, reason: error.message });
    }
  }
  return all;
}

/** Finds the files and folders that a text mentions, such as `@src/a.ts:10-20`. Nothing is read. */
export async function mentionsInText(text: string, ports: MentionPorts): Promise<MentionsInText> {
  const tokens = mentionsIn(text);
  const found: MentionsInText = { refs: [], unknown: [] };
  if (tokens.length === 0) return found;
  const { workspace } = await placeFor(ports);
  const kindOf = async (path: string): Promise<MentionRef['kind'] | undefined> => {
    try {
      const stat = await workspace.stat((await workspace.resolve(path)).at);
      return stat?.type === 'directory' ? 'folder' : stat?.type === 'file' ? 'file' : undefined;
    } catch {
      return undefined;
    }
  };
  for (const token of tokens) {
    // A file name may end like line numbers.
    const whole = token.lines && (await kindOf(token.target));
    const kind = whole ?? (await kindOf(token.path));
    if (!kind) found.unknown.push(token);
    else if (whole || !token.lines || kind === 'folder') found.refs.push({ kind, path: whole ? token.target : token.path });
    else found.refs.push({ kind, path: token.path, lines: token.lines });
  }
  return found;
}

/** The workspace without the files that `.kedgeignore` excludes, and the rules that hold now. */
async function placeFor(ports: MentionPorts) {
  const fs = ports.fileSystem();
  const aliases = aliasesIn(fs.folders);
  const { rules } = policySettings(ports);
  const workspace = new Workspace(await withIgnoreFiles(fs), (call) => withheldFilter(rules, call, aliases));
  return { workspace, aliases, rules };
}

async function withKind(ref: Pointed, { workspace }: Place): Promise<Pointed> {
  if (!hasPlace(ref)) return ref;
  const named = workspace.display(await workspace.locate(ref.path));
  const stat = await workspace.stat((await workspace.resolve(ref.path)).at);
  if (!stat) throw new MentionError(`There is no file ${named}.`);
  if (stat.type === 'directory') return { kind: 'folder', path: named };
  return { ...ref, kind: ref.kind === 'folder' ? 'file' : ref.kind, path: named };
}

function hasPlace(ref: Pointed): ref is Pointed & { path: string } {
  return ref.path !== undefined && ['file', 'folder', 'selection', 'symbol'].includes(ref.kind);
}

type Reading = { place: Place; ports: MentionPorts; confirm: Confirm; room: number; signal: AbortSignal };

async function readMention(wanted: Pointed, { place, ports, confirm, room, signal }: Reading): Promise<(NotePart | ImagePart)[]> {
  const ref = await withKind(wanted, place);
  const prepared = await prepare(ref, place, ports);
  const { question, secret } = judge(prepared, place, ports);
  if (question && !(await confirm(question, ref))) throw new MentionError(`${question.reason} You have not confirmed it.`);
  const content = await prepared.read(signal);
  const text = typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
  const max = Math.min(MAX_MENTION_CHARS, room);
  const outline =
    isCutOff(text, max) && prepared.tool.name === 'read_file' && !ref.lines ? await outlineOf(ref, place, ports, signal) : undefined;
  const { secret: _, text: __, ...named } = ref;
  const noted = limited(visibleText(text), { outline: outline && visibleText(outline), max, kept: keptOf(prepared.tool.name) });
  const note: NotePart = { type: 'note', about: 'mention', text: noted, ref: { ...named, ...(secret && { secret }) } };
  return [note, ...(typeof content === 'string' ? [] : content.filter((part) => part.type === 'image'))];
}

function keptOf(tool: string): Kept {
  if (tool === 'read_file') return 'file';
  return tool === 'terminal' ? 'tail' : 'head';
}

async function prepare(ref: Pointed, { workspace }: Place, ports: MentionPorts): Promise<Prepared> {
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
      if (!ports.languages) throw new MentionError('Problems are known only in the editor.');
      return byTool(getDiagnosticsTool(workspace, ports.languages), path === undefined ? {} : { path });
    case 'url':
      if (!ports.fetcher || !ports.trusted()) throw new MentionError('Web pages can be mentioned only in a trusted workspace.');
      return byTool(fetchUrlTool(ports.fetcher), { url: path ?? '' });
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
      if (output === undefined) throw new MentionError('There is no output of a command in a terminal.');
      return { tool: { name: 'terminal', effect: 'readonly' }, targets: [], read: async () => output };
    }
  }
  async function byTool(tool: Tool, input: object): Promise<Prepared> {
    const call = await tool.prepare(input, never);
    const read = async (signal: AbortSignal) => {
      const unused = () => undefined;
      const context = {
        callId: 'mention',
        signal,
        progress: unused,
        record: unused,
        ask: () => Promise.reject(new Error('A mention asks nothing.')),
      };
      const { content, isError } = await call.execute(context);
      if (isError) throw new MentionError(String(content).split('\n', 1)[0] as string);
      return content;
    };
    return { ...call, tool, read };
  }
}

async function changesIn(workspace: Workspace, { changes }: MentionPorts, signal: AbortSignal): Promise<string> {
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

/** Judges a mention as the call of a model in Ask mode. A page that the user names is fetched in the user's name. */
function judge({ tool, targets, hosts, privateHost }: Prepared, { aliases, rules }: Place, { trusted }: MentionPorts) {
  const always = { trusted: trusted(), hookPlaces: [], aliases, rules, mode: tool.effect === 'external' ? 'agent' : 'ask' } as const;
  const decisions: Judgement[] = [
    ...targets
      .filter(({ path, names }) => !names && path !== '.')
      .map((target) => decide({ ...always, tool: { name: 'read_file', effect: 'readonly' }, name: 'read_file', targets: [target] })),
    ...(targets.length > 0 || hosts ? [decide({ ...always, tool, name: tool.name, targets, hosts, privateHost })] : []),
  ];
  const denied = decisions.find(({ kind }) => kind === 'deny');
  if (denied) throw new MentionError(denied.reason);
  const asked = decisions.find(({ kind, rule }) => kind === 'ask' && rule !== 'sends');
  const secret = decisions.some((each) => each.secret);
  const key = [...targets.map(({ path }) => path), ...(hosts ?? [])].join('\n');
  return { ...(asked && { question: { key, reason: asked.reason } }), ...(secret && { secret: true as const }) };
}

async function outlineOf(
  ref: MentionRef,
  { workspace }: Place,
  { languages }: MentionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!languages) return undefined;
  try {
    const call = await documentSymbolsTool(workspace, languages).prepare({ path: ref.path }, signal);
    const { content } = await call.execute({ callId: 'mention', signal } as Parameters<PreparedCall['execute']>[0]);
    return /^\d+: /.test(String(content)) ? String(content) : undefined;
  } catch {
    return undefined;
  }
}

function withoutRepeats(refs: readonly Pointed[]): Pointed[] {
  return refs.filter((ref, index) => refs.findIndex((other) => isSameMention(ref, other) && ref.text === other.text) === index);
}

/** Turns an error of a tool or a path into a sentence for the user. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MentionError || !(error instanceof Error) || error.name === 'AbortError') throw error;
    throw new MentionError(error.message);
  }
}
