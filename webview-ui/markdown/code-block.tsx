import { useState } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { LongText } from './long-text.tsx';

export function CodeBlock({ code, language }: { code: string; language?: string }) {
  const [isCopied, setCopied] = useState(false);
  const name = language?.split(/[\s,{]/)[0] ?? '';
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{name}</span>
        <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : 'Copy code'} onClick={copy} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          <LongText text={code} />
        </code>
      </pre>
    </div>
  );
}
