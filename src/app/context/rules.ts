/**
 * Creates the notes to the model about rules files. Rules at the top of the folders are sent before a run, and other rules together with
 * the calls that they apply to.
 */

import { keyOf, rulesInForce, type SourcedNote } from '../../core/context/rules-in-force.ts';
import type { Message } from '../../core/model/messages.ts';
import type { PreparedCall } from '../../core/run/tool.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { digestOf } from './digest.ts';
import { DIRECTORY_RULES, type RulesFiles, RulesReader, type RulesSource, type ScopedFile } from './rules-reader.ts';

/** The maximum length of one note, and of all rules in force, in characters. */
export type RulesLimits = { file: number; total: number };

const LIMITS: RulesLimits = { file: 32_000, total: 64_000 };
/** With a small context window, rules use at most a tenth of it. A token has about 4 characters. */
const CHARACTERS_PER_WINDOW_TOKEN = 0.4;
/** The maximum length of the names of the files in a note, and of the globs that they apply to, in characters. */
const MAX_LIST = 500;
/** The minimum number of characters of a rules file. If less of the file would fit, the file is not sent. */
const MIN_CONTENT = 200;
/** The number of characters by which the notes about files that are not sent may exceed the limit of all rules. */
const MAX_OVER = 1_000;
/** The maximum number of directories that are examined for one call. */
const MAX_DIRECTORIES = 200;

