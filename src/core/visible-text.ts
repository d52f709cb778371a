/** Letters that turn the reading order, or that nobody sees: with them a line says something else than it seems to. */
const DECEIVING =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]|[^\P{Cc}\t\n\r]|\r(?!\n|$)/gu;

/** The same text with a mark such as `⟨U+202E⟩` in the place of each of them; line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(DECEIVING, markOf);
}

export function markOf(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
