/** Creates, appends to, moves and deletes files: describes the change, plans it as a step, or carries it out. */
import type { PlanStep } from '../../core/plan/plan.ts';
import { fence } from '../../core/words/markdown-code.ts';
import { exactEdits } from '../edits.ts';
import { bullets, count, paragraphs, places } from '../markdown.ts';
import { quote } from '../quotes.ts';
import type { FileChange } from '../request.ts';
import { type FileHits, hitCount } from '../results.ts';
import { baseName, directoryOf, EVERYWHERE, stemOf } from '../scope.ts';
import { askOne, type Call, type Outcome, type Skill } from '../script.ts';
import { find, locate, openFile, search } from './lookup.ts';
import { firstLine, problemOutcome, type Survey } from './survey.ts';

/** A prepared change: its files, its tool call and its descriptions. */
type Ready = { call: Call; title: string; would: string; done: string; files: string[]; check: string; mentions: FileHits[] };

export function* surveyFile(request: FileChange): Skill<Survey> {
  const ready = yield* prepare(request);
  if ('problem' in ready) return ready;
  const step: PlanStep = { title: ready.title, files: ready.files, tools: [ready.call.name], check: ready.check };
  const mentions = mentionsText(ready, 'would not be changed');
  return { would: paragraphs(ready.would, mentions), brief: paragraphs(ready.would, mentions), steps: [step] };
}

export function* actFile(request: FileChange): Skill<Outcome> {
  const ready = yield* prepare(request);
  if ('problem' in ready) return problemOutcome(ready.problem);
  const reply = yield* askOne(`${ready.title.split('\n', 1)[0]?.slice(0, 120)}.`, ready.call);
  if (reply.isError) {
    const reason = firstLine(reply.text);
    return { text: paragraphs('Nothing was changed.', `- ${ready.files[0]}: ${reason}`), failed: reason };
  }
  return { text: paragraphs(ready.done, mentionsText(ready, 'were not changed')) };
}

function mentionsText({ mentions }: Ready, what: string): string {
  const lines = hitCount(mentions);
  if (lines === 0) return '';
  const which = lines === 1 ? 'A line seems' : `${lines} lines seem`;
  return `${which} to refer to the file and ${lines === 1 ? what.replace(/^were\b/, 'was') : what}:\n\n${bullets(places(mentions), 12)}`;
}

function* prepare(request: FileChange): Skill<Ready | { problem: string }> {
  switch (request.kind) {
    case 'create':
      return yield* prepareCreate(request.path, request.content);
    case 'append':
      return yield* prepareAppend(request.path, request.text);
    case 'move':
      return yield* prepareMove(request);
    case 'delete':
      return yield* prepareDelete(request.path);
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function* prepareCreate(path: string, content: string): Skill<Ready | { problem: string }> {
  const there = yield* exists(path);
  if (there) return { problem: `${path} already exists, so it cannot be created. Choose another path.` };
  const lines = count(lineCount(content), 'line');
  return {
    call: { name: 'create_file', input: { path, content } },
    title: `Create ${pathText(path)}${content === '' ? '' : ` with ${quote(content.replace(/\n$/, ''))}`}`,
    would:
      content === ''
        ? `${path} would be created as an empty file.`
        : paragraphs(`${path} would be created with ${lines}:`, fence(content.replace(/\n$/, '').slice(0, 2000))),
    done: `Created ${content === '' ? `${path} as an empty file` : `${path}:1 with ${lines}`}.`,
    files: [path],
    check: `${path} exists with ${lines}`,
    mentions: [],
  };
}

function* exists(path: string): Skill<boolean> {
  const listing = yield* find(`Checking whether ${path} exists.`, path);
  return 'entries' in listing && listing.entries.includes(path);
}

/** Writes a path as the grammar expects it: quoted if it contains a space, marked as a file if it has no extension. */
function pathText(path: string): string {
  return /\s/.test(path) ? quote(path) : /[./]/.test(path) ? path : `file ${path}`;
}

function* prepareAppend(requestedPath: string, text: string): Skill<Ready | { problem: string }> {
  const opened = yield* openFile(`Reading ${requestedPath}.`, requestedPath);
  if ('problem' in opened) return opened;
  const { path, lines, cut } = opened.file;
  const body = text.replace(/\n$/, '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const edits =
    last < 0
      ? [{ old_text: lines.join('\n'), new_text: `${body}\n` }]
      : exactEdits(lines, new Map([[last, `${lines[last]}\n${body}`]]), cut);
  if (edits.length === 0) return { problem: `The last line of ${path} is too long for a safe edit. Change it in the editor.` };
  const added = count(lineCount(body), 'line');
  return {
    call: { name: 'replace_in_file', input: { path, edits } },
    title: `Append ${quote(body)} to ${pathText(path)}`,
    would: paragraphs(`${added} would be added at the end of ${path}, after line ${last + 1}:`, fence(body.slice(0, 2000))),
    done: `Added ${added} at ${path}:${last + 2}.`,
    files: [path],
    check: `${path} ends with the new text`,
    mentions: [],
  };
}

function* prepareMove({ from, to, beside }: Extract<FileChange, { kind: 'move' }>): Skill<Ready | { problem: string }> {
  const source = yield* locate(`Looking for ${from}.`, from);
  if ('problem' in source) return source;
  const directory = directoryOf(source.path);
  const goal = beside && directory !== '' ? `${directory}/${to}` : to;
  if (goal === source.path) return { problem: `${goal} already has this path. Choose another path.` };
  if (yield* exists(goal))
    return { problem: `${goal} already exists, so ${source.path} cannot be moved to this path. Choose another path.` };
  return {
    call: { name: 'move_file', input: { from: source.path, to: goal } },
    title: `Move ${pathText(source.path)} to ${pathText(goal)}`,
    would: `${source.path} would be moved to ${goal}.`,
    done: `Moved ${source.path} to ${goal}.`,
    files: [source.path, goal],
    check: `${goal} exists and ${source.path} does not`,
    mentions: yield* mentions(source.path),
  };
}

function* prepareDelete(requestedPath: string): Skill<Ready | { problem: string }> {
  const source = yield* locate(`Looking for ${requestedPath}.`, requestedPath);
  if ('problem' in source) return source;
  const { path } = source;
  return {
    call: { name: 'delete_file', input: { path } },
    title: `Delete ${pathText(path)}`,
    would: `${path} would be deleted.`,
    done: `Deleted ${path}.`,
    files: [path],
    check: `${path} does not exist`,
    mentions: yield* mentions(path),
  };
}

/** Finds lines in other files that mention or import the file. */
function* mentions(path: string): Skill<FileHits[]> {
  const stem = stemOf(path);
  if (stem.length < 3 || /^(?:index|main|mod|__init__|README)$/.test(stem)) return [];
  const result = yield* search('Searching for references to the file.', { pattern: stem, case_sensitive: true }, EVERYWHERE);
  if ('problem' in result) return [];
  const escaped = (text: string) => text.replace(/[^\w]/g, '\\$&');
  const namePattern = new RegExp(`(?<![\\w-])${escaped(baseName(path))}(?![\\w-])`);
  const importPattern = new RegExp(`\\b(?:import|from|require|include|use|mod|source|load)\\b.*(?<![\\w-])${escaped(stem)}(?![\\w(-])`);
  const files = result.files
    .filter((file) => file.path !== path)
    .map((file) => ({ path: file.path, hits: file.hits.filter(({ text }) => namePattern.test(text) || importPattern.test(text)) }));
  return files.filter(({ hits }) => hits.length > 0);
}
