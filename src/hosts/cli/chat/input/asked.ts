/** A question at the bottom of the screen: an answer by a single key, or words. */
import type { Paint } from '../../output/terminal.ts';
import type { Choice } from '../../questions.ts';
import { cut, wrap } from '../output/styled.ts';
import { type EditorState, edit, emptyEditor, withText } from './editor.ts';
import { type Rows, rowsOf } from './editor-rows.ts';
import type { Key } from './keys.ts';

const PROMPT_END = /\s*>\s*$/;

type Typed = { editor: EditorState; line: string; label: string };

export class Asked {
  readonly #question: string;
  readonly #choices: readonly Choice[];
  readonly #takesWords: boolean;
  /** The words that the user types, and the line that they are added to. */
  #typed: Typed | undefined;
  #showsHelp = false;

  /** `prompt` is the last line of the question, which also lists the answers for terminals that are read line by line. */
  constructor(prompt: string, choices: readonly Choice[] = [], takesWords = choices.length === 0) {
    const asked = prompt.replace(PROMPT_END, '');
    this.#choices = choices;
    this.#takesWords = takesWords;
    this.#question = choices.length > 0 ? (/^[^?]*\?/.exec(asked)?.[0] ?? '') : asked;
    if (choices.length === 0) this.#typed = { editor: emptyEditor(), line: '', label: asked };
  }

  /** Returns the answer, if the key completes it. */
  answer(key: Key): string | undefined {
    const typed = this.#typed;
    if (typed) return this.#typing(typed, key);
    const words = key.name === 'text' || key.name === 'paste' ? (key.text ?? '') : '';
    const choice = key.name === 'text' ? this.#choiceOf(words) : undefined;
    if (choice?.words) this.#typed = { editor: emptyEditor(), line: choice.line ?? choice.key, label: choice.words };
    else if (choice) return choice.line ?? choice.key;
    else if (words === '?') this.#showsHelp = !this.#showsHelp;
    else if (words && this.#takesWords)
      this.#typed = { editor: withText(emptyEditor(), words.trimStart()), line: '', label: 'Your answer' };
    return undefined;
  }

  #typing(typed: Typed, key: Key): string | undefined {
    const next = edit(typed.editor, key);
    if (next) this.#typed = { ...typed, editor: next };
    else if (key.name === 'escape' && this.#choices.length > 0) this.#typed = undefined;
    else if (key.name === 'enter') return `${typed.line} ${typed.editor.text}`.trim();
    return undefined;
  }

  #choiceOf(key: string): Choice | undefined {
    return this.#choices.find((choice) => choice.key === key) ?? this.#choices.find((choice) => choice.key === key.toLowerCase());
  }

  rows(columns: number, paint: Paint): Rows {
    if (this.#typed) {
      const { editor, label } = this.#typed;
      const { lines, row, column } = rowsOf(editor.text, editor.caret, columns);
      return { lines: [...wrap(paint.bold(label), columns), ...lines], row: row + wrap(label, columns).length, column };
    }
    const label = (choice: Choice) => `${paint.bold(choice.key)} ${choice.label}`;
    const more = [...(this.#takesWords ? ['or type your own words'] : []), ...(this.#hasHelp ? [`${paint.bold('?')} help`] : [])];
    const answers = [...this.#choices.filter((choice) => choice.label).map(label), ...more];
    const help = this.#showsHelp ? this.#choices.map((choice) => cut(`  ${choice.key}  ${choice.help ?? choice.label}`, columns)) : [];
    const question = wrap(paint.bold(this.#question), columns).filter((line) => line !== '');
    const lines = [...help, ...question, ...joined(answers, columns)];
    return { lines, row: lines.length - 1, column: 0 };
  }

  get #hasHelp(): boolean {
    return this.#choices.some(({ help }) => help !== undefined);
  }
}

/** Joins the answers to lines, and never breaks a line inside an answer. */
function joined(answers: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const answer of answers) {
    const next = `${lines.at(-1) ?? ''} · ${answer}`;
    if (lines.length > 0 && wrap(next, columns).length === 1) lines[lines.length - 1] = next;
    else lines.push(cut(answer, columns));
  }
  return lines;
}
