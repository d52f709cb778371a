/** Possible damage to a log on disk: flipped bytes, lost, duplicated and foreign lines, and malicious changes. */
export type Damage = { kind: (typeof DAMAGES)[number]; a: number; b: number };

export const DAMAGES = [
  'flip',
  'rename',
  'drop',
  'double',
  'swap',
  'foreign',
  'foreign log',
  'truncate',
  'huge',
  'no utf-8',
  'retype',
  'nest',
  'garbage',
  'renumber',
  'call id',
  'run id',
  'no newline',
  'nul',
  'nul tail',
  'old format',
] as const;

const NEWLINE = 0x0a;
const GARBAGE = ['', ' ', 'null', '[]', '{}', '"x"', '{"type":"run_started"}', '\u0000\u0000', '{"__proto__":{"seq":1}}', '}{'];
const VALUES: unknown[] = [null, -1, 0.5, 1e300, true, '', 'x', [], {}, [[]], { __proto__: null, constructor: 1 }];

/** `other` is the log of another session. `isCut` is true when complete lines at the end are missing, which cannot be detected. */
export function damaged(log: Buffer, other: Buffer, damages: readonly Damage[]): { bytes: Buffer; isCut: boolean } {
  let lines = linesOf(log);
  const last = lines.at(-1);
  let isTruncated = false;
  let isEnded = true;
  for (const { kind, a, b } of damages) {
    const at = a % Math.max(1, lines.length);
    const line = lines[at];
    if (!line) continue;
    const set = (bytes: Buffer) => {
      line.bytes = bytes;
    };
    const text = line.bytes.toString();
    switch (kind) {
      case 'flip':
        set(Buffer.from(line.bytes.map((byte, index) => (index === b % line.bytes.length ? byte ^ (1 << (b % 7)) : byte))));
        break;
      case 'rename':
        set(Buffer.from(replaced(text, /"\w+":/g, b, (key) => `${key.slice(0, 2)}X${key.slice(3)}`)));
        break;
      case 'drop':
        lines = lines.toSpliced(at, 1 + (b % 3));
        break;
      case 'double':
        lines = lines.toSpliced(b % (lines.length + 1), 0, { ...line });
        break;
      case 'swap': {
        const with_ = b % lines.length;
        lines = lines.with(at, lines[with_] as Line).with(with_, line);
        break;
      }
      case 'foreign':
        lines = lines.toSpliced(at, 0, linesOf(other)[b % linesOf(other).length] as Line);
        break;
      case 'foreign log':
        lines = b % 2 ? [...lines, ...linesOf(other)] : [...linesOf(other), ...lines];
        break;
      case 'truncate': {
        lines = lines.slice(0, at + 1);
        const cut = line.bytes.subarray(0, b % (line.bytes.length + 1));
        lines[at] = { bytes: cut, isTorn: cut.length > 0 && cut.length < line.bytes.length };
        isTruncated = true;
        isEnded = false;
        break;
      }
      case 'huge':
        set(Buffer.from(replaced(text, /"[^"]*"/g, b, () => JSON.stringify('x'.repeat(2_000_000)))));
        break;
      case 'no utf-8':
        set(
          Buffer.concat([
            line.bytes.subarray(0, b % line.bytes.length),
            Buffer.from([0xff, 0xfe, 0xc0]),
            line.bytes.subarray(b % line.bytes.length),
          ]),
        );
        break;
      case 'retype':
        set(Buffer.from(replaced(text, /:("[^"]*"|[\d.]+|true|false)/g, b, () => `:${JSON.stringify(VALUES[b % VALUES.length])}`)));
        break;
      case 'nest':
        set(
          Buffer.from(replaced(text, /:("[^"]*"|[\d.]+|\{)/g, b, (value) => `:${'['.repeat(5_000)}${value.slice(1)}${']'.repeat(5_000)}`)),
        );
        break;
      case 'garbage':
        lines = lines.toSpliced(at, 0, { bytes: Buffer.from(GARBAGE[b % GARBAGE.length] ?? '') });
        break;
      case 'renumber':
        set(Buffer.from(text.replace(/"seq":\d+/, `"seq":${[b % 100, b, 0, -1, 2 ** 60][b % 5]}`)));
        break;
      case 'call id':
        set(Buffer.from(replaced(text, /"[a-z]+-\d+"/g, b, (id) => id.replace(/\d+/, `${b % 12}`))));
        break;
      case 'run id':
        set(Buffer.from(text.replace(/"runId":"[^"]*"/, `"runId":"${b}"`)));
        break;
      case 'no newline':
        isEnded = false;
        break;
      case 'nul': {
        const from = b % Math.max(1, line.bytes.length);
        set(Buffer.concat([line.bytes.subarray(0, from), Buffer.alloc(line.bytes.length - from)]));
        break;
      }
      // A crash of the computer can leave the length of a file without its last bytes.
      case 'nul tail':
        lines = [...lines, { bytes: Buffer.alloc(1 + b), isTorn: true }];
        isEnded = false;
        break;
      case 'old format':
        for (const each of lines) each.bytes = Buffer.from(each.bytes.toString().replace(/,"format":\d+\}$/, '}'));
        break;
    }
  }
  const bytes = Buffer.concat(lines.flatMap(({ bytes }, index) => (index > 0 ? [Buffer.from('\n'), bytes] : [bytes])));
  const isTorn = lines.at(-1)?.isTorn === true;
  const isCut = !isTorn && (isTruncated || !lines.some((line) => line.bytes === last?.bytes || line === last));
  return { bytes: isEnded ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes, isCut };
}

type Line = { bytes: Buffer; isTorn?: boolean };

function linesOf(log: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf(NEWLINE, start);
    lines.push({ bytes: log.subarray(start, end) });
    start = end + 1;
  }
  return lines;
}

function replaced(text: string, pattern: RegExp, which: number, by: (found: string) => string): string {
  const all = [...text.matchAll(pattern)];
  const found = all[which % Math.max(1, all.length)];
  return found ? text.slice(0, found.index) + by(found[0]) + text.slice(found.index + found[0].length) : text;
}
