/** The line editor as a pure function: a state and a key give the next state. */
import type { Key } from './keys.ts';

/**
 * `caret` is an offset in `text`. `at` is the place in the history, which is its length while the user writes a new message; `draft` is that
 * message. `search` is what the user searches in the history. `cutText` is what was deleted last, for Ctrl+Y.
 */
export type EditorState = {
  text: string;
  caret: number;
  history: readonly string[];
  at: number;
  draft: string;
  cutText: string;
  search?: string;
};

export function emptyEditor(history: readonly string[] = []): EditorState {
  return { text: '', caret: 0, history, at: history.length, draft: '', cutText: '' };
}

/** Returns the state with another text and the caret at its end, or at `caret`. */
export function withText(state: EditorState, text: string, caret = text.length): EditorState {
  return { ...state, text, caret };
}

const MAX_TEXT = 1_000_000;
const MAX_HISTORY = 500;

/** Empties the editor after its text was sent. */
export function submitted(state: EditorState): EditorState {
  const { text, history } = state;
  const next = history.at(-1) === text || text.trim() === '' ? history : [...history, text].slice(-MAX_HISTORY);
  return { ...emptyEditor(next), cutText: state.cutText };
}

/** Returns undefined if the key has no meaning for the editor. `enter` has one only after a backslash, and while searching. */
export function edit(state: EditorState, key: Key): EditorState | undefined {
  if (state.search !== undefined) return searching(state, state.search, key);
  const { text, caret } = state;
  switch (key.name) {
    case 'text':
    case 'paste':
      return insert(state, (key.text ?? '').replace(/[^\P{Cc}\n\t]/gu, ''));
    case 'alt+enter':
    case 'shift+enter':
    case 'ctrl+j':
      return insert(state, '\n');
    case 'enter':
      return text[caret - 1] === '\\' ? insert(remove(state, caret - 1, caret), '\n') : undefined;
    case 'backspace':
    case 'ctrl+h':
      return remove(state, before(text, caret), caret);
    case 'delete':
      return remove(state, caret, after(text, caret));
    case 'ctrl+d':
      return text === '' ? undefined : remove(state, caret, after(text, caret));
    case 'ctrl+w':
    case 'alt+backspace':
    case 'ctrl+backspace':
      return cutOut(state, wordBefore(text, caret), caret);
    case 'alt+d':
    case 'ctrl+delete':
      return cutOut(state, caret, wordAfter(text, caret));
    case 'ctrl+u':
      return cutOut(state, lineStart(text, caret), caret);
    case 'ctrl+k':
      return cutOut(state, caret, lineEnd(text, caret));
    case 'ctrl+y':
      return insert(state, state.cutText);
    case 'left':
    case 'ctrl+b':
      return { ...state, caret: before(text, caret) };
    case 'right':
    case 'ctrl+f':
      return { ...state, caret: after(text, caret) };
    case 'ctrl+left':
    case 'alt+left':
    case 'alt+b':
      return { ...state, caret: wordBefore(text, caret) };
    case 'ctrl+right':
    case 'alt+right':
    case 'alt+f':
      return { ...state, caret: wordAfter(text, caret) };
    case 'home':
    case 'ctrl+a':
      return { ...state, caret: lineStart(text, caret) };
    case 'end':
    case 'ctrl+e':
      return { ...state, caret: lineEnd(text, caret) };
    case 'up':
    case 'ctrl+p':
      return lineStart(text, caret) > 0 && key.name === 'up' ? moveLine(state, -1) : recall(state, state.at - 1);
    case 'down':
    case 'ctrl+n':
      return lineEnd(text, caret) < text.length && key.name === 'down' ? moveLine(state, 1) : recall(state, state.at + 1);
    case 'ctrl+r':
      return { ...state, search: '', draft: state.at === state.history.length ? text : state.draft };
    default:
      return undefined;
  }
}

function insert(state: EditorState, more: string): EditorState {
  const text = `${state.text.slice(0, state.caret)}${more}${state.text.slice(state.caret)}`;
  return text.length > MAX_TEXT ? state : { ...state, text, caret: state.caret + more.length };
}

function remove(state: EditorState, from: number, to: number): EditorState {
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), caret: from };
}

function cutOut(state: EditorState, from: number, to: number): EditorState {
  return from === to ? state : { ...remove(state, from, to), cutText: state.text.slice(from, to) };
}

const NEARBY = 200;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the offset before the character to the left, which may consist of several code points. */
function before(text: string, caret: number): number {
  const from = Math.max(0, caret - NEARBY);
  const last = [...graphemes.segment(text.slice(from, caret))].at(-1);
  return last ? from + last.index : caret;
}

function after(text: string, caret: number): number {
  const [first] = graphemes.segment(text.slice(caret, caret + NEARBY));
  return caret + (first?.segment.length ?? 0);
}

function wordBefore(text: string, caret: number): number {
  let at = caret;
  while (at > 0 && !/\w/.test(text[at - 1] as string)) at--;
  while (at > 0 && /\w/.test(text[at - 1] as string)) at--;
  return at;
}

function wordAfter(text: string, caret: number): number {
  let at = caret;
  while (at < text.length && !/\w/.test(text[at] as string)) at++;
  while (at < text.length && /\w/.test(text[at] as string)) at++;
  return at;
}

const lineStart = (text: string, caret: number) => (caret <= 0 ? 0 : text.lastIndexOf('\n', caret - 1) + 1);

function lineEnd(text: string, caret: number): number {
  const at = text.indexOf('\n', caret);
  return at < 0 ? text.length : at;
}

/** Moves the caret to the same column of the line above or below. */
function moveLine(state: EditorState, by: -1 | 1): EditorState {
  const { text, caret } = state;
  const start = lineStart(text, caret);
  const column = caret - start;
  const target = by < 0 ? lineStart(text, start - 1) : lineEnd(text, caret) + 1;
  return { ...state, caret: Math.min(target + column, lineEnd(text, target)) };
}

/** Shows another entry of the history. After the newest, the draft is shown again. */
function recall(state: EditorState, at: number): EditorState {
  if (at < 0 || at > state.history.length || at === state.at) return state;
  const draft = state.at === state.history.length ? state.text : state.draft;
  return { ...withText(state, state.history[at] ?? draft), at, draft };
}

function searching(state: EditorState, search: string, key: Key): EditorState {
  const { search: _, ...rest } = state;
  if (key.name === 'text' || key.name === 'paste') return found(state, `${search}${key.text ?? ''}`, state.history.length - 1);
  if (key.name === 'backspace') return found(state, search.slice(0, before(search, search.length)), state.history.length - 1);
  if (key.name === 'ctrl+r') return found(state, search, state.at - 1);
  if (['ctrl+c', 'ctrl+g', 'escape'].includes(key.name)) return { ...withText(rest, state.draft), at: state.history.length };
  if (key.name === 'enter') return rest;
  return edit(rest, key) ?? rest;
}

/** Shows the newest entry at or before `from` that contains the words. */
function found(state: EditorState, search: string, from: number): EditorState {
  const wanted = search.toLowerCase();
  const at =
    from < 0 || wanted === '' ? -1 : state.history.findLastIndex((entry, index) => index <= from && entry.toLowerCase().includes(wanted));
  return at < 0 ? { ...state, search } : { ...withText(state, state.history[at] as string), at, search };
}
