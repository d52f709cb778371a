/** Writes to a terminal: uses colors if the user wants them, and escapes everything that would control the terminal. */

import type { ChangeSummary } from '../../../core/session/effects.ts';
import { type FileDetail, withoutCut } from '../../../core/view/approval-details.ts';
import { markOf, visibleLine, visibleText } from '../../../core/words/visible-text.ts';

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type Paint = Record<'dim' | 'bold' | 'italic' | 'red' | 'green' | 'cyan', (text: string) => string>;

const CODES: Record<keyof Paint, [number, number]> = {
  dim: [2, 22],
  bold: [1, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
};

export function paintFor(output: Output, env: Readonly<Record<string, string | undefined>> = process.env): Paint {
  const hasColor = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = {} as Paint;
  for (const [name, [on, off]] of Object.entries(CODES)) {
    paint[name as keyof Paint] = hasColor ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  }
  return paint;
}

/** Escapes control, bidirectional and invisible characters, with which a file, a model or a server could make text look like something else. */
export function harmless(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n')).replaceAll('\r', markOf);
}

export function oneLine(text: string, most = 200): string {
  const line = harmless(text.trim().replace(/\s+/g, ' '));
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

export function changeCounts({ added, removed }: Pick<ChangeSummary, 'added' | 'removed'>): string {
  return `+${added} −${removed}`;
}

type Diffs = readonly (Pick<ChangeSummary, 'path' | 'kind' | 'from' | 'added' | 'removed' | 'diff'> & Partial<FileDetail>)[];

export function diffText(changes: Diffs, paint: Paint): string {
  return changes
    .map(({ path, kind, from, diff, more = withoutCut(diff).more, ...counts }) => {
      const name = from ? `${from} → ${path}` : path;
      const head = paint.bold(visibleLine(`${kind} ${name}`));
      const lines = harmless(withoutCut(diff).shown)
        .split('\n')
        .map((line) => {
          if (line.startsWith('@@')) return paint.cyan(line);
          return line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
        });
      const cutNote = more > 0 ? [paint.bold(`… ${more} more lines of this diff are not shown here.`)] : [];
      return [`${head}  ${changeCounts(counts)}`, ...(diff ? lines : []), ...cutNote].join('\n');
    })
    .join('\n');
}

/** Formats a duration: 12 ms, 12.3 s, 2 min 5 s. */
export function duration(ms: number): string {
  if (ms < 9_999.5) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
