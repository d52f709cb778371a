/** The syntax tree of a shell command, independent of the parser that produced it. */

/**
 * `sh` is any plain POSIX shell (dash, ash, busybox); `powershell` is Windows PowerShell or pwsh. There is no grammar for other shells
 * (`cmd`, zsh, fish), so every command for them needs approval.
 */
export type Shell = 'bash' | 'sh' | 'powershell' | 'other';

export type ShellNode = {
  /** The node type in the grammar, such as `command` or `word`. For unnamed nodes it is the token itself, such as `&&`. */
  type: string;
  /** The node's role in its parent: `name`, `argument`, `body` and so on. */
  field: string | undefined;
  text: string;
  /** Offsets in UTF-16 code units from the start of the whole command; `end` is exclusive. */
  start: number;
  end: number;
  isNamed: boolean;
  /** Whether part of the node could not be parsed or had to be inserted by the parser. */
  hasError: boolean;
  children: readonly ShellNode[];
};

export type ShellParser = {
  /** Returns undefined if the text cannot be parsed at all. Never throws. */
  parse(command: string): ShellNode | undefined;
};

/** Loads a grammar on first use. Resolves to undefined if the host has no grammar for the shell. */
export type ShellParsers = (shell: Shell) => Promise<ShellParser | undefined>;
