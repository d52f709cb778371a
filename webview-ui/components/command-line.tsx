import type { CommandLine as Command } from '../../src/core/tool.ts';

/** A command as the shell gets it, whole; what cannot be seen in it is made visible. */
export function CommandLine({ command: { text, cwd } }: { command: Command }) {
  return (
    <section class="output" aria-label="Command">
      <pre>{visible(text)}</pre>
      {cwd !== '.' && <p class="dim">in {cwd}</p>}
    </section>
  );
}

const HIDDEN = /[^\P{C}\n]|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;
/** More blanks in a row than anybody writes, but enough to push what follows out of sight. */
const PADDING = /[ \n]{16,}/g;

/** With marks in the place of what a reader would not see. */
export function visible(text: string): string {
  return text
    .replace(HIDDEN, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
    .replace(PADDING, (run) => ` ⟨${run.length} blanks⟩ `);
}
