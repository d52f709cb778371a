/** A sentence in which the parts between backticks are code. */
export function CodeText({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