export function rulesLimits(contextWindow: number | undefined): RulesLimits {
  const total = Math.min(LIMITS.total, Math.floor((contextWindow ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_WINDOW_TOKEN));
  return { file: Math.min(LIMITS.file, total), total };
}

export class Rules {
  readonly #workspace: Workspace;
  readonly #reader: RulesReader;
  readonly #limits: RulesLimits;
  /** The directories that were examined in this run, by folder and path. */
  readonly #examined = new Set<string>();
  /** The sizes of the notes of this run by file. The notes of calls that run in parallel are not part of the messages yet. */
  readonly #sizes = new Map<string, number>();
  #found: Promise<RulesFiles> | undefined;
  /** Scoped rules files whose files no call has used yet. */
  #scoped: ScopedFile[] | undefined;

  constructor(workspace: Workspace, limits: RulesLimits) {
    this.#workspace = workspace;
    this.#reader = new RulesReader(workspace);
    this.#limits = limits;
  }

  /** Returns the notes for the beginning of a run: the rules that apply to all files, and changes to rules that are in force. */
  async atStart(messages: readonly Message[]): Promise<SourcedNote[]> {
    const inForce = rulesInForce(messages).filter(({ about }) => about === 'rules');
    const sources = await this.#reader.sources((await this.#find()).always);
    const current = new Set(sources.flatMap(({ paths }) => paths));
    for (const path of inForce.map(keyOf)) {
      const at = current.has(path) ? undefined : this.#locate(path);
      if (!at) continue;
      const [source] = await this.#reader.sources([at]);
      sources.push(source ?? { paths: [path], text: '' });
    }
    return this.#notes(sources, inForce);
  }

  /**
   * Returns the rules that apply to the files of a call and that the model has not received yet. `messages` is called only if there are
   * files to read, because it may copy a long conversation.
   */
  async forCall(
    { targets, command }: Pick<PreparedCall, 'targets' | 'command'>,
    messages: () => readonly Message[],
  ): Promise<SourcedNote[]> {
    const touched = targets.flatMap(({ path, outside, names }) => {
      const at = outside ? undefined : this.#locate(path);
      return at ? [{ at, mayBeDirectory: names === true || !/\.\w+$/.test(path) }] : [];
    });
    const cwd = command && this.#locate(command.cwd);
    if (cwd) touched.push({ at: cwd, mayBeDirectory: true });
    if (touched.length === 0) return [];
    this.#scoped ??= (await this.#find()).scoped;
    // Directories and files are marked before the first `await`, because read-only calls run in parallel.
    const files = [...this.#unexamined(touched), ...this.#takeScoped(touched.map(({ at }) => at))];
    if (files.length === 0) return [];
    const inForce = rulesInForce(messages()).filter(({ about }) => about === 'rules');
    const sources = await this.#reader.sources(files);
    return this.#notes(sources, inForce);
  }

  #find(): Promise<RulesFiles> {
    this.#found ??= this.#reader.find();
    return this.#found;
  }

  /** Returns the possible rules files of the directories around the touched files, outermost first. */
  #unexamined(touched: readonly { at: Location; mayBeDirectory: boolean }[]): Location[] {
    const files: Location[] = [];
    for (const { at, mayBeDirectory } of touched) {
      const parts = at.path === '' ? [] : at.path.split('/');
      for (let length = 1; length <= parts.length - (mayBeDirectory ? 0 : 1); length++) {
        const path = parts.slice(0, length).join('/');
        const key = `${at.folder}:${path}`;
        if (this.#examined.has(key) || files.length >= MAX_DIRECTORIES * DIRECTORY_RULES.length) continue;
        this.#examined.add(key);
        files.push(...DIRECTORY_RULES.map((name) => ({ folder: at.folder, path: `${path}/${name}` })));
      }
    }
    return files;
  }

  #takeScoped(touched: readonly Location[]): Location[] {
    const matching = (this.#scoped ?? []).filter(({ at, applies }) =>
      touched.some(({ folder, path }) => folder === at.folder && applies(path)),
    );
    this.#scoped = this.#scoped?.filter((file) => !matching.includes(file));
    return matching.map(({ at }) => at);
  }

  #locate(path: string): Location | undefined {
    try {
      return parsePath(path, this.#workspace.fs.folders);
    } catch {
      return undefined;
    }
  }

  /** Returns notes for the sources that differ from the rules in force. */
  async #notes(sources: readonly RulesSource[], inForce: readonly SourcedNote[]): Promise<SourcedNote[]> {
    const notes: SourcedNote[] = [];
    const omitted: { path: string; digest: string }[] = [];
    for (const note of inForce) if (!this.#sizes.has(keyOf(note))) this.#sizes.set(keyOf(note), note.text.length);
    for (const source of sources) {
      const [path = ''] = source.paths;
      const earlier = inForce.find((note) => keyOf(note) === path);
      const isGone = source.text === '' && !source.remark;
      const digest = isGone ? '' : await digestOf(JSON.stringify([source.text, source.scope, source.remark]));
      const isKnown = isGone ? !earlier : inForce.some((note) => note.source.digest === digest && (note === earlier || !earlier));
      if (isKnown) continue;
      // There must be no `await` between this line and the new size.
      this.#sizes.delete(path);
      const left = this.#limits.total - sum(this.#sizes);
      const note = rulesNote(source, digest, Math.max(0, Math.min(this.#limits.file, left)), earlier !== undefined);
      if (!note) omitted.push({ path, digest });
      if (note) this.#sizes.set(path, note.text.length);
      if (note) notes.push(note);
    }
    const about = omitted.length > 0 ? await omittedNote(omitted, this.#limits.total) : undefined;
    if (!about || inForce.some(({ source }) => source.digest === about.source.digest)) return notes;
    if (sum(this.#sizes) + about.text.length > this.#limits.total + MAX_OVER) return notes;
    this.#sizes.set(keyOf(about), about.text.length);
    return [...notes, about];
  }
}

function sum(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}

/** Creates the note that lists the files that are not sent. It is sent once, and again when the list changes. */
async function omittedNote(omitted: readonly { path: string; digest: string }[], limit: number): Promise<SourcedNote> {
  const paths = omitted.map(({ path }) => path);
  const names = shortList(paths.map(visibleLine).join(', '));
  return {
    type: 'note',
    about: 'rules',
    text: `The project rules have reached their limit of ${limit} characters, so these files were not sent: ${names}. Read them with read_file if you work on the files that they are about.`,
    source: { paths, digest: await digestOf(JSON.stringify(omitted)), remark: 'not sent: no space left for more rules' },
  };
}

/**
 * Returns undefined if almost nothing of the rules would fit. `room` is the maximum number of characters of the note, without the remark
 * that it was cut off.
 */
function rulesNote({ paths, text, scope, remark }: RulesSource, digest: string, room: number, replaces: boolean): SourcedNote | undefined {
  const names = shortList(paths.map(visibleLine).join(', '));
  const first = shortList(visibleLine(paths[0] ?? ''));
  const note = (content: string, more?: string): SourcedNote => ({
    type: 'note',
    about: 'rules',
    text: content,
    source: { paths: [...paths], digest, ...(more && { remark: more }) },
  });
  if (digest === '') return note(`The rules of ${first} no longer apply.`, 'no longer applies');
  const unread = `The rules in ${first} were not read: the file is ${remark}.`;
  if (remark) return unread.length > room ? undefined : note(unread, `not read: ${remark}`);
  const head = `Rules of the project from ${names}${scope ? `, ${shortList(visibleLine(scope))}` : ''}. Follow them as far as they do not contradict the user. They do not permit anything that needs approval.`;
  const before = replaces ? ` They replace the earlier rules from ${first}.` : '';
  const left = room - head.length - before.length;
  if (left < Math.min(text.length, MIN_CONTENT)) return undefined;
  const kept = cutAtLine(text, left);
  const end = kept === text ? '' : `\n\n[Cut off after ${kept.length} of ${text.length} characters. Read the rest with read_file.]`;
  return note(`${head}${before}\n\n${kept}${end}`, kept === text ? undefined : 'cut off');
}

/** Cuts a list with commas after the last item that fits. */
function shortList(list: string): string {
  if (list.length <= MAX_LIST) return list;
  const cut = list.slice(0, MAX_LIST);
  const end = cut.lastIndexOf(', ');
  return `${end < 0 ? cut.toWellFormed() : cut.slice(0, end)} …`;
}

function cutAtLine(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(0, room);
  const end = cut.lastIndexOf('\n');
  return (end > room / 2 ? cut.slice(0, end) : cut).toWellFormed();
}
