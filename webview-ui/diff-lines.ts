/** One row of a unified diff. */
export type DiffLine = { kind: 'add' | 'remove' | 'same' | 'gap'; text: string; old?: number; new?: number };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** Parses a diff, which may be cut off anywhere. The lines before the first hunk are the file header and are skipped. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  let inHunk = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      if (inHunk || oldLine > 1 || newLine > 1) lines.push({ kind: 'gap', text: hunk[3] ?? '' });
      inHunk = true;
    } else if (inHunk) {
      const text = line.slice(1);
      if (line[0] === '+') lines.push({ kind: 'add', text, new: newLine++ });
      else if (line[0] === '-') lines.push({ kind: 'remove', text, old: oldLine++ });
      else if (line[0] === '\\') lines.push({ kind: 'gap', text: text.trim() });
      else if (line === '' || line[0] === ' ') lines.push({ kind: 'same', text, old: oldLine++, new: newLine++ });
      else lines.push({ kind: 'gap', text: line });
    }
  }
  return lines;
}
