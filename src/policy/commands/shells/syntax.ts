/** A shell command as a grammar reads it, in a form that knows nothing of the parser that made it. */

/**
 * `sh` is any plain POSIX shell (dash, ash, busybox), `powershell` both Windows PowerShell and pwsh. All others (`cmd`, zsh, fish) are
 * read by no grammar here, so everything that they would run asks.
 */
export type Shell = 'bash' | 'sh' | 'powershell' | 'other';

export type ShellNode = {
  /** The grammar's name of it: `command`, `word`, or for what is not named the letters themselves, such as `&&`. */
  type: string;
  /** The name by which its parent knows it: `name`, `argument`, `body` and so on. */
  field: string | undefined;
  text: string;
  /** Offsets in UTF-16 units of the whole command; `end` is the first behind it. */
  start: number;
  end: number;
  named: boolean;
  /** Something in it could not be read, or had to be added to read it. */
  hasError: boolean;
  children: readonly ShellNode[];
};

export type ShellParser = {
  /** undefined where the text can not be parsed at all. Never throws. */
  parse(command: string): ShellNode | undefined;
};

/** Loads a grammar when it is first asked for; undefined where this host has none for that shell. */
export type ShellParsers = (shell: Shell) => Promise<ShellParser | undefined>;
