/** Replaces quotes and fenced blocks in a request with placeholders, so that their content is not parsed by the grammar. */

type Quoted = { mark: string; raw: string; value: string };
export type Masked = { text: string; quoted: Quoted[] };

const BASE = 0xe000;
const FENCE = /(^|\n)[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?[ \t]*\2[ \t]*(?=\n|$)/g;
const QUOTE = new RegExp(
  [
    '(?<=^|[\\s([{:,=])(?:"((?:\\\\.|[^"\\\\\\n])*)"|\'([^\\n]*?)\'|`([^`\\n]*)`|“([^”\\n]*)”|‘([^’\\n]*)’)',
    '(?=$|[\\s)\\]},.;:?!\\uE000-\\uF8FF])',
  ].join(''),
  'g',
);
const HELD = /[\uE000-\uF8FF]/g;

export function mask(text: string): Masked {
  const quoted: Quoted[] = [];
  const hold = (entry: Quoted) => String.fromCharCode(BASE + quoted.push(entry) - 1);
  const unfenced = text.replaceAll(HELD, ' ').replace(FENCE, (raw, before: string, _ticks, body: string) => {
    return `${before}${hold({ mark: 'fence', raw, value: body === '' ? '' : `${body}\n` })}`;
  });
  const unquoted = unfenced.replace(QUOTE, (raw, ...groups) => {
    const inner = groups.slice(0, 5).find((group): group is string => group !== undefined) ?? '';
    return hold({ mark: raw.charAt(0), raw, value: raw.startsWith('"') && isEscaped(inner) ? unescaped(raw, inner) : inner });
  });
  return { text: unquoted, quoted };
}

/** Restores the original text. If it is a single quoted piece, the quotes are removed. */
export function valueAt(text: string, { quoted }: Masked): string {
  const trimmed = text.trim();
  const piece = trimmed.length === 1 ? quoted[trimmed.charCodeAt(0) - BASE] : undefined;
  return piece ? piece.value : trimmed.replaceAll(HELD, (placeholder) => quoted[placeholder.charCodeAt(0) - BASE]?.raw ?? '');
}

/** Like `valueAt`, for file content: a double-quoted piece may contain JSON escapes such as `\n`. */
export function contentAt(text: string, masked: Masked): string {
  const piece = text.trim().length === 1 ? masked.quoted[text.trim().charCodeAt(0) - BASE] : undefined;
  return piece?.mark === '"' ? unescaped(piece.raw, piece.value) : valueAt(text, masked);
}

/** Returns the quote character if the text is a single quoted piece. */
export function markAt(text: string, { quoted }: Masked): string | undefined {
  return text.trim().length === 1 ? quoted[text.trim().charCodeAt(0) - BASE]?.mark : undefined;
}

/** Quotes text so that the grammar reads exactly this text again. */
export function quote(text: string): string {
  if (!/[\n\r\uE000-\uF8FF]/.test(text)) {
    if (!text.includes("'")) return `'${text}'`;
    if (!text.includes('`')) return `\`${text}\``;
    if (!/["\\]/.test(text)) return `"${text}"`;
  }
  return JSON.stringify(text);
}

/** Returns true if a double-quoted piece contains escapes. `quote` writes escapes for text with `'` and a backtick. */
function isEscaped(inner: string): boolean {
  return inner.includes('\\"') || (inner.includes("'") && inner.includes('`'));
}

function unescaped(raw: string, otherwise: string): string {
  try {
    return JSON.parse(raw);
  } catch {
    return otherwise;
  }
}

const LEAD = new RegExp(
  [
    '^(?:(?:hey|hi|hello|ok|okay|so|now|then|and|also|please|kindly|kedge|offline)\\b[\\s,:!]*',
    '(?:can|could|would|will) you\\s+',
    "(?:i(?:'d| would)? (?:want|like|need) (?:you )?to|let(?:'s| us)|how (?:do|can|would|should) (?:i|we|you)|go ahead and|just)\\s+)+",
  ].join('|'),
  'i',
);
const TRAIL = /(?:[\s,]+(?:please|for me|thanks|thank you|now)|(?<=[\p{L}\p{N}_)\]*/`\uE000-\uF8FF\s])[?!.…]+)+$/iu;

/** Removes polite phrases at the beginning and at the end, and final punctuation. */
export function plain(text: string): string {
  const trimmed = text.trim().replace(LEAD, '').trim();
  return /\sin\s+\.$/.test(trimmed) ? trimmed : trimmed.replace(TRAIL, '').trim();
}
