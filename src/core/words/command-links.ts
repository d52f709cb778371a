/** Links to commands of the editor in the text of a model, which other hosts cannot open. */

const COMMAND = /\[([^\]\n]*)\]\(command:kedge\.(\w+)[^)\n]*\)/g;
/** Matches the end of a streamed text if it may be the beginning of such a link. */
const PARTIAL_LINK = /\[[^\]\n]{0,80}(\](\([^)\n]{0,80})?)?$/;

/** Returns the index at which the text may end with the beginning of a link, or its length. */
export function linkStart(text: string): number {
  return PARTIAL_LINK.exec(text)?.index ?? text.length;
}

/** Replaces a link to a command with its label, and the link to connect a model with instructions. */
export function withoutCommands(text: string, howToConnect: string): string {
  return text.replace(COMMAND, (_link, label: string, command: string) => (command === 'connectModel' ? howToConnect : label));
}
