/**
 * Checks and reads mentions: files, folders, selections, problems, changes and pages that a user names in a message. A mention is read by
 * the tool that a model would use, and judged by the same policy. If the model would need approval, the user has to confirm the mention.
 */
import { isSameMention, MAX_MENTION_CHARS, MAX_MENTIONS, maxMentionsChars, type RefusedMention } from '../../core/model/mentions.ts';
import type { ImagePart, MentionRef, ModelRef, NotePart } from '../../core/model/messages.ts';
import type { Judgement } from '../../core/run/tool.ts';
import { type MentionToken, mentionsIn } from '../../core/words/mention-text.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import { decide } from '../../policy/decide.ts';
import { windowOf } from '../models/context-window.ts';
import { collectionIn } from './collections.ts';
import { isCutOff, type Kept, limited } from './content.ts';
import { MentionError } from './mention-error.ts';
import { promptIn, resourceIn, sessionIn } from './named.ts';
import { type MentionPorts, outlineOf, type Place, type Pointed, type Prepared, placeFor, prepare } from './sources.ts';

/**
 * The question that the user has to answer before the mention is read. `key` names the files, so that an answer applies only to the files
 * that were shown.
 */
export type Confirmation = { key: string; reason: string };
export type Confirm = (question: Confirmation, ref: MentionRef) => boolean | Promise<boolean>;
export type ReadMentions = { parts: (NotePart | ImagePart)[]; refused: RefusedMention[] };
/** `unknown` lists the mentions that do not refer to anything that exists. */
export type MentionsInText = { refs: MentionRef[]; unknown: MentionToken[] };

/**
 * Checks a mention. Returns it with its actual kind, and with a question if the user has to confirm it.
 * @throws MentionError
 */
export async function checkMention(ref: MentionRef, ports: MentionPorts): Promise<{ ref: MentionRef; question?: Confirmation }> {
  return explained(async () => {
    const place = await placeFor(ports);
    const known = await withKind(ref, place);
    const judgement = judge(await prepare(known, place, ports), place, ports);
    return { ref: known, ...(judgement.question && { question: judgement.question }) };
  });
}

/**
 * Reads mentions for a message. A mention that is refused or not confirmed is not read. Together, the mentions fill only a part of the
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
      // Space that a short mention does not use is available for the mentions after it.
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

/** Finds the mentions in a text, such as `@src/a.ts:10-20`, `@session:Title` and `@server:uri`, and the prompt of an MCP server, without reading them. */
export async function mentionsInText(text: string, ports: MentionPorts): Promise<MentionsInText> {
  const tokens = mentionsIn(text);
  const prompt = await promptIn(text, ports);
  const found: MentionsInText = { refs: prompt ? [prompt] : [], unknown: [] };
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
    const other =
      (await sessionIn(token.target, ports)) ?? (await resourceIn(token.target, ports)) ?? (await collectionIn(token.target, ports));
    if (other) {
      found.refs.push(other);
      continue;
    }
    // The name of a file may itself end with something that looks like line numbers.
    const whole = token.lines && (await kindOf(token.target));
    const kind = whole ?? (await kindOf(token.path));
    if (!kind) found.unknown.push(token);
    else if (whole || !token.lines || kind === 'folder') found.refs.push({ kind, path: whole ? token.target : token.path });
    else found.refs.push({ kind, path: token.path, lines: token.lines });
  }
  return found;
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
  const max = Math.min(MAX_MENTION_CHARS, room);
  const content = await prepared.read(signal, max);
  const text = typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
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

/**
 * Judges a mention like the call of a model in Ask mode. Sending the address of a page needs no approval, because the user named the page.
 */
function judge({ tool, targets, hosts, privateHost, mcp }: Prepared, { aliases, rules }: Place, { trusted }: MentionPorts) {
  const always = { trusted: trusted(), hookPlaces: [], aliases, rules, mode: tool.effect === 'external' ? 'agent' : 'ask' } as const;
  const decisions: Judgement[] = [
    ...targets
      .filter(({ path, names }) => !names && path !== '.')
      .map((target) => decide({ ...always, tool: { name: 'read_file', effect: 'readonly' }, name: 'read_file', targets: [target] })),
    ...(targets.length > 0 || hosts || tool.source !== undefined
      ? [decide({ ...always, tool, name: tool.name, targets, hosts, privateHost })]
      : []),
  ];
  const denied = decisions.find(({ kind }) => kind === 'deny');
  if (denied) throw new MentionError(denied.reason);
  const asked = decisions.find(({ kind, rule }) => kind === 'ask' && rule !== 'sends');
  const secret = decisions.some((each) => each.secret);
  const key = [...targets.map(({ path }) => path), ...(hosts ?? []), ...(mcp ? [mcp.server, mcp.description] : [])].join('\n');
  const reason = mcp && asked?.rule === 'mcp' ? `Reading it calls the MCP server ${mcp.server}, which runs outside Kedge.` : asked?.reason;
  return { ...(reason !== undefined && { question: { key, reason } }), ...(secret && { secret: true as const }) };
}

function withoutRepeats(refs: readonly Pointed[]): Pointed[] {
  return refs.filter((ref, index) => refs.findIndex((other) => isSameMention(ref, other) && ref.text === other.text) === index);
}

/** Converts an error from a tool or a path to a sentence for the user. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MentionError || !(error instanceof Error) || error.name === 'AbortError') throw error;
    throw new MentionError(error.message);
  }
}
