/**
 * The V4A patch format, as a pure parser.
 *
 *   patch   = "*** Begin Patch" NL  section+  "*** End Patch" NL?
 *   section = "*** Add File: " path NL  ("+" text NL)*
 *           | "*** Delete File: " path NL
 *           | "*** Update File: " path NL  ("*** Move to: " path NL)?  hunk*
 *   hunk    = header*  line+  ("*** End of File" NL)?      the first hunk of a file needs no header
 *   header  = "@@" (" " text)? NL                          a line above the change; several lead from the outer block to the inner
 *   line    = " " text NL                                  context, stays
 *           | "-" text NL                                  is removed
 *           | "+" text NL                                  is added
 *           | NL                                           an empty line of context
 *           | text NL                                      context without a sign, if the file contains the line
 *
 * These variants are accepted too: a patch without its first and last marker, in a code fence or a here document; spaces around markers;
 * several patches in one text; the `---` and `+++` lines of a unified diff below the path of a section; and a complete unified diff.
 */
import { ToolError } from '../../../core/run/tool.ts';
import type { Op } from '../replace/op.ts';
import { fromUnified } from './unified.ts';

/**
 * `unsigned` is the error to report when a line without a sign, which is treated as context, does not match. `closesFile` is true when only
 * the removed line lacked a line break at the end of the file.
 */
export type Hunk = { headers: string[]; ops: Op[]; endOfFile: boolean; unsigned?: string; closesFile?: boolean };
export type Section =
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; to?: string; hunks: Hunk[] };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const SECTION = /^\*\*\* (Add|Delete|Update) File: ?(.*)$/;
const MOVE = /^\*\*\* Move to: ?(.*)$/;
/** Matches the hunk header of a unified diff, or something similar. */
const NUMBERED = /^@@ *[-+]?\d+(,\d+)?( *[-+]\d+(,\d+)?)? *@@/;

/** @throws ToolError that names the line of the patch. */
export function parsePatch(patch: string): Section[] {
  const { lines, first } = unwrap(patch);
  const sections: Section[] = [];
  let at = 0;
  const problem = (why: string) => `The patch cannot be read at line ${first + at + 1}: ${why} Nothing was changed.`;
  const fail = (why: string): never => {
    throw new ToolError(problem(why));
  };

  function readAdded(): string {
    const added: string[] = [];
    let isOpen = false;
    for (; at < lines.length && !(lines[at] as string).startsWith('***'); at++) {
      const line = lines[at] as string;
      if (line.startsWith('+')) added.push(line.slice(1));
      else if (line.startsWith('\\ ')) isOpen = true;
      else if (line.trim() === '') added.push('');
      else fail('each line of a new file must begin with +.');
    }
    // Blank lines between sections are not part of the file.
    for (let index = at - 1; added.length > 0 && lines[index]?.trim() === ''; index--) added.pop();
    return added.join('\n') + (added.length === 0 || isOpen ? '' : '\n');
  }

  function readHunks(): Hunk[] {
    const hunks: Hunk[] = [];
    while (at < lines.length && !isMarker(lines[at] as string)) {
      const hunk: Hunk = { headers: [], ops: [], endOfFile: false };
      for (; /^@@/.test(lines[at] ?? ''); at++) {
        const header = headerOf(lines[at] as string);
        if (header) hunk.headers.push(header);
      }
      for (; at < lines.length; at++) {
        const line = lines[at] as string;
        if (line.startsWith('@@') || isMarker(line)) break;
        if (line === END_OF_FILE) {
          hunk.endOfFile = true;
          at++;
          break;
        }
        if (line.startsWith('\\ ')) {
          hunk.closesFile = hunk.ops.at(-1)?.sign === '-';
          continue;
        }
        const sign = line === '' ? ' ' : (line[0] as string);
        if (sign === ' ' || sign === '-' || sign === '+') hunk.ops.push({ sign, text: line.slice(1) });
        else {
          hunk.ops.push({ sign: ' ', text: line });
          const shown = JSON.stringify(line.slice(0, 80));
          hunk.unsigned ??= problem(`a line of a change must begin with a blank, - or +, and a header with @@, but the line is ${shown}.`);
        }
      }
      // An empty line before the next marker is a separator, not context.
      for (let index = at - (hunk.endOfFile ? 2 : 1); hunk.ops.length > 0 && lines[index] === ''; index--) hunk.ops.pop();
      if (hunk.ops.length > 0) hunks.push(hunk);
      else if (hunk.headers.length > 0) fail('the header has no changed lines below it. Add the lines or remove the header.');
    }
    return hunks;
  }

  while (at < lines.length) {
    const line = (lines[at] as string).trim();
    if (line === '' || [BEGIN, END, END_OF_FILE].includes(line)) {
      at++;
      continue;
    }
    const [, kind, name = ''] = SECTION.exec(line) ?? [];
    const path = name.trim();
    if (!kind)
      fail(
        `*** Add File: path, *** Update File: path or *** Delete File: path is expected, but the line is ${JSON.stringify(line.slice(0, 80))}.`,
      );
    if (!path) fail('the path is missing. Add the path of the file.');
    at++;
    if (kind === 'Add') sections.push({ kind: 'add', path, content: readAdded() });
    else if (kind === 'Delete') sections.push({ kind: 'delete', path });
    else {
      const to = MOVE.exec((lines[at] ?? '').trim())?.[1]?.trim();
      if (to !== undefined) at++;
      // Skips the file names of a unified diff. At other places, such lines change lines that begin with `--` and `++`.
      if (/^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '') && /^@@/.test(lines[at + 2] ?? '')) at += 2;
      const hunks = readHunks();
      if (hunks.length === 0 && to === undefined) fail(`the section has no changes for ${path}. Add a hunk or remove the section.`);
      sections.push({ kind: 'update', path, ...(to !== undefined && { to }), hunks });
    }
  }
  if (sections.length === 0) fail('the patch has no section. Begin a section with *** Update File: path.');
  return sections;
}

