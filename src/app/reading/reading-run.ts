/**
 * Conducts the run of `/read`: it makes the calls that read the documents, and asks the model about one part after another, each with a request of
 * its own that fits its window. Notes on the parts are combined when they become too long, and the last request carries out the task. If everything
 * fits at once, there is only this request.
 *
 * Everything is in the log as in other runs: the calls with their results, and the notes as what the model said between them. The next step is
 * computed from these messages (`progress.ts`), so a run that was stopped or killed goes on where it ended.
 */
import { charactersFor, tokensOfText } from '../../core/context/tokens.ts';
import type { Message } from '../../core/model/messages.ts';
import type { ModelEvent, ModelRequest } from '../../core/model/model.ts';
import type { Conductor } from '../../core/run/ports.ts';
import type { RunRecord } from '../../core/session/session-state.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { citationsIn } from '../../documents/citations.ts';
import { countOf } from '../../tools/define-tool.ts';
import type { DocumentScope } from '../../tools/documents/access.ts';
import { droppedNote, shortenedNote } from '../answer/checked-answer.ts';
import { CitationChecker, type Passage } from '../answer/document-citations.ts';
import { Asker, type AskerPorts, type AskingPieces } from './asker.ts';
import { type ReadCommand, readCommand } from './command.ts';
import { type Listed, listed, type NextCall, namesDocuments, nextCalls, percentRead } from './documents.ts';
import { headText, type Notes, notesText, type Progress, progressIn, READ_TOOL, type ReadPart } from './progress.ts';
import { pieces, type Rooms, roomsIn, shortened } from './rooms.ts';
import { combineRequest, noteRequest, taskRequest } from './words.ts';

/** The share of a part that must be free, so that reading on before the next request is worth a call. */
const WORTH_READING = 0.3;
const WORDS_PER_TOKEN = 0.6;
const MAX_NAMED = 3;
/** The notes on a part that does not matter. */
const NOTHING = /^\s*nothing\.?\s*$/i;

/** Returns undefined for a run that begins with another message, or whose names are of no collection. */
export async function readingRun(run: RunRecord, documents: DocumentScope, ports: AskerPorts): Promise<Conductor | undefined> {
  const command = readCommand(run.prompt);
  if (!command) return undefined;
  const names = documents.names ?? (await documents.collections.listCollections()).map(({ name }) => name);
  return namesDocuments(command.names, names) ? new Reading(run, command, documents, ports) : undefined;
}

class Reading implements Conductor {
  readonly #run: RunRecord;
  readonly #command: ReadCommand;
  readonly #documents: DocumentScope;
  readonly #ports: AskerPorts;
  readonly #asker: Asker;
  /** The characters that the next calls may return together. */
  #free: number | undefined;

  constructor(run: RunRecord, command: ReadCommand, documents: DocumentScope, ports: AskerPorts) {
    this.#run = run;
    this.#command = command;
    this.#documents = documents;
    this.#ports = ports;
    this.#asker = new Asker(ports);
  }

  get sent(): readonly Message[] {
    return this.#asker.sent;
  }

