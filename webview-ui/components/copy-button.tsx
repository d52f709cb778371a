import { useState } from 'preact/hooks';
import { IconButton } from './button.tsx';

const SHOWN_MS = 1500;

/** A button that copies a text, and briefly shows that the text was copied. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : label} onClick={copy} />;
}