/** Matches lines that shells and Markdown put around a patch. */
const WRAPPING =
  /^(?:|```\w*|~~~\w*|(?:\$ )?(?:bash -l?c ['"]?)?(?:cat|apply_?patch)?\s*(?:<<-?\s*['"]?\w+['"]?)?(?:\s*\|\s*apply_?patch)?|['"]?(?:EOF|END|PATCH)['"]?\)?)$/i;

/**
 * Strips everything around the sections. `first` counts the input lines before them. A patch without its begin marker starts at its first
 * section.
 */
function unwrap(patch: string): { lines: string[]; first: number } {
  const sent = patch.split(/\r\n|\n/);
  const lines = sent.some((line) => SECTION.test(line.trim())) ? sent : (fromUnified(sent) ?? sent);
  const marked = lines.findIndex((line) => line.trim() === BEGIN);
  const begin = marked < 0 ? lines.findIndex((line) => SECTION.test(line.trim())) : marked + 1;
  if (begin < 0 && lines.length === 1 && /\\n/.test(patch))
    throw new ToolError('The patch is a single line. Write line breaks instead of \\n. Nothing was changed.');
  if (begin < 0) throw new ToolError(`The patch does not begin with "${BEGIN}". Add this line at the beginning. Nothing was changed.`);
  const last = lines.findLastIndex((line) => line.trim() === END);
  let end = last;
  if (last < 0) for (end = lines.length; end > begin && WRAPPING.test((lines[end - 1] as string).trim()); end--);
  if (end < begin) throw new ToolError(`"${END}" comes before "${BEGIN}". Send one complete patch. Nothing was changed.`);
  const around = [...lines.slice(0, marked < 0 ? begin : marked), ...(last < 0 ? [] : lines.slice(last + 1))].map((line) => line.trim());
  const stray = around.find((line) => !WRAPPING.test(line));
  if (stray !== undefined)
    throw new ToolError(
      `The input contains ${JSON.stringify(stray.slice(0, 80))} before or after the patch. Send only the patch. Nothing was changed.`,
    );
  return { lines: lines.slice(begin, end), first: begin };
}

function isMarker(line: string): boolean {
  return line.startsWith('*** ') && line !== END_OF_FILE;
}

/** Returns the text of a header. Line numbers, which models guess, and three dots are ignored. */
function headerOf(line: string): string {
  if (NUMBERED.test(line)) return '';
  const text = line.slice(2).replace(/ @@$/, '').trim();
  return /^(?:\.{3}|…)$/.test(text) ? '' : text;
}