  resultCharacters(): number {
    return this.#free ?? charactersFor(this.#rooms(this.#command.task).part);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const list = await listed(this.#command.names, this.#documents);
    const progress = progressIn(this.#messages(list));
    const task = [this.#command.task, ...progress.added].join('\n\n');
    this.#asker.begin();
    const turn = new Turn({ asker: this.#asker, request, signal, list, progress, task, rooms: () => this.#rooms(task) });
    const { part } = turn.rooms;
    const free = part - tokensOfText(textOf(progress.unread));
    const pending = progress.unread.length > 0;
    const hasRoom = !pending || free >= part * WORTH_READING;
    const calls = nextCalls(list, progress, charactersFor(hasRoom ? free : part));
    if (calls.length === 0) return yield* turn.finish();
    if (!hasRoom) yield* turn.note();
    else if (progress.read.length === 0) yield* turn.begin();
    this.#free = charactersFor(hasRoom ? free : turn.rooms.part);
    yield* callsOf(calls);
  }

  /** The messages of this run. Earlier runs with the same message that did not end are continued, if the documents have not changed. */
  #messages({ documents }: Listed) {
    const { state } = this.#ports;
    const runs = [...state.runs.values()];
    let first = runs.findIndex(({ runId }) => runId === this.#run.runId);
    const isOpen = ({ prompt, outcome }: RunRecord) => prompt === this.#run.prompt && (outcome === 'stopped' || outcome === 'failed');
    while (first > 0 && isOpen(runs[first - 1] as RunRecord)) first--;
    const messages = state.messages.slice(runs[first]?.messagesBefore ?? this.#run.messagesBefore);
    const lengths = new Map(documents.map(({ name, length }) => [name, length]));
    const isSame = ({ document, length, isError }: ReadPart) => isError || length === undefined || lengths.get(document) === length;
    return progressIn(messages).read.every(isSame) ? messages : state.messages.slice(this.#run.messagesBefore);
  }

  #rooms(task: string): Rooms {
    return roomsIn(this.#asker.window, this.#ports.window?.answer, this.#asker.ratio, task);
  }
}

type TurnPorts = {
  asker: Asker;
  request: ModelRequest;
  signal: AbortSignal;
  list: Listed;
  progress: Progress;
  task: string;
  rooms(): Rooms;
};

/** One turn of the run. */
class Turn {
  readonly #ports: TurnPorts;
  #notes: Notes[];

  constructor(ports: TurnPorts) {
    this.#ports = ports;
    this.#notes = ports.progress.notes;
  }

  get rooms(): Rooms {
    return this.#ports.rooms();
  }

  /** Says how much there is to read, if it is more than one part. */
  *begin(): Generator<ModelEvent> {
    const { documents } = this.#ports.list;
    const length = documents.reduce((sum, each) => sum + each.length, 0);
    const parts = Math.ceil(length / charactersFor(this.rooms.part));
    if (parts < 2) return;
    yield* textPart(
      `Reading ${countOf(documents.length, 'document')} with ${length.toLocaleString('en')} characters in about ${parts} parts.\n\n`,
    );
  }

  /** Writes notes on the part that was read, and combines notes until they leave room for the next part. */
  async *note(): AsyncGenerator<ModelEvent> {
    const { progress, list } = this.#ports;
    const number = (this.#notes.at(-1)?.to ?? 0) + 1;
    const head = { names: namesOf(progress.unread), percent: percentRead(list, progress) };
    yield { type: 'text_delta', text: headText({ from: number, to: number }, head) };
    const { notes, problem } = yield* this.#noteOn(number, true);
    yield { type: 'part', part: { type: 'text', text: notesText(notes, { ...head, ...(problem !== undefined && { problem }) }) } };
    this.#notes = [...this.#notes, notes];
    yield* this.#combine(true);
  }

  async *#noteOn(number: number, isShown: boolean): AsyncGenerator<ModelEvent, { notes: Notes; problem?: string }> {
    const { progress, task } = this.#ports;
    const names = namesOf(progress.unread);
    const passages = textOf(progress.unread);
    const asked = { texts: [] as string[], problem: undefined as string | undefined };
    for (const text of passages === '' ? [] : pieces(passages, this.rooms.part)) {
      const ask = (piece: string) => noteRequest(task, names, piece, this.#words);
      const opened = citationsIn(passages);
      const { texts, problem } = yield* this.#askPieces({ text, ask, part: `Part ${number} (${names})`, opened, isShown });
      asked.texts.push(...texts.filter((each) => !NOTHING.test(each)));
      asked.problem ??= problem;
    }
    const { problem } = asked;
    const text = shortened(asked.texts.join('\n').trim() || 'Nothing.', this.rooms.note);
    return { notes: { from: number, to: number, text }, ...(problem !== undefined && { problem }) };
  }

  /** Combines the notes that cover the fewest parts, until all notes fit. Each text is so made from texts of about the same weight. */
  async *#combine(isShown: boolean): AsyncGenerator<ModelEvent> {
    const { task } = this.#ports;
    while (this.#notes.length > 1 && tokensOfText(this.#notesText) > this.rooms.notes) {
      const chosen = lowest(this.#notes);
      const range = { from: chosen[0]?.from as number, to: chosen.at(-1)?.to as number };
      const text = chosen.map((each) => each.text).join('\n');
      if (isShown) yield { type: 'text_delta', text: headText(range) };
      const ask = (piece: string) => combineRequest(task, piece, this.#words);
      const part = `The notes on parts ${range.from} to ${range.to}`;
      const { texts } = yield* this.#askPieces({ text, ask, part, opened: this.#cited(text), isShown });
      const notes = { ...range, text: shortened(texts.join('\n').trim() || text, this.rooms.note) };
      if (isShown) yield { type: 'part', part: { type: 'text', text: notesText(notes) } };
      this.#notes = [...this.#notes.filter((each) => !chosen.includes(each)), notes].sort((a, b) => a.from - b.from);
    }
  }

  #askPieces({ opened, ...asking }: Pick<AskingPieces, 'text' | 'ask' | 'part' | 'isShown'> & { opened: readonly Passage[] }) {
    const { asker, request, signal } = this.#ports;
    const checker = new CitationChecker(opened, this.#collections);
    return asker.askPieces({ ...asking, request, signal, checker, answer: this.rooms.answer });
  }

  /** Carries out the task. */
  async *finish(): AsyncGenerator<ModelEvent> {
    const { asker, progress, list, task, signal, request } = this.#ports;
    const passages = textOf(progress.unread);
    const failed = progress.read.flatMap(({ document, text, isError }) => (isError ? [`${document} was not read: ${text}`] : []));
    const remarks = [...list.missing, ...failed, ...progress.problems];
    if (passages === '' && this.#notes.length === 0) {
      yield* textPart(remarks.join('\n') || 'The documents contain no text.');
      return yield { type: 'stop', reason: 'end_turn' };
    }
    yield* this.#combine(false);
    const checker = new CitationChecker(this.#opened, this.#collections);
    const asking = () => ({ request, signal, answer: this.rooms.answer, checker, isShown: true });
    let asked =
      tokensOfText(passages) <= this.rooms.part
        ? yield* asker.ask({ ...asking(), content: taskRequest(task, this.#notesText, passages), mayOverflow: true })
        : undefined;
    if (!asked) {
      // The last part did not fit, so notes on it are written first.
      const { notes, problem } = yield* this.#noteOn((this.#notes.at(-1)?.to ?? 0) + 1, false);
      if (problem !== undefined) remarks.push(`The last part has no notes: ${problem}`);
      this.#notes = [...this.#notes, notes];
      yield* this.#combine(false);
      asked = yield* asker.ask({ ...asking(), content: taskRequest(task, this.#notesText, ''), mayOverflow: false });
    }
    if (asked?.isRefused) return yield { type: 'stop', reason: 'refusal' };
    if (asked?.isCut) remarks.push('The answer was cut off at the output limit of the model.');
    if (checker.dropped.length > 0) remarks.push(droppedNote(checker.dropped));
    if (checker.shortened.length > 0) remarks.push(shortenedNote(checker.shortened));
    const text = asked?.text ?? '';
    const added =
      text.trim() !== '' && remarks.length > 0 ? `\n\n${remarks.map((each) => `> Kedge: ${visibleLine(each)}`).join('\n')}` : '';
    if (added !== '') yield { type: 'text_delta', text: added };
    if (text !== '') yield { type: 'part', part: { type: 'text', text: added === '' ? text : text.trimEnd() + added } };
    yield { type: 'stop', reason: 'end_turn' };
  }

  get #words(): number {
    return Math.floor(this.rooms.note * WORDS_PER_TOKEN);
  }

  get #notesText(): string {
    return this.#notes.map(({ text }) => text).join('\n');
  }

  /** The passages that were read in this run. */
  get #opened(): Passage[] {
    return this.#ports.progress.read.flatMap(({ text, isError }) => (isError ? [] : citationsIn(text)));
  }

  /** The passages that a text cites. */
  #cited(text: string): Passage[] {
    const checker = new CitationChecker(this.#opened, this.#collections);
    checker.check(text);
    return checker.cited;
  }

  get #collections(): string[] {
    return [...new Set(this.#ports.list.documents.map(({ name }) => name.slice(0, name.indexOf('/'))))];
  }
}

/** Returns the first neighboring notes that cover the fewest parts each, and at least two. */
function lowest(notes: readonly Notes[]): Notes[] {
  const span = ({ from, to }: Notes) => to - from;
  const least = Math.min(...notes.map(span));
  const start = notes.findIndex((each) => span(each) === least);
  let end = start + 1;
  while (end < notes.length && span(notes[end] as Notes) === least) end++;
  return end - start > 1 ? notes.slice(start, end) : notes.slice(Math.max(0, start - 1), Math.max(2, start + 1));
}

/** Returns the passages that were read. */
function textOf(parts: readonly ReadPart[]): string {
  return parts.flatMap(({ text, isError }) => (isError || citationsIn(text).length === 0 ? [] : [text])).join('\n\n');
}

function namesOf(parts: readonly ReadPart[]): string {
  const names = [...new Set(parts.map(({ document }) => document))];
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function* callsOf(calls: readonly NextCall[]): Generator<ModelEvent> {
  for (const input of calls) yield { type: 'part', part: { type: 'tool_call', id: '', name: READ_TOOL, input } };
  yield { type: 'stop', reason: 'tool_use' };
}

function* textPart(text: string): Generator<ModelEvent> {
  yield { type: 'text_delta', text };
  yield { type: 'part', part: { type: 'text', text } };
}
