/** Reads keys from a terminal in raw mode. Node's own reader recognizes the sequences that terminals send. */
import { emitKeypressEvents, type Interface, type Key as NodeKey } from 'node:readline';

/** `name` is for example `enter`, `alt+enter`, `ctrl+a`, `text` or `paste`. `text` is what was typed or pasted. */
export type Key = { name: string; text?: string };

export type Input = NodeJS.ReadableStream & { setRawMode?(on: boolean): unknown };

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
/** The time after which Escape is a key of its own, and not the beginning of a sequence. It is long enough for a slow connection. */
const ESCAPE_MS = 80;
const MAX_PASTE = 200_000;
/** If the end of a paste is lost, Ctrl+C ends it after this time without further text. */
const PASTE_MS = 1_000;

export class KeyReader {
  readonly #input: Input;
  readonly #write: (text: string) => unknown;
  readonly #onKey: (key: Key) => void;
  readonly #onEnd: () => void;
  /** The text between the marks of a paste. */
  #pasted: string | undefined;
  #pastedAt = 0;
  /** The characters that were read at once. */
  #read: string[] = [];

  /** `write` writes to the same terminal. `onEnd` is called when the terminal is closed. */
  constructor(input: Input, write: (text: string) => unknown, onKey: (key: Key) => void, onEnd: () => void) {
    this.#input = input;
    this.#write = write;
    this.#onKey = onKey;
    this.#onEnd = onEnd;
    // Only the time-out of the interface is used.
    emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  }

  start(): void {
    this.#input.setRawMode?.(true);
    this.#write(PASTE_ON);
    this.#input.on('keypress', this.#keypress);
    this.#input.on('end', this.#onEnd);
    this.#input.resume();
    process.on('exit', this.#restore);
  }

  /** Gives the terminal back as it was. */
  stop(): void {
    this.#input.off('keypress', this.#keypress);
    this.#input.off('end', this.#onEnd);
    this.#input.pause();
    process.off('exit', this.#restore);
    this.#restore();
  }

  readonly #restore = (): void => {
    try {
      this.#input.setRawMode?.(false);
    } catch {
      // The terminal is closed.
    }
    this.#write(PASTE_OFF);
  };

  readonly #keypress = (text: string | undefined, key: NodeKey): void => {
    if (key.name === 'paste-start') {
      this.#pasted = '';
      this.#pastedAt = performance.now();
    } else if (this.#pasted !== undefined && (key.name === 'paste-end' || this.#isLost(key))) {
      const pasted = this.#pasted;
      this.#pasted = undefined;
      this.#onKey({ name: 'paste', text: pasted.replace(/\r\n?/g, '\n') });
    } else if (this.#pasted !== undefined) {
      this.#pastedAt = performance.now();
      if (this.#pasted.length < MAX_PASTE) this.#pasted += text ?? key.sequence ?? '';
    } else {
      const read = keyOf(text, key);
      if (read?.name === 'text') {
        if (this.#read.push(read.text ?? '') === 1) queueMicrotask(this.#typed);
      } else if (read) {
        this.#typed();
        this.#onKey(read);
      }
    }
  };

  #isLost(key: NodeKey): boolean {
    return key.ctrl === true && key.name === 'c' && performance.now() - this.#pastedAt > PASTE_MS;
  }

  /** Several characters that arrive at once were not typed, so they are a paste. Some terminals do not mark pastes, and one must not answer. */
  readonly #typed = (): void => {
    const read = this.#read;
    this.#read = [];
    if (read.length > 0) this.#onKey({ name: read.length > 1 ? 'paste' : 'text', text: read.join('') });
  };
}

const NAMES: Readonly<Record<string, string>> = { return: 'enter', enter: 'ctrl+j', linefeed: 'ctrl+j' };

/** Returns undefined for a sequence without a meaning. */
export function keyOf(text: string | undefined, { name, ctrl, meta, shift }: NodeKey): Key | undefined {
  const isText = text !== undefined && text !== '' && !ctrl && !meta && !/[\p{Cc}]/u.test(text);
  if (isText && name !== 'space' && (name === undefined || name.length === 1 || text.length <= 2)) return { name: 'text', text };
  if (isText && name === 'space') return { name: 'text', text: ' ' };
  if (name === undefined || name === 'undefined') return undefined;
  const plain = NAMES[name] ?? name;
  const modifiers = [ctrl && 'ctrl+', meta && plain !== 'escape' && 'alt+', shift && plain.length > 1 && 'shift+'].filter(Boolean).join('');
  return { name: `${modifiers}${plain}` };
}
